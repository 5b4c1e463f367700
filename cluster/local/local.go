// Package local runs a NATS server inside this process, for clusters of one machine.
package local

import (
	"crypto/rand"
	"fmt"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"backsolve/internal/durable"
)

// Server is a NATS server with JetStream that only processes of this machine reach which
// know its password.
type Server struct {
	server   *server.Server
	password string
}

// user is the name by which the server knows its clients.
const user = "backsolve"

// Start starts a server that keeps its state in a directory. It takes up what one before
// has left there.
func Start(dir string) (*Server, error) {
	if err := durable.MkdirAll(dir, 0o777); err != nil {
		return nil, err // the server would not say
	}
	password := rand.Text()
	s, err := server.NewServer(&server.Options{
		ServerName: "backsolve", Host: "127.0.0.1", Port: server.RANDOM_PORT,
		Username: user, Password: password,
		JetStream: true, StoreDir: dir, DisableJetStreamBanner: true,
		NoLog: true, NoSigs: true,
	})
	if err != nil {
		return nil, fmt.Errorf("cannot start NATS in %s: %w", dir, err)
	}
	go s.Start()
	if !s.ReadyForConnections(30 * time.Second) {
		s.Shutdown()
		return nil, fmt.Errorf("cannot start NATS in %s: it is not ready in 30 seconds", dir)
	}
	if !s.JetStreamEnabled() {
		s.Shutdown()
		return nil, fmt.Errorf("cannot start NATS in %s: its files cannot be used; make room there, or remove the directory", dir)
	}
	return &Server{s, password}, nil
}

// URL returns the address.
func (s *Server) URL() string { return s.server.ClientURL() }

// secrets are the variables by which clients connect; those that are empty must not say
// something else.
func (s *Server) secrets() map[string]string {
	return map[string]string{"NATS_USER": user, "NATS_PASSWORD": s.password, "NATS_CREDS": "", "NATS_NKEY": "", "NATS_TOKEN": "", "NATS_CA": "", "NATS_CERT": "", "NATS_KEY": ""}
}

// Getenv returns the value of a variable of the environment that a client needs.
func (s *Server) Getenv(name string) string { return s.secrets()[name] }

// Environment returns what a process needs in its environment to connect, as NAME=value.
func (s *Server) Environment() []string {
	all := []string{"NATS_URL=" + s.URL()}
	for name, value := range s.secrets() {
		all = append(all, name+"="+value)
	}
	return all
}

// Stop stops the server, and returns when its files are closed.
func (s *Server) Stop() {
	s.server.Shutdown()
	s.server.WaitForShutdown()
}
