package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
	"backsolve/tablebase/writer"
)

// query runs tbquery.
func query(t *testing.T, stdin string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := exec.Command("tbquery", args...)
	var out, complaint bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &complaint
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), complaint.String(), cmd.ProcessState.ExitCode()
}

// The directory of the tables may be one on a web server: answers are the same, one at a
// time and line by line, and so are the exit statuses.
func TestTablesOnAWebServer(t *testing.T) {
	rules := probetest.Rules(t, "quixo", 3)
	dir := t.TempDir()
	probetest.Solve(t, dir, rules, 0, true)
	path := filepath.Join(dir, probe.FileName(rules.Info()))
	packed, err := writer.Pack(context.Background(), path, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	site := t.TempDir()
	if err := os.Rename(packed, filepath.Join(site, filepath.Base(packed))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(site, "notakto-3x3.tb.zst"), []byte("not a table"), 0o644); err != nil {
		t.Fatal(err)
	}
	var whole atomic.Bool // it answers no ranges
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if whole.Load() {
			r.Header.Del("Range")
		}
		http.FileServerFS(os.DirFS(site)).ServeHTTP(w, r)
	}))
	defer s.Close()
	for _, c := range []struct {
		stdin string
		args  []string
	}{
		{"", []string{"quixo", "3", "X.O/.X./..O o"}},
		{"", []string{"quixo", "3", "X.O/.X./..O o", "--line", "--json"}},
		{".../.../...\nnonsense\nX.O/.X./..O o\n", []string{"quixo", "3"}},
	} {
		want, wantSaid, wantStatus := query(t, c.stdin, append(c.args, "--dir", dir)...)
		got, said, status := query(t, c.stdin, append(c.args, "--dir", s.URL)...)
		if got != want || said != wantSaid || status != wantStatus || want == "" {
			t.Errorf("%q: %q, %q, %d, want %q, %q, %d", c.args, got, said, status, want, wantSaid, wantStatus)
		}
	}
	// The address of a table stands for its board.
	want, _, _ := query(t, "", "quixo", "3", "X.O/.X./..O o", "--dir", dir)
	if got, said, status := query(t, "", s.URL+"/quixo-3x3.tb.zst", "X.O/.X./..O o"); got != want || status != 0 {
		t.Errorf("%q, %q, %d, want %q", got, said, status, want)
	}
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"quixo", "2", "../..", "--think", "0"}, 3, "there is no table of quixo 2×2 in " + s.URL + "\nhint: make it with: tbsolve quixo 2 --packed"},
		{[]string{"notakto", "3", ".../.../..."}, 4, s.URL + "/notakto-3x3.tb.zst: not a backsolve table"},
	} {
		if out, said, status := query(t, "", append(c.args, "--dir", s.URL)...); out != "" || status != c.status || !strings.Contains(said, c.says) {
			t.Errorf("%q: %q, %q, %d", c.args, out, said, status)
		}
	}
	whole.Store(true)
	if _, said, status := query(t, "", "quixo", "3", ".../.../...", "--dir", s.URL); status != 1 || !strings.Contains(said, "the server does not answer range requests") {
		t.Errorf("a server without ranges: %q, %d", said, status)
	}
}
