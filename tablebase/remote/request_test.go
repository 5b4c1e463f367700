//go:build !js

package remote

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// script is a client that answers as it is told, request by request; the last answer repeats.
type script struct {
	answers []func(headers map[string]string) (*reply, error)
	asked   []string // the ranges
}

func (s *script) get(_ context.Context, _ string, headers map[string]string) (*reply, error) {
	s.asked = append(s.asked, headers["Range"])
	if headers["Accept-Encoding"] != "identity" {
		return nil, errors.New("it may be compressed")
	}
	a := s.answers[min(len(s.asked), len(s.answers))-1]
	return a(headers)
}

func (s *script) close() {}

// says answers with a status and headers, as name and value in turn, and no body.
func says(status int, headers ...string) func(map[string]string) (*reply, error) {
	return func(map[string]string) (*reply, error) {
		return &reply{status: status, reason: "so", body: io.NopCloser(strings.NewReader("")), header: func(name string) string {
			for i := 0; i < len(headers); i += 2 {
				if headers[i] == name {
					return headers[i+1]
				}
			}
			return ""
		}}, nil
	}
}

// has answers with the bytes of a file that were asked for, and further headers.
func has(content []byte, headers ...string) func(map[string]string) (*reply, error) {
	return func(asked map[string]string) (*reply, error) {
		var first, last int
		fmt.Sscanf(asked["Range"], "bytes=%d-%d", &first, &last)
		last = min(last, len(content)-1)
		r, _ := says(statusPartial, append(headers, "Content-Range", fmt.Sprintf("bytes %d-%d/%d", first, last, len(content)))...)(nil)
		r.body = io.NopCloser(bytes.NewReader(content[first : last+1]))
		return r, nil
	}
}

func fails(err error) func(map[string]string) (*reply, error) {
	return func(map[string]string) (*reply, error) { return nil, err }
}

