// Package local runs a NATS server inside this process, for clusters on one machine.
package local

import (
	"crypto/rand"
	"fmt"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"backsolve/internal/durable"
)

// Server is a NATS server with JetStream for processes of this machine that know its password.
type Server struct {
	server   *server.Server
	password string
}

const user = "backsolve"

// Start starts a server with its state in a directory, which may be from an earlier server.
func Start(dir string) (*Server, error) {
	if err := durable.MkdirAll(dir, 0o777); err != nil {
		return nil, err // NATS would not report it
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
		return nil, fmt.Errorf("cannot start NATS in %s: it is not ready after 30 seconds", dir)
	}
	if !s.JetStreamEnabled() {
		s.Shutdown()
		return nil, fmt.Errorf("cannot start NATS in %s: its files cannot be used; make room there, or remove the directory", dir)
	}
	return &Server{s, password}, nil
}

// URL returns the address.
func (s *Server) URL() string { return s.server.ClientURL() }

// secrets are the environment of a client. Empty ones override what is set there.
func (s *Server) secrets() map[string]string {
	return map[string]string{"NATS_USER": user, "NATS_PASSWORD": s.password, "NATS_CREDS": "", "NATS_NKEY": "", "NATS_TOKEN": "", "NATS_CA": "", "NATS_CERT": "", "NATS_KEY": ""}
}

// Getenv returns an environment variable of a client in this process.
func (s *Server) Getenv(name string) string { return s.secrets()[name] }

// Environment returns the environment variables of a client process, as NAME=value.
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
