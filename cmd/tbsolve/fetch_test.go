package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"backsolve/cmd/cli"
	"backsolve/internal/probe/probetest"
)

// publishTables returns a directory of small tables that were published.
func publishTables(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	probetest.Solve(t, dir, probetest.Rules(t, "quixo", 3), 0, true)
	probetest.Solve(t, dir, probetest.Rules(t, "notakto", 3), 0, false)
	for _, args := range [][]string{{"hounds", "--quiet", "--dir", dir}, {"publish", dir, "--licence", "CC0-1.0", "--quiet"}} {
		if status, says := runHere(t, args...); status != 0 {
			t.Fatal(says)
		}
	}
	return dir
}

// slow limits what a server sends to a number of bytes a second, and counts it.
type slow struct {
	http.ResponseWriter
	perSecond int64
	sent      *atomic.Int64
}

func (s slow) Write(b []byte) (int, error) {
	s.sent.Add(int64(len(b)))
	time.Sleep(time.Duration(int64(len(b)) * int64(time.Second) / s.perSecond))
	return s.ResponseWriter.Write(b)
}

// TestFetch gets published tables from a server of 50 MB/s. Little more than each file is sent:
// 2.7 GB take some 54 s, which leaves time for the first lookup within a minute.
func TestFetch(t *testing.T) {
	from, to := publishTables(t), t.TempDir()
	sent := new(atomic.Int64)
	files := http.FileServerFS(os.DirFS(from))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		files.ServeHTTP(slow{w, 50_000_000, sent}, r)
	}))
	defer s.Close()
	for _, args := range [][]string{{s.URL, "quixo", "3"}, {s.URL + "/notakto-3x3.tb.zst"}, {s.URL + "/hounds.tb.zst?token=secret"}} {
		sent.Store(0)
		status, says := runHere(t, append(append([]string{"fetch"}, args...), "--quiet", "--dir", to)...)
		name, _, _ := strings.Cut(filepath.Base(says), ":")
		want, err := os.ReadFile(filepath.Join(from, name))
		if err != nil || status != 0 || strings.Contains(says, "secret") || !strings.Contains(says, "; its SHA-256 is that of SHA256SUMS") {
			t.Fatal(status, says)
		}
		got, err := os.ReadFile(filepath.Join(to, name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%v: %d bytes, %v", args, len(got), err)
		}
		if most := int64(len(want)) + 200<<10; sent.Load() > most {
			t.Errorf("%v: %d bytes were sent, at most %d are needed", args, sent.Load(), most)
		}
	}
	if status, says := runHere(t, "info", "quixo", "3", "--dir", to); status != 0 || !strings.Contains(says, "win in 7") {
		t.Error(says)
	}
	// Without sums, the checksums of the table are checked.
	os.Remove(filepath.Join(from, sumsName))
	if status, says := runHere(t, "fetch", s.URL, "quixo", "3", "--quiet", "--dir", t.TempDir()); status != 0 || !strings.Contains(says, "the checksums in the table hold") {
		t.Error(says)
	}
}

// TestFetchRefuses has servers with wrong files: none gets a name.
func TestFetchRefuses(t *testing.T) {
	from := publishTables(t)
	sums := func(change func(text string) string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, sumsName)
			text, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, []byte(change(string(text))), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	rename := func(a, b string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			if err := os.Rename(filepath.Join(dir, a), filepath.Join(dir, b)); err != nil {
				t.Fatal(err)
			}
		}
	}
	const name = "quixo-3x3.tb.zst"
	for _, c := range []struct {
		name   string
		change func(t *testing.T, dir string)
		args   string
		status int
		says   string
	}{
		{"wrong sum", sums(func(text string) string { return strings.ReplaceAll(text, "0", "1") }), "quixo 3", cli.StatusFailed, "has another SHA-256 than published: it is "},
		{"not listed", sums(func(string) string { return "none\n" }), "quixo 3", cli.StatusFailed, "SHA256SUMS does not list " + name},
		{"no such table", nil, "quixo 2", cli.StatusNoTable, "404"},
		{"another board", rename("notakto-3x3.tb.zst", name), "quixo 3", cli.StatusBadTable, "it holds notakto-3x3.tb"},
		{"another game", rename("hounds.tb.zst", name), "quixo 3", cli.StatusBadTable, "it holds hounds.tb"},
		{"no table", rename("README.md", name), "quixo 3", cli.StatusBadTable, "not a backsolve table"},
		{"identity", nil, "quixo 3 --identity 00ff", cli.StatusFailed, "has the identity "},
		{"damage without sums", func(t *testing.T, dir string) {
			path := filepath.Join(dir, name)
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			b[len(b)/2] ^= 1
			os.Remove(filepath.Join(dir, sumsName))
			if err := os.WriteFile(path, b, 0o644); err != nil {
				t.Fatal(err)
			}
		}, "quixo 3", cli.StatusBadTable, "damaged"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, to := t.TempDir(), t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
				t.Fatal(err)
			}
			if c.change != nil {
				c.change(t, dir)
			}
			s := httptest.NewServer(http.FileServerFS(os.DirFS(dir)))
			defer s.Close()
			args := append([]string{"fetch", s.URL}, strings.Fields(c.args)...)
			status, says := runHere(t, append(args, "--quiet", "--dir", to)...)
			if status != c.status || !strings.Contains(says, c.says) {
				t.Errorf("status %d: %s", status, says)
			}
			if left, _ := os.ReadDir(to); len(left) > 0 {
				t.Errorf("%v is left", left)
			}
		})
	}
}

// TestPublishLeavesOthersFiles has files of others in the place of those that publish writes.
func TestPublishLeavesOthersFiles(t *testing.T) {
	dir := publishTables(t)
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	sums := filepath.Join(dir, sumsName)
	os.Remove(sums)
	if err := os.Symlink(victim, sums); err != nil {
		t.Fatal(err)
	}
	if status, says := runHere(t, "publish", dir, "--licence", "MIT", "--quiet"); status != 0 {
		t.Error(says)
	}
	if b, err := os.ReadFile(victim); string(b) != "mine" {
		t.Errorf("the victim is %q, %v", b, err)
	}
	card := filepath.Join(dir, cardName)
	if err := os.WriteFile(card, []byte("# Mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if status, says := runHere(t, "publish", dir, "--licence", "MIT", "--quiet"); status != cli.StatusFailed || !strings.Contains(says, "was not written by tbsolve publish") {
		t.Error(status, says)
	}
	if b, err := os.ReadFile(card); string(b) != "# Mine" {
		t.Errorf("the card is %q, %v", b, err)
	}
}
