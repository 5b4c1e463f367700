package local

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// NATS accepts the configuration in the Kubernetes manifest. It enables JetStream, and requires the
// user and password of the environment.
func TestConfigurationOfManifest(t *testing.T) {
	text, err := os.ReadFile(filepath.FromSlash("../../docs/howto/kubernetes/backsolve.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	const indent = "    "
	_, rest, _ := strings.Cut(string(text), "\n  nats.conf: |\n")
	var lines []string
	for line := range strings.Lines(rest) {
		inside, is := strings.CutPrefix(line, indent)
		if !is {
			break
		}
		lines = append(lines, inside)
	}
	path := filepath.Join(t.TempDir(), "nats.conf")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("NATS_USER", "somebody")
	t.Setenv("NATS_PASSWORD", "p4711")
	o, err := server.ProcessConfigFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if o.Port != 4222 || o.HTTPPort != 8222 || o.StoreDir != "/data" {
		t.Errorf("it listens at %d and %d, and keeps its files in %s", o.Port, o.HTTPPort, o.StoreDir)
	}
	o.Host, o.Port, o.HTTPPort, o.StoreDir, o.NoLog, o.NoSigs = "127.0.0.1", server.RANDOM_PORT, 0, t.TempDir(), true, true
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	go s.Start()
	defer s.WaitForShutdown()
	defer s.Shutdown()
	if !s.ReadyForConnections(30 * time.Second) {
		t.Fatal("it is not ready in 30 seconds")
	}
	if _, err := nats.Connect(s.ClientURL()); !errors.Is(err, nats.ErrAuthorization) {
		t.Errorf("without the password: %v", err)
	}
	nc, err := nats.Connect(s.ClientURL(), nats.UserInfo("somebody", "p4711"))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.AccountInfo(t.Context()); err != nil {
		t.Errorf("JetStream does not answer: %v", err)
	}
}
