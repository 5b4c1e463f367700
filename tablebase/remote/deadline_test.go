//go:build !js

package remote_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"backsolve/tablebase/reader"
	"backsolve/tablebase/remote"
)

// within is a client without a network, so that time is that of the test's bubble. It does not
// answer the first requests for each range, and then returns what the handler answers.
type within struct {
	http.Handler
	silent int

	lock     sync.Mutex
	requests int
	tries    map[string]int // by range
}

func (w *within) RoundTrip(r *http.Request) (*http.Response, error) {
	w.lock.Lock()
	w.requests++
	try := w.tries[r.Header.Get("Range")]
	w.tries[r.Header.Get("Range")]++
	w.lock.Unlock()
	if try < w.silent {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	answer := httptest.NewRecorder()
	w.ServeHTTP(answer, r)
	reply := answer.Result()
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	reply.Body = io.NopCloser(io.MultiReader(reply.Body, endless{r}))
	if reply.StatusCode == http.StatusPartialContent && reply.Header.Get("Content-Length") == strconv.Itoa(answer.Body.Len()) {
		reply.Body = io.NopCloser(answer.Body)
	}
	return reply, nil
}

// endless is the end of a body that never comes.
type endless struct{ r *http.Request }

func (e endless) Read([]byte) (int, error) {
	<-e.r.Context().Done()
	return 0, e.r.Context().Err()
}

// inside runs a test with a client that is silent that number of times for each range.
func inside(t *testing.T, silent int, h http.Handler, test func(t *testing.T, w *within, open func() (*reader.Table, error))) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &within{Handler: h, silent: silent, tries: map[string]int{}}
		test(t, w, func() (*reader.Table, error) {
			return remote.OpenBy(t.Context(), "http://host/table.tb", &http.Client{Transport: w})
		})
	})
}

// All that is read for one answer has one deadline, whatever is tried again meanwhile; the next
// answer has the next one.
func TestSharedDeadline(t *testing.T) {
	h := files(write(t, 1))
	inside(t, 2, h, func(t *testing.T, w *within, open func() (*reader.Table, error)) {
		table, err := open()
		if err != nil {
			t.Fatal(err)
		}
		defer table.Close()
		begun, done := time.Now(), table.ShareDeadline()
		lookups := 0
		for err == nil && lookups < 60 {
			_, err = table.Lookup(3, lookups, 5)
			lookups++
		}
		done()
		if took := time.Since(begun); took != remote.Deadline || lookups < 2 {
			t.Errorf("after %v and %d lookups: %v", took, lookups, err)
		}
		checkSentence(t, err, "http://host/table.tb")
		if !strings.Contains(fmt.Sprint(err), "host took longer than 2m0s") {
			t.Error(err)
		}
		defer table.ShareDeadline()()
		if _, err := table.Lookup(3, 59, 5); err != nil {
			t.Errorf("asked again: %v", err)
		}
	})
}

// Retry-After is heeded where it ends before the deadline; else the request ends at once.
func TestRetryAfter(t *testing.T) {
	for after, want := range map[string]struct {
		requests int
		took     time.Duration
	}{
		"50":                              {3, 100 * time.Second},
		"119":                             {2, 119 * time.Second},
		"120":                             {1, 0},
		strconv.FormatUint(1<<62, 10):     {1, 0},
		strconv.Itoa(math.MaxInt32):       {1, 0},
		"1" + strings.Repeat("0", 1<<10):  {1, 0},
		"-" + strconv.Itoa(math.MaxInt32): {3, 1250 * time.Millisecond}, // pauses of 0.125 to 0.375 s and four times that
	} {
		h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", after)
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		inside(t, 0, h, func(t *testing.T, w *within, open func() (*reader.Table, error)) {
			begun := time.Now()
			_, err := open()
			checkSentence(t, err, "http://host/table.tb")
			if took := time.Since(begun); (took-want.took).Abs() > 625*time.Millisecond || w.requests != want.requests {
				t.Errorf("Retry-After %.20s: %d requests in %v: %v", after, w.requests, took, err)
			}
			if !strings.Contains(fmt.Sprint(err), "503 Service Unavailable") {
				t.Error(err)
			}
		})
	}
}

// A response that announces a wrong length is refused before it is read.
func TestContentLength(t *testing.T) {
	dir := write(t, 1)
	for _, length := range []string{strconv.FormatInt(1<<62, 10), "8191", "8193", "much"} {
		h := tampered(dir, func(w http.ResponseWriter, _ *http.Request, answer *httptest.ResponseRecorder) {
			answer.Header().Set("Content-Length", length)
			send(w, answer)
		})
		inside(t, 0, h, func(t *testing.T, w *within, open func() (*reader.Table, error)) {
			begun := time.Now()
			_, err := open()
			checkSentence(t, err, "http://host/table.tb")
			if took := time.Since(begun); took != 0 || w.requests != 1 || !errors.Is(err, remote.ErrAnswer) || !strings.Contains(err.Error(), length) {
				t.Errorf("Content-Length %s: %d requests in %v: %v", length, w.requests, took, err)
			}
		})
	}
}

// A table that says that it has a directory of 64 GiB is not read for hours.
func TestDeadlineOfOpening(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("a table of that length is refused at once")
	}
	const size, footer = 1 << 50, 64 << 30
	head, err := os.ReadFile(filepath.Join(write(t, 1), "table.tb"))
	if err != nil {
		t.Fatal(err)
	}
	head = head[:4096]
	binary.LittleEndian.PutUint64(head[64:], size)
	binary.LittleEndian.PutUint64(head[72:], size-footer)
	binary.LittleEndian.PutUint64(head[80:], footer-8)
	clear(head[12:16])
	binary.LittleEndian.PutUint32(head[12:], crc32.Checksum(head, crc32.MakeTable(crc32.Castagnoli)))
	rest := bytes.Repeat([]byte("nonsense"), 1<<17)
	var requests atomic.Int64
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var first, last int64
		if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &first, &last); err != nil {
			t.Error(err)
		}
		if requests.Add(1) > 1000 {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		select {
		case <-time.After(time.Second):
		case <-r.Context().Done():
			return
		}
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", first, last, int64(size)))
		w.Header().Set("Content-Length", strconv.FormatInt(last-first+1, 10))
		w.WriteHeader(http.StatusPartialContent)
		w.Write(append(bytes.Clone(head), rest...)[min(first, 4096):][:last-first+1])
	})
	inside(t, 0, h, func(t *testing.T, w *within, open func() (*reader.Table, error)) {
		begun := time.Now()
		_, err := open()
		checkSentence(t, err, "http://host/table.tb")
		if took := time.Since(begun); took != remote.Deadline || !strings.Contains(err.Error(), "took longer than 2m0s") {
			t.Errorf("%d requests in %v: %v", requests.Load(), took, err)
		}
	})
}
