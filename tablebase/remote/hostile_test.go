//go:build !js

package remote_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"backsolve/tablebase"
	"backsolve/tablebase/reader"
	"backsolve/tablebase/remote"
)

// tampered serves the packed table of a directory, and has tamper change the answers: a
// recorder has what was to be sent.
func tampered(dir string, tamper func(w http.ResponseWriter, r *http.Request, answer *httptest.ResponseRecorder)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		files(dir).ServeHTTP(answer, r)
		tamper(w, r, answer)
	})
}

// send sends a recorded answer.
func send(w http.ResponseWriter, answer *httptest.ResponseRecorder) {
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Code)
	w.Write(answer.Body.Bytes())
}

// cut ends the connection before the answer is whole.
func cut(w http.ResponseWriter, answer *httptest.ResponseRecorder) {
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Code)
	w.Write(answer.Body.Bytes()[:answer.Body.Len()/2])
	http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// From a server that does not answer as it should there is an error with a sentence: at
// once where another try is of no use.
func TestServersThatCannotBeUsed(t *testing.T) {
	dir := write(t, 1)
	type answer = *httptest.ResponseRecorder
	alter := func(name, value string) func(http.ResponseWriter, *http.Request, answer) {
		return func(w http.ResponseWriter, _ *http.Request, a answer) {
			a.Header().Set(name, value)
			send(w, a)
		}
	}
	status := func(code int) func(http.ResponseWriter, *http.Request, answer) {
		return func(w http.ResponseWriter, _ *http.Request, _ answer) { http.Error(w, "sorry", code) }
	}
	data, err := os.ReadFile(filepath.Join(dir, "table.tb.zst"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		tamper func(http.ResponseWriter, *http.Request, answer)
		want   error // nil for any
		says   string
		tries  int
	}{
		{"no ranges", func(w http.ResponseWriter, _ *http.Request, _ answer) { w.Write(data) }, remote.ErrNoRanges, "nginx", 1},
		{"a page instead", func(w http.ResponseWriter, _ *http.Request, _ answer) { fmt.Fprint(w, "<!doctype html><p>Hello") }, remote.ErrNoRanges, "text/html", 1},
		{"no Content-Range", alter("Content-Range", ""), remote.ErrAnswer, "Access-Control-Expose-Headers", 1},
		{"several parts", alter("Content-Range", "multipart/byteranges"), remote.ErrAnswer, "Content-Range", 1},
		{"no length", alter("Content-Range", "bytes 0-8191/*"), remote.ErrAnswer, "Content-Range", 1},
		{"other bytes", alter("Content-Range", fmt.Sprintf("bytes 1-8192/%d", len(data))), remote.ErrAnswer, "bytes 0 to 8191 it sent bytes 1 to 8192", 1},
		{"fewer bytes", alter("Content-Range", fmt.Sprintf("bytes 0-99/%d", len(data))), remote.ErrAnswer, "bytes 0 to 99", 1},
		{"a wrong length", alter("Content-Range", "bytes 0-8191/9999999999"), nil, "", 0},
		{"packed on the way", alter("Content-Encoding", "gzip"), remote.ErrAnswer, `"gzip"`, 1},
		{"not found", status(404), fs.ErrNotExist, "404 Not Found", 1},
		{"gone", status(410), fs.ErrNotExist, "410 Gone", 1},
		{"forbidden", status(403), remote.ErrAnswer, "403 Forbidden", 1},
		{"empty", status(416), tablebase.ErrTruncated, "0 bytes", 1},
		{"not modified", status(304), remote.ErrAnswer, "304 Not Modified", 1},
		{"broken", status(500), nil, "500 Internal Server Error", 3},
		{"busy", status(503), nil, "503 Service Unavailable", 3},
		{"too many", status(429), nil, "429 Too Many Requests", 3},
		{"cut", func(w http.ResponseWriter, _ *http.Request, a answer) { cut(w, a) }, nil, "of 8192 bytes", 3},
		{"more than said", func(w http.ResponseWriter, _ *http.Request, a answer) {
			a.Header().Del("Content-Length")
			a.Body.WriteString("more")
			send(w, a)
		}, remote.ErrAnswer, "more than the 8192 bytes", 1},
		{"silent", func(_ http.ResponseWriter, r *http.Request, _ answer) { <-r.Context().Done() }, nil, "took longer than", 0},
		{"in circles", func(w http.ResponseWriter, r *http.Request, _ answer) {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		}, nil, "redirects too often", 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, tampered(dir, c.tamper))
			limit := answerTimeout
			if c.name == "silent" {
				limit = silence
			}
			table, err := remote.OpenQuickly(t.Context(), s.URL+"/table.tb.zst?token=secret", limit, nil)
			if err == nil {
				table.Close()
			}
			n, _ := s.traffic()
			checkSentence(t, err, s.URL+"/table.tb.zst")
			if c.want != nil && !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.says) || c.tries > 0 && n != c.tries {
				t.Errorf("after %d requests: %v", n, err)
			}
		})
	}
}