// A request is tried again where that may help, in time, and its error says what was wrong.
func TestRequests(t *testing.T) {
	content := bytes.Repeat([]byte("backsolve"), 1000)
	broken := &transientError{cause: errors.New("the line is cut")}
	twice := func(a, b func(map[string]string) (*reply, error)) []func(map[string]string) (*reply, error) {
		return []func(map[string]string) (*reply, error){a, b}
	}
	type answers = []func(map[string]string) (*reply, error)
	for name, c := range map[string]struct {
		answers
		opening bool
		tries   int
		is      error // nil where the bytes come
		says    string
		least   time.Duration // that it waits
	}{
		"at once":                 {answers{has(content)}, false, 1, nil, "", 0},
		"opened":                  {answers{has(content)}, true, 1, nil, "", 0},
		"after a cut":             {twice(fails(broken), has(content)), false, 2, nil, "", 50 * time.Millisecond},
		"never":                   {answers{fails(broken)}, false, 3, broken, "cannot read the table: the line is cut", 250 * time.Millisecond},
		"never opened":            {answers{fails(broken)}, true, 3, broken, "cannot open the table: the line is cut", 250 * time.Millisecond},
		"what is sure":            {answers{fails(errRedirect)}, false, 1, errRedirect, "", 0},
		"busy":                    {twice(says(429, "Retry-After", "7"), has(content)), false, 2, nil, "", 7 * time.Second},
		"busy without a time":     {twice(says(503), has(content)), false, 2, nil, "", 50 * time.Millisecond},
		"busy with a date":        {twice(says(500, "Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT"), has(content)), false, 2, nil, "", 50 * time.Millisecond},
		"too slow":                {twice(says(408), has(content)), false, 2, nil, "", 50 * time.Millisecond},
		"busy for long":           {answers{says(503, "Retry-After", "60")}, false, 1, nil, "the server at example.org says 503 so, and to try again in 1m0s", 0},
		"busy for very long":      {answers{says(503, "Retry-After", "61")}, false, 1, nil, "and to try again in 1m1s", 0},
		"not there":               {answers{says(404)}, false, 1, fs.ErrNotExist, "example.org says 404 so", 0},
		"gone":                    {answers{says(410)}, false, 1, fs.ErrNotExist, "410", 0},
		"forbidden":               {answers{says(403)}, false, 1, ErrAnswer, "example.org says 403 so", 0},
		"moved":                   {answers{says(304)}, false, 1, ErrAnswer, "304", 0},
		"no ranges":               {answers{says(200, "Content-Type", "text/html")}, true, 1, ErrNoRanges, `the whole file ("text/html") where a part`, 0},
		"no ranges, without type": {answers{says(200)}, false, 1, ErrNoRanges, "the whole file where a part", 0},
		"all of another file":     {answers{says(200, "ETag", `"2"`)}, false, 1, ErrChanged, `its ETag is "\"2\"", and was "\"1\""`, 0},
		"all of a later file":     {answers{says(200, "Last-Modified", "today")}, false, 1, ErrChanged, `its Last-Modified is "today", and was "yesterday"`, 0},
		"another file":            {answers{has(content, "ETag", `"2"`)}, false, 1, ErrChanged, "", 0},
		"the same file":           {answers{has(content, "ETag", `"1"`, "Last-Modified", "yesterday")}, false, 1, nil, "", 0},
		"a shorter file":          {answers{has(content[:5000])}, false, 1, ErrChanged, "it has 5000 bytes, and had 9000", 0},
		"nothing there":           {answers{says(416)}, false, 1, ErrChanged, "it has become shorter", 0},
		"nothing there at first":  {answers{says(416)}, true, 1, tablebase.ErrTruncated, "0 bytes are less than a header", 0},
		"compressed":              {answers{has(content, "Content-Encoding", "gzip")}, false, 1, ErrAnswer, `Content-Encoding: "gzip"`, 0},
		"as it is":                {answers{has(content, "Content-Encoding", "identity")}, false, 1, nil, "", 0},
		"of a length":             {answers{has(content, "Content-Length", "100")}, false, 1, nil, "", 0},
		"of another length":       {answers{has(content, "Content-Length", "101")}, false, 1, ErrAnswer, `asked for 100 bytes its answer has Content-Length: "101"`, 0},
		"no range":                {answers{says(206)}, false, 1, ErrAnswer, `Content-Range: ""`, 0},
		"another range":           {answers{says(206, "Content-Range", "bytes 51-150/9000")}, false, 1, ErrAnswer, "asked for bytes 50 to 149 it sent bytes 51 to 150", 0},
		"a longer range":          {answers{says(206, "Content-Range", "bytes 50-150/9000")}, false, 1, ErrAnswer, "it sent bytes 50 to 150", 0},
		"fewer bytes":             {answers{says(206, "Content-Range", "bytes 50-149/9000")}, false, 3, nil, "the server at example.org sent 0 of 100 bytes", 250 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &script{answers: c.answers}
			f, err := newFile(t.Context(), "https://me:secret@example.org/t.tb", s, retries{tries: 3, pause: 100 * time.Millisecond, limit: time.Second, least: 1, whole: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			q := byteRange{offset: 50, length: 100, opening: c.opening}
			if !c.opening {
				f.version = version{int64(len(content)), `"1"`, "yesterday"}
			}
			began := time.Now()
			b, err := f.request(q)
			took := time.Since(began)
			if len(s.asked) != c.tries || took < c.least || took > 3*c.least {
				t.Errorf("%s: %d requests in %v", name, len(s.asked), took)
			}
			if c.is == nil && c.says == "" {
				if err != nil || !bytes.Equal(b, content[50:150]) || f.version.size != int64(len(content)) {
					t.Errorf("%s: %d bytes, %v", name, len(b), err)
				}
				return
			}
			var said *tablebase.Error
			if !errors.As(err, &said) || said.Path != "https://example.org/t.tb" || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v", name, err)
			}
			again := len(s.asked)
			if _, err := f.request(q); err == nil || (len(s.asked) == again) != errors.Is(err, ErrChanged) {
				t.Errorf("%s, asked again: %d requests, %v", name, len(s.asked)-again, err)
			}
		})
	}
}

