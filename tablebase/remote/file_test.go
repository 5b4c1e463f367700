package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"backsolve/tablebase/format"
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

// shelf is a client whose server has one file. It notes what was asked for.
type shelf struct {
	bytes []byte
	lock  *sync.Mutex
	asked *[][2]int64 // the first byte and the last
}

func (s shelf) get(_ context.Context, _ string, headers map[string]string) (*reply, error) {
	var first, last int64
	if _, err := fmt.Sscanf(headers["Range"], "bytes=%d-%d", &first, &last); err != nil {
		return nil, err
	}
	s.lock.Lock()
	*s.asked = append(*s.asked, [2]int64{first, last})
	s.lock.Unlock()
	end := min(last+1, int64(len(s.bytes)))
	header := map[string]string{"Content-Range": fmt.Sprintf("bytes %d-%d/%d", first, end-1, len(s.bytes))}
	return &reply{statusPartial, "", func(name string) string { return header[name] }, io.NopCloser(bytes.NewReader(s.bytes[first:end]))}, nil
}

func (shelf) close() {}

// Whatever is read of a file is that of the server, once it was fetched and before. Nothing behind
// its end is asked for.
func TestFileIsTheServers(t *testing.T) {
	const size = 2*maxSpan + 12345
	r := rand.New(rand.NewPCG(2, 5))
	s := shelf{make([]byte, size), new(sync.Mutex), new([][2]int64)}
	for i := range s.bytes {
		s.bytes[i] = byte(r.Uint32())
	}
	f, err := newFile(t.Context(), "http://example.org/t.tb", s, retries{tries: 1, limit: time.Minute, least: 1, whole: Deadline})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.version.size = size
	for _, w := range []format.Extent{{Offset: size - 10, Length: 10}, {Offset: size - 100, Length: 1000}, {Offset: size - maxSpan - 5, Length: 2 * maxSpan}, {Offset: 7, Length: 0}} {
		if err := f.Fetch([]format.Extent{w}); err != nil {
			t.Errorf("%v: %v", w, err)
		}
	}
	before := len(*s.asked)
	if n, err := f.ReadAt(make([]byte, 20), size-20); n != 20 || err != nil || len(*s.asked) != before {
		t.Errorf("what was fetched is asked for again: %d, %v", n, err)
	}
	for range 200 {
		offset, buf := r.IntN(size), make([]byte, r.IntN(1<<r.IntN(22)))
		n, err := f.ReadAt(buf, int64(offset))
		want := s.bytes[offset:min(size, offset+len(buf))]
		if !bytes.Equal(buf[:n], want) || (err == io.EOF) != (len(want) < len(buf)) || err != nil && err != io.EOF {
			t.Fatalf("%d bytes at %d: %d, %v", len(buf), offset, n, err)
		}
	}
	for _, a := range *s.asked {
		if a[0] < 0 || a[1] >= size || a[1] < a[0] || a[1]-a[0] >= maxSpan {
			t.Errorf("bytes %d to %d are asked for", a[0], a[1])
		}
	}
}