// checkSentence wants an error with address, cause and, unless it is no table at all, remedy,
// and no secrets.
func checkSentence(t testing.TB, err error, name string) {
	t.Helper()
	var e *tablebase.Error
	if !errors.As(err, &e) || e.Path != name || e.Remedy == "" && !errors.Is(err, tablebase.ErrForeign) || strings.Contains(err.Error(), "secret") {
		t.Errorf("no sentence: %v", err)
	}
}

// No server listens, or no host has the name.
func TestNoServer(t *testing.T) {
	s := serve(t, http.NotFoundHandler())
	s.Close()
	_, err := remote.OpenQuickly(t.Context(), s.URL+"/table.tb", answerTimeout, nil)
	checkSentence(t, err, s.URL+"/table.tb")
	if errors.Is(err, fs.ErrNotExist) {
		t.Error("that nobody answers is taken for a table that is not there")
	}
}

// Certificates are verified, and https is never left for http.
func TestTLS(t *testing.T) {
	dir := write(t, 1)
	plain := serve(t, files(dir))
	var to atomic.Pointer[string]
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if address := to.Load(); address != nil {
			http.Redirect(w, r, *address, http.StatusFound)
			return
		}
		files(dir).ServeHTTP(w, r)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // what clients do not trust is no news here
	s.StartTLS()
	defer s.Close()
	address := s.URL + "/table.tb.zst"
	_, err := remote.OpenQuickly(t.Context(), address, answerTimeout, nil)
	if checkSentence(t, err, address); !strings.Contains(fmt.Sprint(err), "certificate") {
		t.Errorf("an unknown certificate: %v", err)
	}
	table, err := remote.OpenQuickly(t.Context(), address, answerTimeout, s.Client())
	if err != nil {
		t.Fatal(err)
	}
	same(t, table, openFile(t, filepath.Join(dir, "table.tb.zst")))
	table.Close()
	open := plain.URL + "/table.tb.zst"
	to.Store(&open)
	_, err = remote.OpenQuickly(t.Context(), address, answerTimeout, s.Client())
	if checkSentence(t, err, address); !strings.Contains(fmt.Sprint(err), "from https to http") {
		t.Errorf("led out of TLS: %v", err)
	}
	if n, _ := plain.traffic(); n != 0 {
		t.Error("it was asked without TLS")
	}
}

// What fails for a while is tried again.
func TestTransientErrors(t *testing.T) {
	dir := write(t, 1)
	file := openFile(t, filepath.Join(dir, "table.tb.zst"))
	for name, fail := range map[string]func(w http.ResponseWriter, answer *httptest.ResponseRecorder){
		"busy": func(w http.ResponseWriter, _ *httptest.ResponseRecorder) {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
		},
		"cut":     cut,
		"refused": func(http.ResponseWriter, *httptest.ResponseRecorder) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			var failures sync.Map // by range
			s := serve(t, tampered(dir, func(w http.ResponseWriter, r *http.Request, answer *httptest.ResponseRecorder) {
				n, _ := failures.LoadOrStore(r.Header.Get("Range"), new(atomic.Int64))
				if n.(*atomic.Int64).Add(1) < 3 {
					fail(w, answer)
					return
				}
				send(w, answer)
			}))
			table := open(t, s.URL+"/table.tb.zst")
			if _, err := table.Lookup(3, 0, 0); err != nil {
				t.Fatal(err)
			}
			if table.Identity() != file.Identity() {
				t.Error("it is another table")
			}
		})
	}
}

// A table that is replaced is noticed, whatever the server says of the files, and no answer
// mixes the two.
func TestTableChanges(t *testing.T) {
	for _, name := range names {
		for told, tell := range map[string]func(h http.Header, seed int){
			"nothing":   func(h http.Header, _ int) { h.Del("Last-Modified") },
			"ETag":      func(h http.Header, seed int) { h.Del("Last-Modified"); h.Set("ETag", `"`+strconv.Itoa(seed)+`"`) },
			"weak ETag": func(h http.Header, seed int) { h.Del("Last-Modified"); h.Set("ETag", `W/"`+strconv.Itoa(seed)+`"`) },
			"Last-Modified": func(h http.Header, seed int) {
				h.Set("Last-Modified", fmt.Sprintf("Mon, 02 Jan 2006 15:04:%02d GMT", seed))
			},
		} {
			t.Run(name+" "+told, func(t *testing.T) {
				dirs := []string{write(t, 1), write(t, 2)}
				var now atomic.Int64
				s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					answer := httptest.NewRecorder()
					r.Header.Del("If-Range")
					files(dirs[now.Load()]).ServeHTTP(answer, r)
					tell(answer.Header(), int(now.Load()))
					send(w, answer)
				}))
				table, file := open(t, s.URL+"/"+name), openFile(t, filepath.Join(dirs[0], name))
				now.Store(1)
				e, err := table.Lookup(3, 30, 5)
				if right, _ := file.Lookup(3, 30, 5); err == nil && e != right {
					t.Fatalf("an answer of neither: %v, not %v", e, right)
				}
				if err == nil {
					t.Fatal("it was not noticed")
				}
				checkSentence(t, err, s.URL+"/"+name)
				if told != "nothing" && !errors.Is(err, remote.ErrChanged) || !errors.Is(err, remote.ErrChanged) && !errors.Is(err, tablebase.ErrDamaged) {
					t.Errorf("%v", err)
				}
				if !errors.Is(err, remote.ErrChanged) {
					return
				}
				s.traffic()
				if _, err := table.Lookup(3, 3, 5); !errors.Is(err, remote.ErrChanged) {
					t.Errorf("asked again: %v", err)
				}
				if n, _ := s.traffic(); n != 0 {
					t.Errorf("asked again, it takes %d requests", n)
				}
			})
		}
	}
}

