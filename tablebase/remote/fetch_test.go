//go:build !js

package remote_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"backsolve/internal/durable"
	"backsolve/tablebase"
	"backsolve/tablebase/remote"
)

// fetchFrom returns the fetch of a served file to a new directory, and what the file holds.
func fetchFrom(t *testing.T, h http.Handler, file string) (c *remote.Fetch, s *site, want []byte) {
	t.Helper()
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s = serve(t, h)
	sum := sha256.Sum256(want)
	return &remote.Fetch{Address: s.URL + "/" + filepath.Base(file), Path: filepath.Join(t.TempDir(), "copy.tb"), Sum: sum[:]}, s, want
}

// long writes a file of several requests and an odd length.
func long(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "table.tb")
	b := bytes.Repeat([]byte("0123456789abcdefg"), 5<<20/17+9)
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func wantFile(t *testing.T, path string, want []byte) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s has %d bytes, %v; want %d others", path, len(got), err, len(want))
	}
}

func wantNone(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is there, %v", path, err)
	}
}

// A fetch whose connection is cut leaves nothing under the file's name. The next one fetches
// only the rest.
func TestFetchResumes(t *testing.T) {
	file := long(t)
	var broken atomic.Bool
	broken.Store(true)
	c, s, want := fetchFrom(t, tampered(filepath.Dir(file), func(w http.ResponseWriter, r *http.Request, a *httptest.ResponseRecorder) {
		if broken.Load() && strings.HasPrefix(r.Header.Get("Range"), "bytes=3145728-") {
			cut(w, a)
		}
		send(w, a)
	}), file)
	err := remote.FetchQuickly(t.Context(), c)
	checkSentence(t, err, c.Address)
	wantNone(t, c.Path)
	wantFile(t, c.Path+remote.PartSuffix, want[:3<<20])
	s.traffic()
	broken.Store(false)
	var done, total int64
	c.Progress = func(e tablebase.Event) { done, total = int64(e.Done), int64(e.Total) }
	if err := remote.FetchQuickly(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	wantFile(t, c.Path, want)
	wantNone(t, c.Path+remote.PartSuffix)
	if _, sent := s.traffic(); sent > int64(len(want)-3<<20+32<<10) || done != total || total != int64(len(want)) {
		t.Errorf("%d bytes were sent, %d of %d done", sent, done, total)
	}
}

// A part that is the whole file, or all of it but a byte, is not fetched again.
func TestFetchIsDone(t *testing.T) {
	for _, lacks := range []int{0, 1} {
		file := long(t)
		c, s, want := fetchFrom(t, files(filepath.Dir(file)), file)
		if err := os.WriteFile(c.Path+remote.PartSuffix, want[:len(want)-lacks], 0o644); err != nil {
			t.Fatal(err)
		}
		s.traffic()
		if err := remote.FetchQuickly(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		wantFile(t, c.Path, want)
		if _, sent := s.traffic(); sent > 64<<10 {
			t.Errorf("%d bytes are sent where %d were missing", sent, lacks)
		}
	}
}

// If the first part of a fetched file was damaged on this disk, it is fetched again; the server is not
// blamed.
func TestFetchRenews(t *testing.T) {
	for _, listed := range []bool{true, false} {
		file := long(t)
		c, s, want := fetchFrom(t, files(filepath.Dir(file)), file)
		if !listed {
			c.Sum, c.Check = nil, func(path string) error {
				if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
					return tablebase.ErrDamaged
				}
				return nil
			}
		}
		part := bytes.Clone(want[:2<<20])
		part[1<<20] ^= 1
		if err := os.WriteFile(c.Path+remote.PartSuffix, part, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := remote.FetchQuickly(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		wantFile(t, c.Path, want)
		if _, sent := s.traffic(); sent > int64(len(want)+32<<10) {
			t.Errorf("%d bytes were sent for %d", sent, len(want))
		}
	}
}

// A part of another file, or one that is longer, is fetched anew.
func TestFetchStartsOver(t *testing.T) {
	for _, part := range [][]byte{[]byte("of another file"), bytes.Repeat([]byte("x"), 6<<20)} {
		file := long(t)
		c, _, want := fetchFrom(t, files(filepath.Dir(file)), file)
		if err := os.WriteFile(c.Path+remote.PartSuffix, part, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := remote.FetchQuickly(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		wantFile(t, c.Path, want)
	}
}

// What is wrong gets no name, and an older file stays.
func TestFetchRefuses(t *testing.T) {
	file := long(t)
	later := func(do func(w http.ResponseWriter, r *http.Request, a *httptest.ResponseRecorder)) http.Handler {
		return tampered(filepath.Dir(file), func(w http.ResponseWriter, r *http.Request, a *httptest.ResponseRecorder) {
			if !strings.HasPrefix(r.Header.Get("Range"), "bytes=0-") {
				do(w, r, a)
			}
			send(w, a)
		})
	}
	plain := files(filepath.Dir(file))
	refused := errors.New("another board")
	for _, c := range []struct {
		name   string
		server http.Handler
		change func(c *remote.Fetch)
		want   error
		says   string
		part   bool // whether it stays
	}{
		{"wrong sum", plain, func(c *remote.Fetch) { c.Sum = bytes.Repeat([]byte{1}, 32) }, remote.ErrSum, "not 0101", false},
		{"damage", plain, func(c *remote.Fetch) { c.Check = func(string) error { return tablebase.ErrDamaged } }, tablebase.ErrDamaged, "", false},
		{"check", plain, func(c *remote.Fetch) { c.Check = func(string) error { return refused } }, refused, "", true},
		{"changed", later(func(_ http.ResponseWriter, _ *http.Request, a *httptest.ResponseRecorder) {
			a.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
		}), nil, remote.ErrChanged, "Last-Modified", true},
		{"a page", later(func(_ http.ResponseWriter, _ *http.Request, a *httptest.ResponseRecorder) {
			a.Code = 200
			a.Header().Set("Content-Type", "text/html")
		}), nil, remote.ErrNoRanges, "text/html", true},
		{"longer", later(func(_ http.ResponseWriter, r *http.Request, a *httptest.ResponseRecorder) {
			a.Header().Set("Content-Range", strings.Replace(a.Header().Get("Content-Range"), "/", "/9", 1))
		}), nil, remote.ErrChanged, "bytes, and had", true},
		{"gone", http.NotFoundHandler(), nil, fs.ErrNotExist, "404", false},
		{"file:", http.RedirectHandler("file:///etc/passwd", http.StatusFound), nil, nil, "not on a web server", false},
		{"ftp:", http.RedirectHandler("ftp://localhost/x", http.StatusFound), nil, nil, "not on a web server", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, s, _ := fetchFrom(t, c.server, file)
			if err := os.WriteFile(f.Path, []byte("older"), 0o644); err != nil {
				t.Fatal(err)
			}
			if c.change != nil {
				c.change(f)
			}
			err := remote.FetchQuickly(t.Context(), f)
			if err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %v: %s", err, c.want, c.says)
			}
			wantFile(t, f.Path, []byte("older"))
			if _, err := os.Stat(f.Path + remote.PartSuffix); (err == nil) != c.part {
				t.Errorf("part: %v, want %v", err, c.part)
			}
			if n, _ := s.traffic(); strings.HasSuffix(c.name, ":") && n != 1 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// A link in the place of the part is refused; one in the place of the file is replaced.
func TestFetchFollowsNoLinks(t *testing.T) {
	file := long(t)
	c, _, want := fetchFrom(t, files(filepath.Dir(file)), file)
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, plant := range []func(victim, path string) error{os.Symlink, os.Link} {
		if err := plant(victim, c.Path+remote.PartSuffix); err != nil {
			t.Fatal(err)
		}
		if err := remote.FetchQuickly(t.Context(), c); !errors.Is(err, durable.ErrNotOurs) {
			t.Errorf("%v", err)
		}
		wantFile(t, victim, []byte("mine"))
		os.Remove(c.Path + remote.PartSuffix)
	}
	if err := os.Symlink(victim, c.Path); err != nil {
		t.Fatal(err)
	}
	if err := remote.FetchQuickly(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	wantFile(t, victim, []byte("mine"))
	wantFile(t, c.Path, want)
}

// Two fetches of a file do not mix.
func TestFetchIsAlone(t *testing.T) {
	file := long(t)
	c, _, _ := fetchFrom(t, files(filepath.Dir(file)), file)
	lock, err := durable.Lock(c.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Unlock()
	if err := remote.FetchQuickly(t.Context(), c); !errors.Is(err, durable.ErrHeld) {
		t.Error(err)
	}
}

// ReadFile reads small files only.
func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	for name, length := range map[string]int{"most": 1 << 20, "more": 1<<20 + 1} {
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, length), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := serve(t, files(dir))
	if b, err := remote.ReadFile(t.Context(), s.URL+"/most"); err != nil || len(b) != 1<<20 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if _, err := remote.ReadFile(t.Context(), s.URL+"/more"); !errors.Is(err, remote.ErrAnswer) {
		t.Error(err)
	}
	if _, err := remote.ReadFile(t.Context(), s.URL+"/none"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(fmt.Sprint(err))
	}
}
