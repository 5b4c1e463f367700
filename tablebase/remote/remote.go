// Package remote opens tables that lie on a web server and reads of them, by HTTP range
// requests, what is asked for. The server needs to know nothing of tables: any that
// hands out files and answers range requests will do.
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
)

// pace is how long is waited for a server.
type pace struct {
	tries int           // of a request that fails in a way that may pass
	pause time.Duration // before the second try, before each further one four times as long
	limit time.Duration // of a try, and a second more for each slowest bytes
	least int64
	whole time.Duration // of a question, with all its requests and their tries
}

// Deadline is how long opening a table may take, and how long an answer may: all requests,
// tries and pauses together.
const Deadline = 2 * time.Minute

var usualPace = pace{tries: 3, pause: 250 * time.Millisecond, limit: 20 * time.Second, least: 16 << 10, whole: Deadline}

const (
	// atOnce is how many requests one table has under way.
	atOnce = 6
	// firstBytes is how much is asked for when nothing is known of a file: its header, and
	// the frame that this is packed in.
	firstBytes = 8 << 10
)

// Open opens the table at an address, packed or not. What is read of it later, too, is
// read until ctx ends; Deadline bounds opening it, and what is read for one answer, see
// reader.Table.Question. The table is checked like a file: its header and directory now,
// data when they are first touched. Errors are those of reader.Open, ErrNoRanges and
// ErrChanged, fs.ErrNotExist where the server says that there is no such file.
func Open(ctx context.Context, address string) (*reader.Table, error) {
	return open(ctx, address, newClient(), usualPace)
}

func open(ctx context.Context, address string, c client, p pace) (*reader.Table, error) {
	f, err := newFile(ctx, address, c, p)
	if err != nil {
		return nil, err
	}
	defer f.Question()()
	first, err := f.request(question{length: firstBytes, opening: true})
	if err != nil {
		f.Close()
		return nil, err
	}
	f.cache.keep(0, first)
	return reader.OpenStorage(f.name, f)
}

// IsURL reports whether a text is the address of something on a web server, and no path.
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

// Name returns an address as messages have it: without user, password and query, which
// may be secret.
func Name(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the address" // what stands where in it cannot be told
	}
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	return u.String()
}

// file is a file on a server. It is a format.Storage.
type file struct {
	ctx     context.Context // ends with Close
	end     context.CancelCauseFunc
	client  client
	pace    pace
	address string
	name    string // the address as messages have it
	host    string
	version version
	cache   cache
	slots   chan struct{}         // one for each request under way
	changed atomic.Pointer[error] // it is another one by now

	asking    sync.Mutex
	questions int       // that are under way
	deadline  time.Time // of these
}

// version is what tells a file from another one that takes its place.
type version struct {
	size           int64
	etag, modified string
}

// newFile returns the file at an address, of which nothing has been read.
func newFile(ctx context.Context, address string, c client, p pace) (*file, error) {
	f := &file{client: c, pace: p, address: address, name: Name(address), slots: make(chan struct{}, atOnce)}
	u, err := url.Parse(address)
	if err != nil || !IsURL(address) || u.Host == "" {
		return nil, f.failed(errAddress, "give one like https://example.org/tables/quixo-4x4.tb.zst", "")
	}
	f.host = u.Host
	f.ctx, f.end = context.WithCancelCause(ctx)
	return f, nil
}

// Question begins a question, whose requests have one deadline. If others are under way, then
// all have the latest of their deadlines.
func (f *file) Question() (done func()) {
	f.asking.Lock()
	defer f.asking.Unlock()
	f.questions++
	f.deadline = time.Now().Add(f.pace.whole)
	return func() {
		f.asking.Lock()
		defer f.asking.Unlock()
		f.questions--
	}
}

// withDeadline returns the context of a request. One that belongs to no question has a deadline
// of its own.
func (f *file) withDeadline() (context.Context, context.CancelFunc) {
	f.asking.Lock()
	defer f.asking.Unlock()
	deadline := f.deadline
	if f.questions == 0 {
		deadline = time.Now().Add(f.pace.whole)
	}
	return context.WithDeadlineCause(f.ctx, deadline, fmt.Errorf("the server at %s took longer than %v", f.host, f.pace.whole))
}

// Size returns the length of the file.
func (f *file) Size() (int64, error) { return f.version.size, nil }

// Close ends requests that are under way.
func (f *file) Close() error {
	f.end(fs.ErrClosed)
	f.client.close()
	return nil
}

// ReadAt reads from what was fetched before, and fetches the rest.
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

// Fetch brings what will be read: with few requests, since it joins neighbours, and
// several at once.
func (f *file) Fetch(wanted []format.Extent) error {
	var pieces []format.Extent
	for _, w := range wanted {
		w.Length = min(w.Length, f.version.size-w.Offset)
		pieces = split(pieces, w)
	}
	_, err := f.take(pieces)
	return err
}

// take returns the spans that have what is wanted, when they are there.
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

// load brings a span.
func (f *file) load(s *span) {
	bytes, err := f.request(question{offset: s.offset, length: s.length})
	f.cache.loaded(s, bytes, err)
}

// failed is an error with the address in it.
func (f *file) failed(cause error, remedy, detail string, args ...any) error {
	return &tablebase.Error{Path: f.name, Err: cause, Detail: fmt.Sprintf(detail, args...), Remedy: remedy}
}
