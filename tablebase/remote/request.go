package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"backsolve/tablebase"
)

// client sends requests. There is one for browsers and one for all else.
type client interface {
	// get requests an address with these headers, and follows redirects. The error is a
	// *transientError if the next attempt may succeed.
	get(ctx context.Context, address string, headers map[string]string) (*reply, error)
	close()
}

type reply struct {
	status int
	reason string // the words after the status, "" for none
	header func(name string) string
	body   io.ReadCloser
}

const (
	statusOK             = 200
	statusPartial        = 206
	statusNotFound       = 404
	statusRequestTimeout = 408
	statusGone           = 410
	statusNoSuchRange    = 416
	statusTooMany        = 429
	statusFailed         = 500 // and all above
)

// byteRange is the range of bytes of a request. The request that opens a file may get fewer
// bytes, and sets the version of the file.
type byteRange struct {
	offset, length int64
	opening        bool
}

// request reads a range, and tries again after transient errors. Its errors are sentences.
func (f *file) request(q byteRange) ([]byte, error) {
	if err := f.changed.Load(); err != nil {
		return nil, *err
	}
	ctx, cancel := f.withDeadline()
	defer cancel()
	select {
	case f.semaphore <- struct{}{}:
		defer func() { <-f.semaphore }()
	case <-ctx.Done():
		return nil, f.describe(q, context.Cause(ctx))
	}
	pause := f.retries.pause
	for try := 1; ; try++ {
		b, err := f.try(ctx, q)
		if err == nil {
			return b, nil
		}
		var p *transientError
		if ctx.Err() != nil || !errors.As(err, &p) || try == f.retries.tries {
			return nil, f.describe(q, err)
		}
		after := time.Duration(p.after) * time.Second
		if deadline, _ := ctx.Deadline(); after > 0 && after >= time.Until(deadline) {
			return nil, f.describe(q, fmt.Errorf("%w, and to try again in %v", err, after))
		}
		select {
		case <-time.After(max(pause/2+rand.N(pause), after)):
		case <-ctx.Done():
		}
		pause *= 4
	}
}

// describe turns an error that is not yet a sentence into one.
func (f *file) describe(q byteRange, err error) error {
	if said := (*tablebase.Error)(nil); errors.As(err, &said) {
		if errors.Is(err, ErrChanged) {
			f.changed.CompareAndSwap(nil, &err)
		}
		return err
	}
	remedy := askAgain
	if f.ctx.Err() != nil {
		err, remedy = context.Cause(f.ctx), ""
		if errors.Is(err, fs.ErrClosed) {
			return err
		}
	}
	doing := "read"
	if q.opening {
		doing = "open"
	}
	return f.failed(fmt.Errorf("cannot %s the table: %w", doing, err), remedy, "")
}

func (f *file) try(ctx context.Context, q byteRange) ([]byte, error) {
	limit := f.retries.limit + time.Duration(q.length/f.retries.least)*time.Second
	ctx, cancel := context.WithTimeoutCause(ctx, limit, &transientError{cause: fmt.Errorf("the server at %s took longer than %v", f.host, limit)})
	defer cancel()
	b, err := f.send(ctx, q)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return b, err
}

func (f *file) send(ctx context.Context, q byteRange) ([]byte, error) {
	headers := map[string]string{
		"Range": fmt.Sprintf("bytes=%d-%d", q.offset, q.offset+q.length-1),
		// A range of a compressed response would be one of other bytes.
		"Accept-Encoding": "identity",
	}
	if condition := f.version.condition(); condition != "" {
		headers["If-Range"] = condition
	}
	r, err := f.client.get(ctx, f.address, headers)
	if err != nil {
		return nil, err
	}
	defer r.body.Close()
	now := version{etag: r.header("ETag"), modified: r.header("Last-Modified")}
	if err := f.checkStatus(r, q, now); err != nil {
		return nil, err
	}
	if coding := r.header("Content-Encoding"); coding != "" && coding != "identity" {
		return nil, f.failed(ErrAnswer, "have the server send the file as it is", "its answer has Content-Encoding: %.40q", coding)
	}
	first, last, size, ok := parseContentRange(r.header("Content-Range"))
	if !ok {
		return nil, f.failed(ErrAnswer, askAgain, "its answer has Content-Range: %.80q, which does not say which bytes it has; "+
			"a page from another origin can read that only where Access-Control-Expose-Headers names it", r.header("Content-Range"))
	}
	if now.size = size; q.opening {
		q.length = min(q.length, size)
	} else if difference := f.version.difference(now); difference != "" {
		return nil, f.failed(ErrChanged, openAgain, "%s", difference)
	}
	if first != q.offset || last != q.offset+q.length-1 {
		return nil, f.failed(ErrAnswer, askAgain, "asked for bytes %d to %d it sent bytes %d to %d", q.offset, q.offset+q.length-1, first, last)
	}
	if length := r.header("Content-Length"); length != "" && length != strconv.FormatInt(q.length, 10) {
		return nil, f.failed(ErrAnswer, askAgain, "asked for %d bytes its answer has Content-Length: %.40q", q.length, length)
	}
	b, err := f.readBody(r.body, q.length)
	if err == nil && q.opening {
		f.version = now
	}
	return b, err
}

