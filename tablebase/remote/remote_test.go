//go:build !js

package remote_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"backsolve/tablebase/reader"
	"backsolve/tablebase/remote"
)

// names are the table and the table packed.
var names = []string{"table.tb", "table.tb.zst"}

func openFile(t testing.TB, path string) *reader.Table {
	t.Helper()
	table, err := reader.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return table
}

// A table on a server is the same as in a file, and messages have its address.
func TestTableIsTheFile(t *testing.T) {
	dir := write(t, 1)
	s := serve(t, files(dir))
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			table := open(t, s.URL+"/"+name)
			if table.Path() != s.URL+"/"+name {
				t.Errorf("it is called %s", table.Path())
			}
			file := openFile(t, filepath.Join(dir, name))
			same(t, table, file)
			if err := table.Verify(t.Context(), 1, nil); err != nil {
				t.Error(err)
			}
		})
	}
}

// Opening takes two requests, looking up a state one or two more, none where it was done
// before; and no more of the file than that takes.
func TestRequestsAreFew(t *testing.T) {
	dir := write(t, 1)
	s := serve(t, files(dir))
	const chunk, head, tail = 64 << 10, 8 << 10, 64 << 10
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			table := open(t, s.URL+"/"+name)
			if n, bytes := s.traffic(); n > 2 || bytes > head+tail {
				t.Errorf("opening it took %d requests and %d bytes", n, bytes)
			}
			for _, block := range []int{3, 31, 59} {
				if _, err := table.Lookup(3, block, 77); err != nil {
					t.Fatal(err)
				}
				if n, bytes := s.traffic(); n > 2 || bytes > 3*chunk {
					t.Errorf("a lookup took %d requests and %d bytes", n, bytes)
				}
				if _, err := table.Lookup(3, block, 78); err != nil {
					t.Fatal(err)
				}
				if n, _ := s.traffic(); n != 0 {
					t.Errorf("its neighbour took %d requests", n)
				}
			}
		})
	}
}

// Concurrent readers share what is fetched.
func TestRequestsAreShared(t *testing.T) {
	dir := write(t, 1)
	s := serve(t, files(dir))
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			table, file := open(t, s.URL+"/"+name), openFile(t, filepath.Join(dir, name))
			s.traffic()
			var group sync.WaitGroup
			for range 8 {
				group.Go(func() { same(t, table, file) })
			}
			group.Wait()
			if _, bytes := s.traffic(); bytes > file.Bytes() {
				t.Errorf("of a table of %d bytes %d were fetched", file.Bytes(), bytes)
			}
		})
	}
}

// Requests want the bytes as they are, and only if the file is the one that was opened.
func TestRequestHeaders(t *testing.T) {
	s := serve(t, files(write(t, 1)))
	table := open(t, s.URL+"/table.tb.zst?key=1")
	if _, err := table.Lookup(3, 3, 77); err != nil {
		t.Fatal(err)
	}
	for i, r := range s.requests {
		if r.Method != http.MethodGet || r.Header.Get("Range") == "" || r.Header.Get("Accept-Encoding") != "identity" ||
			(r.Header.Get("If-Range") != "") != (i > 0) || r.URL.RawQuery != "key=1" {
			t.Errorf("request %d: %s %s %v", i, r.Method, r.URL, r.Header)
		}
	}
	if len(s.requests) < 3 {
		t.Errorf("%d requests", len(s.requests))
	}
}

// Redirects are followed, with a password only to where it was meant for.
func TestRedirects(t *testing.T) {
	dir := write(t, 1)
	s := serve(t, files(dir))
	front := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "me" || password != "secret" {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		http.Redirect(w, r, "http://localhost:"+s.Listener.Addr().String()[len("127.0.0.1:"):]+r.URL.Path, http.StatusFound)
	}))
	table := open(t, "http://me:secret@"+front.Listener.Addr().String()+"/table.tb.zst")
	same(t, table, openFile(t, filepath.Join(dir, "table.tb.zst")))
	for _, r := range s.requests {
		if r.Header.Get("Authorization") != "" {
			t.Error("the password was sent on")
		}
	}
}

// A table that has no server, no address or no such name.
func TestAddresses(t *testing.T) {
	for _, address := range []string{"", "table.tb", "https://", "ftp://example.org/table.tb", "http://exa mple.org/", "https:/example.org/table.tb"} {
		if _, err := remote.Open(t.Context(), address); err == nil || errors.Is(err, os.ErrNotExist) {
			t.Errorf("%q: %v", address, err)
		}
	}
}