// The longest answer of a server is one more byte than it says.
func TestReadBody(t *testing.T) {
	f := &file{name: "x", host: "h"}
	for n, want := range map[int]error{4: nil, 5: ErrAnswer, 100: ErrAnswer} {
		b, err := f.readBody(strings.NewReader(strings.Repeat("x", n)), 4)
		if !errors.Is(err, want) || err == nil && string(b) != "xxxx" {
			t.Errorf("%d bytes: %q, %v", n, b, err)
		}
	}
	var again *transientError
	if _, err := f.readBody(strings.NewReader("xxx"), 4); !errors.As(err, &again) || !strings.Contains(err.Error(), "sent 3 of 4 bytes") {
		t.Errorf("fewer: %v", err)
	}
}

// What would be the same at the next attempt is not tried again.
func TestTransient(t *testing.T) {
	for _, c := range []struct {
		err  error
		sure bool
	}{
		{errRedirect, true}, {fmt.Errorf("get: %w", errRedirect), true}, {&tls.CertificateVerificationError{Err: io.EOF}, true},
		{&net.DNSError{IsNotFound: true}, true}, {&net.DNSError{IsTimeout: true}, false}, {io.EOF, false}, {context.DeadlineExceeded, false},
	} {
		var again *transientError
		if got := transientUnlessSure(c.err); errors.As(got, &again) == c.sure || !errors.Is(got, c.err) {
			t.Errorf("%v: %v", c.err, got)
		}
	}
}

// A file is read within its bounds, and what was fetched is not fetched again.
func TestFileBounds(t *testing.T) {
	content := make([]byte, 3*maxSpan/2)
	for i := range content {
		content[i] = byte(i * 7 >> 3)
	}
	s := &script{answers: []func(map[string]string) (*reply, error){has(content)}}
	f, err := newFile(t.Context(), "https://example.org/t.tb", s, usualRetries)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.version.size = int64(len(content))
	for _, c := range []struct{ offset, length, n, requests int }{
		{0, 10, 10, 1}, {0, 10, 10, 0}, {5, 5, 5, 0}, {5, 6, 6, 1}, {len(content) - 3, 3, 3, 1}, {len(content) - 3, 4, 3, 0}, {len(content), 1, 0, 0}, {-1, 1, 0, 0}, {len(content) + 5, 1, 0, 0},
	} {
		before, buf := len(s.asked), make([]byte, c.length)
		n, err := f.ReadAt(buf, int64(c.offset))
		if n != c.n || (err == nil) != (n == c.length) || err != nil && err != io.EOF || n > 0 && !bytes.Equal(buf[:n], content[c.offset:c.offset+n]) || len(s.asked)-before != c.requests {
			t.Errorf("%d from %d on: %d, %v, in %d requests", c.length, c.offset, n, err, len(s.asked)-before)
		}
	}
	s.asked = nil
	f.cache = cache{}
	if err := f.Fetch([]format.Extent{{Offset: int64(len(content)) - 20, Length: 30}, {Offset: 0, Length: 0}}); err != nil || len(s.asked) != 1 || s.asked[0] != fmt.Sprintf("bytes=%d-%d", len(content)-20, len(content)-1) {
		t.Errorf("beyond the end: %v, %v", s.asked, err)
	}
	for address, ok := range map[string]bool{"https://example.org/t": true, "https:///t": false, "ftp://example.org/t": false, "https://exa mple.org": false, "t.tb": false} {
		if f, err := newFile(t.Context(), address, s, usualRetries); (err == nil) != ok || ok && f.host != "example.org" || !ok && !errors.Is(err, errAddress) {
			t.Errorf("%s: %v", address, err)
		}
	}
}
