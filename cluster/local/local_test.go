package local

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// The server requires its password, listens on this machine only, and keeps its state in the
// directory.
func TestServer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "nats")
	for _, again := range []bool{false, true} {
		s, err := Start(dir)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(s.URL(), "nats://127.0.0.1:") {
			t.Errorf("it listens at %s", s.URL())
		}
		if _, err := nats.Connect(s.URL()); !errors.Is(err, nats.ErrAuthorization) {
			t.Errorf("without the password: %v", err)
		}
		nc, err := nats.Connect(s.URL(), nats.UserInfo(s.Getenv("NATS_USER"), s.Getenv("NATS_PASSWORD")))
		if err != nil {
			t.Fatal(err)
		}
		js, err := jetstream.New(nc)
		if err != nil {
			t.Fatal(err)
		}
		kv, err := js.CreateOrUpdateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "test", Storage: jetstream.FileStorage})
		if err != nil {
			t.Fatal(err)
		}
		if again {
			if entry, err := kv.Get(t.Context(), "key"); err != nil || string(entry.Value()) != "value" {
				t.Errorf("the state is gone: %v", err)
			}
		} else if _, err := kv.Put(t.Context(), "key", []byte("value")); err != nil {
			t.Fatal(err)
		}
		nc.Close()
		s.Stop()
	}
}

// Start reports a directory that cannot have its files.
func TestStartIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if s, err := Start(filepath.Join(file, "nats")); err == nil || !strings.Contains(err.Error(), "cannot make the directory "+file) {
		t.Errorf("in a file: %v", err)
		if s != nil {
			s.Stop()
		}
	}
}

// Environment has the address and the secrets, and nothing for another server.
func TestEnvironment(t *testing.T) {
	s, err := Start(filepath.Join(t.TempDir(), "nats"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	all := strings.Join(s.Environment(), "\n")
	for _, line := range []string{"NATS_URL=" + s.URL(), "NATS_USER=backsolve", "NATS_PASSWORD=" + s.password, "NATS_CREDS=", "NATS_TOKEN="} {
		if !strings.Contains(all+"\n", line+"\n") {
			t.Errorf("%s is not in\n%s", line, all)
		}
	}
	if len(s.password) < 20 {
		t.Errorf("the password %s is short", s.password)
	}
}
