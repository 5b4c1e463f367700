// Package remote opens tables on a web server, and reads parts of them by HTTP range requests.
// Any server that answers range requests will do.
package remote

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/reader"
	"backsolve/tablebase/sparse"
)

type retries struct {
	tries int           // of a request that fails transiently
	pause time.Duration // before the second try; four times as long before each further one
	limit time.Duration // of a try, plus a second for each least bytes
	least int64
	whole time.Duration // of all requests that share a deadline
}

// Deadline bounds opening a table, and all that is read until the done function of
// ShareDeadline is called: requests, retries and pauses together.
const Deadline = 2 * time.Minute

var usualRetries = retries{tries: 3, pause: 250 * time.Millisecond, limit: 20 * time.Second, least: 16 << 10, whole: Deadline}

const (
	maxRequests = 6 // of a table at once
	// firstBytes is how much is read first of a file: its header, and the frame of that.
	firstBytes = 8 << 10
)

// Open opens the table at an address, packed or not, until ctx ends. Deadline bounds opening it and what is read for an
// answer: see reader.Table.ShareDeadline. Errors are reader.Open's, ErrNoRanges and ErrChanged.
func Open(ctx context.Context, address string) (*reader.Table, error) {
	return open(ctx, address, newClient(), usualRetries, reader.OpenStorage)
}

// OpenSparse is Open for a table of package sparse.
func OpenSparse(ctx context.Context, address string) (*sparse.Table, error) {
	return open(ctx, address, newClient(), usualRetries, sparse.OpenStorage)
}

func open[T any](ctx context.Context, address string, c client, p retries, as func(name string, s format.Storage) (*T, error)) (*T, error) {
	f, opened, err := openFile(ctx, address, c, p)
	if err != nil {
		return nil, err
	}
	defer opened()
	return as(f.name, f)
}

// openFile opens the file at an address and reads its start. opened ends the deadline of opening.
func openFile(ctx context.Context, address string, c client, p retries) (f *file, opened func(), err error) {
	if f, err = newFile(ctx, address, c, p); err != nil {
		return nil, nil, err
	}
	opened = f.ShareDeadline()
	first, err := f.request(byteRange{length: firstBytes, opening: true})
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	_, fresh := f.cache.take([]format.Extent{{Length: int64(len(first))}})
	f.cache.loaded(fresh[0], first, nil)
	return f, opened, nil
}

// IsURL reports whether a text is the address of something on a web server, not a path.
func IsURL(text string) bool {
	scheme, _, found := strings.Cut(text, "://")
	return found && (strings.EqualFold(scheme, "https") || strings.EqualFold(scheme, "http"))
}

// Join returns the address of a file in the directory at an address.
func Join(dir, name string) string {
	u, err := url.Parse(dir)
	if err != nil {
		return dir + "/" + name // opening it says what is wrong with it
	}
	return u.JoinPath(name).String()
}

// Name returns an address for messages: without user, password and query, which may be secret.
func Name(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the address" // which part of it is secret is unknown
	}
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	return u.String()
}

type file struct {
	ctx       context.Context // ends with Close
	end       context.CancelCauseFunc
	client    client
	retries   retries
	address   string
	name      string // the address as messages have it
	host      string
	version   version
	cache     cache
	semaphore chan struct{}         // has a place for each concurrent request
	changed   atomic.Pointer[error] // set once the file is another one

	asking    sync.Mutex
	questions int       // that are under way
	deadline  time.Time // of these
}

type version struct {
	size           int64
	etag, modified string
}

// newFile returns the file at an address. It reads nothing.
func newFile(ctx context.Context, address string, c client, p retries) (*file, error) {
	f := &file{client: c, retries: p, address: address, name: Name(address), semaphore: make(chan struct{}, maxRequests)}
	u, err := url.Parse(address)
	if err != nil || !IsURL(address) || u.Host == "" {
		return nil, f.failed(errAddress, "give one like https://example.org/tables/quixo-4x4.tb.zst", "")
	}
	f.host = u.Host
	f.ctx, f.end = context.WithCancelCause(ctx)
	return f, nil
}

// ShareDeadline gives all requests until done one deadline. Concurrent callers share the latest.
func (f *file) ShareDeadline() (done func()) {
	f.asking.Lock()
	defer f.asking.Unlock()
	f.questions++
	f.deadline = time.Now().Add(f.retries.whole)
	return func() {
		f.asking.Lock()
		defer f.asking.Unlock()
		f.questions--
	}
}

// withDeadline returns the context of a request, with its own deadline if none is shared.
func (f *file) withDeadline() (context.Context, context.CancelFunc) {
	f.asking.Lock()
	defer f.asking.Unlock()
	deadline := f.deadline
	if f.questions == 0 {
		deadline = time.Now().Add(f.retries.whole)
	}
	return context.WithDeadlineCause(f.ctx, deadline, fmt.Errorf("the server at %s took longer than %v", f.host, f.retries.whole))
}

// Size returns the length of the file.
func (f *file) Size() (int64, error) { return f.version.size, nil }

// Close aborts running requests.
func (f *file) Close() error {
	f.end(fs.ErrClosed)
	f.client.close()
	return nil
}

// ReadAt reads what was fetched before, and fetches the rest.
func (f *file) ReadAt(buf []byte, offset int64) (int, error) {
	if offset < 0 || offset >= f.version.size {
		return 0, io.EOF
	}
	n := int(min(int64(len(buf)), f.version.size-offset))
	wanted := split(nil, format.Extent{Offset: offset, Length: int64(n)})
	spans, err := f.take(wanted)
	if err != nil {
		return 0, err
	}
	for i, w := range wanted {
		copy(buf[w.Offset-offset:n], spans[i].bytes[w.Offset-spans[i].offset:])
	}
	if n < len(buf) {
		return n, io.EOF
	}
	return n, nil
}

// Fetch fetches what will be read, by few concurrent requests that join neighbours.
func (f *file) Fetch(wanted []format.Extent) error {
	var pieces []format.Extent
	for _, w := range wanted {
		w.Length = min(w.Length, f.version.size-w.Offset)
		pieces = split(pieces, w)
	}
	_, err := f.take(pieces)
	return err
}

func (f *file) take(wanted []format.Extent) ([]*span, error) {
	spans, fresh := f.cache.take(wanted)
	for _, s := range fresh {
		if s == fresh[len(fresh)-1] {
			f.load(s)
		} else {
			go f.load(s)
		}
	}
	for _, s := range spans {
		if <-s.done; s.err != nil {
			return nil, s.err
		}
	}
	return spans, nil
}

func (f *file) load(s *span) {
	bytes, err := f.request(byteRange{offset: s.offset, length: s.length})
	f.cache.loaded(s, bytes, err)
}

func (f *file) failed(cause error, remedy, detail string, args ...any) error {
	return &tablebase.Error{Path: f.name, Err: cause, Detail: fmt.Sprintf(detail, args...), Remedy: remedy}
}