// Later requests are for the version that was opened: by its tag, but by its time where that is weak.
func TestConditions(t *testing.T) {
	const modified = "Mon, 02 Jan 2006 15:04:05 GMT"
	dir := write(t, 1)
	for _, c := range []struct{ etag, modified, want string }{
		{`"1"`, modified, `"1"`}, {`"1"`, "", `"1"`}, {`W/"1"`, modified, modified}, {"", modified, modified}, {`W/"1"`, "", ""}, {"", "", ""},
	} {
		s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answer := httptest.NewRecorder()
			plain := r.Clone(r.Context())
			plain.Header.Del("If-Range")
			files(dir).ServeHTTP(answer, plain)
			for name, value := range map[string]string{"ETag": c.etag, "Last-Modified": c.modified} {
				if answer.Header().Del(name); value != "" {
					answer.Header().Set(name, value)
				}
			}
			send(w, answer)
		}))
		table := open(t, s.URL+"/table.tb.zst")
		if _, err := table.Lookup(3, 3, 5); err != nil {
			t.Fatal(err)
		}
		s.lock.Lock()
		for i, r := range s.requests {
			if got := r.Header.Get("If-Range"); i > 0 && got != c.want {
				t.Errorf("with ETag %q and Last-Modified %q, request %d is for %q", c.etag, c.modified, i, got)
			}
		}
		if len(s.requests) < 2 {
			t.Error("there was one request alone")
		}
		s.lock.Unlock()
	}
}

// A server that looks at If-Range sends the whole file where that is another one.
func TestIfRange(t *testing.T) {
	dir, other := write(t, 1), write(t, 2)
	s := serve(t, files(dir))
	table := open(t, s.URL+"/table.tb.zst")
	for _, name := range names {
		if err := os.Rename(filepath.Join(other, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(filepath.Join(dir, name), longAgo, longAgo); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := table.Lookup(3, 3, 5); !errors.Is(err, remote.ErrChanged) {
		t.Error(err)
	}
}

// Bytes that are damaged, on the server or on the way, are never answered from.
func TestDamagedBytes(t *testing.T) {
	dir := write(t, 1)
	for _, name := range names {
		file := openFile(t, filepath.Join(dir, name))
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; at < len(data); at += len(data)/97 + 1 {
			damaged := bytes.Clone(data)
			damaged[at] ^= 0x55
			s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				http.ServeContent(w, r, name, longAgo, bytes.NewReader(damaged))
			}))
			table, err := remote.OpenQuickly(context.Background(), s.URL+"/"+name, answerTimeout, nil)
			for block := 0; block < 60 && err == nil; block++ {
				var e tablebase.Entry
				if e, err = table.Lookup(3, block, 99); err == nil {
					if right, _ := file.Lookup(3, block, 99); e != right {
						t.Fatalf("byte %d: %v, not %v", at, e, right)
					}
				}
			}
			if err != nil {
				if checkSentence(t, err, s.URL+"/"+name); !isBad(err) {
					t.Errorf("byte %d: %v", at, err)
				}
			}
			if table != nil {
				table.Close()
			}
			s.Close()
		}
	}
}

func isBad(err error) bool {
	for _, kind := range []error{tablebase.ErrDamaged, tablebase.ErrForeign, tablebase.ErrTruncated, tablebase.ErrNewer} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// What ends the context, or closes the table, ends what is being read.
func TestReadingEnds(t *testing.T) {
	dir := write(t, 1)
	enough := errors.New("enough")
	for name, c := range map[string]struct {
		end  func(cancel context.CancelCauseFunc, table *reader.Table)
		want error
	}{
		"context": {func(cancel context.CancelCauseFunc, _ *reader.Table) { cancel(enough) }, enough},
		"closed":  {func(_ context.CancelCauseFunc, table *reader.Table) { table.Close() }, tablebase.ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			var silent atomic.Bool
			asked := make(chan bool, 100)
			s := serve(t, tampered(dir, func(w http.ResponseWriter, r *http.Request, answer *httptest.ResponseRecorder) {
				if silent.Load() {
					asked <- true
					<-r.Context().Done()
					return
				}
				send(w, answer)
			}))
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			table, err := remote.OpenQuickly(ctx, s.URL+"/table.tb.zst", answerTimeout, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer table.Close()
			silent.Store(true)
			go func() {
				<-asked
				c.end(cancel, table)
			}()
			if _, err := table.Lookup(3, 30, 5); !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
		})
	}
}
