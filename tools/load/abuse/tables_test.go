package abuse

import (
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"backsolve/probe"
)

// fileServer answers with what stands in a file, as a server does that knows no
// checksums, or as a good one that answers with 500 where the file is not as it
// was at first.
func fileServer(t *testing.T, path string, careful bool) http.HandlerFunc {
	first, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		now, err := os.ReadFile(path)
		switch {
		case err != nil:
			refuse(w, 404)
		case careful && string(now) != string(first):
			refuse(w, 500)
		default:
			w.Write(now)
		}
	}
}

func TestHarm(t *testing.T) {
	for _, h := range harms {
		for _, careful := range []bool{true, false} {
			_, place := newFake(t, nil)
			path := filepath.Join(place.dir, probe.FileName(place.rules.Info()))
			other := filepath.Join(place.dir, probe.FileName(place.other.Info()))
			if err := os.WriteFile(path, []byte(strings.Repeat("the table ", 1000)), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(other, []byte("another table"), 0o644); err != nil {
				t.Fatal(err)
			}
			// The server of newFake asks the handler at each request.
			f := place.process.(*fake)
			f.attacked = fileServer(t, path, careful)
			observed, err := place.harm(t.Context(), h.do)
			// Where there is no file to read, even the careless server says so.
			gone := h.name == "deleted" || h.name == "replaced by a directory"
			switch {
			case careful || gone:
				if err != nil || !strings.Contains(observed, "It was back") || !strings.Contains(observed, "first refusal: 500, no.") && !strings.Contains(observed, "first refusal: 404, no.") {
					t.Errorf("%s: %s, error %v", h.name, observed, err)
				}
			case err == nil || !strings.Contains(err.Error(), "wrong answer"):
				t.Errorf("%s: %s, error %v, want a wrong answer", h.name, observed, err)
			}
		}
	}
}

// A table that is put right must be asked again.
func TestNotRepaired(t *testing.T) {
	_, place := newFake(t, nil)
	place.pace.harm = -slack // no patience
	path := filepath.Join(place.dir, probe.FileName(place.rules.Info()))
	if err := os.WriteFile(path, []byte("good"), 0o644); err != nil {
		t.Fatal(err)
	}
	asked := []known{{request: place.position(rand.New(rand.NewPCG(1, 2))), answer: []byte("good")}}
	place.process.(*fake).attacked = func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "bad") }
	if _, err := place.repair(t.Context(), path, path, asked); err == nil || !strings.Contains(err.Error(), "put right") {
		t.Errorf("error %v", err)
	}
}
