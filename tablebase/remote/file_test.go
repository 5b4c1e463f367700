package remote

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"
)

// unreachable is a client that never gets an answer.
type unreachable struct{}

var errUnreachable = errors.New("nobody answers")

func (unreachable) get(context.Context, string, map[string]string) (*reply, error) {
	return nil, errUnreachable
}

func (unreachable) close() {}

// A file is read from its cache, else from the server; what lies outside of it is its end.
func TestReadAt(t *testing.T) {
	f, err := newFile(t.Context(), "http://example.org/t.tb", unreachable{}, retries{tries: 1, limit: time.Minute, least: 1, whole: Deadline})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.version.size = 100
	for _, c := range []struct {
		offset int64
		want   error
	}{{-1, io.EOF}, {100, io.EOF}, {99, errUnreachable}, {0, errUnreachable}} {
		if n, err := f.ReadAt(make([]byte, 10), c.offset); n != 0 || !errors.Is(err, c.want) {
			t.Errorf("at %d: %d bytes, %v, want %v", c.offset, n, err, c.want)
		}
	}
}

// An address is one of a file on a web server.
func TestAddressesOfFiles(t *testing.T) {
	for _, address := range []string{"", "t.tb", "ftp://example.org/t.tb", "https://", "http:///t.tb", "http://exa mple.org/t.tb", "//example.org/t.tb"} {
		if _, err := newFile(t.Context(), address, unreachable{}, retries{}); !errors.Is(err, errAddress) {
			t.Errorf("%q: %v", address, err)
		}
	}
}