func (f *file) checkStatus(r *reply, q byteRange, now version) error {
	said := strings.TrimSpace(fmt.Sprintf("%d %.40s", r.status, r.reason))
	switch {
	case r.status == statusPartial:
		return nil
	case r.status == statusOK && !q.opening && f.version.difference(now) != "":
		return f.failed(ErrChanged, openAgain, "%s", f.version.difference(now))
	case r.status == statusOK:
		what := "the whole file"
		if kind := r.header("Content-Type"); kind != "" {
			what += " (" + strconv.Quote(kind[:min(len(kind), 40)]) + ")"
		}
		const otherServer = "put the table on a server that does, as nginx, Caddy, Apache and object stores do, or get the file and open that"
		return f.failed(ErrNoRanges, otherServer, "%s sent %s where a part was asked for", f.host, what)
	case r.status == statusNotFound || r.status == statusGone:
		return f.failed(fmt.Errorf("cannot open the table: %w", fs.ErrNotExist), seeAddress, "%s says %s", f.host, said)
	case r.status == statusNoSuchRange && q.opening:
		return f.failed(tablebase.ErrTruncated, putAgain, "0 bytes are less than a header")
	case r.status == statusNoSuchRange:
		return f.failed(ErrChanged, openAgain, "it has become shorter")
	case r.status == statusRequestTimeout || r.status == statusTooMany || r.status >= statusFailed:
		after, _ := strconv.ParseInt(r.header("Retry-After"), 10, 32)
		return &transientError{fmt.Errorf("the server at %s says %s", f.host, said), after}
	}
	return f.failed(ErrAnswer, "see that its files may be read, and to the address", "%s says %s", f.host, said)
}

func (f *file) readBody(body io.Reader, length int64) ([]byte, error) {
	b := make([]byte, length)
	n, err := io.ReadFull(body, b)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, &transientError{cause: fmt.Errorf("the server at %s sent %d of %d bytes", f.host, n, length)}
	case err != nil:
		return nil, &transientError{cause: err}
	}
	if n, _ := io.ReadFull(body, make([]byte, 1)); n > 0 {
		return nil, f.failed(ErrAnswer, askAgain, "it sent more than the %d bytes that it says", length)
	}
	return b, nil
}

// condition is the If-Range header, "" for none. A weak tag would not do.
func (v version) condition() string {
	if v.etag != "" && v.etag[0] == '"' {
		return v.etag
	}
	return v.modified
}

// difference says how the file has changed, "" if no header that both have shows it.
func (v version) difference(now version) string {
	for _, d := range []struct{ name, then, now string }{
		{"ETag", v.etag, now.etag},
		{"Last-Modified", v.modified, now.modified},
	} {
		if d.then != "" && d.now != "" && d.then != d.now {
			return fmt.Sprintf("its %s is %.80q, and was %.80q", d.name, d.now, d.then)
		}
	}
	if now.size != 0 && now.size != v.size {
		return fmt.Sprintf("it has %d bytes, and had %d", now.size, v.size)
	}
	return ""
}

func parseContentRange(text string) (first, last, size int64, ok bool) {
	const form = "bytes %d-%d/%d"
	fmt.Sscanf(text, form, &first, &last, &size)
	ok = text == fmt.Sprintf(form, first, last, size) // no other way to write it, and nothing behind it
	return first, last, size, ok && 0 <= first && first <= last && last < size && size < 1<<62
}
