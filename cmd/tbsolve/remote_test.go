package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
	"backsolve/tablebase/writer"
)

// run runs tbsolve.
func run(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := exec.Command("tbsolve", args...)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), complaint.String(), cmd.ProcessState.ExitCode()
}

// The commands read the table of a game that is defined by its positions on a web server as they read
// the file.
func TestGamesOnAWebServer(t *testing.T) {
	dir := t.TempDir()
	s := httptest.NewServer(http.FileServerFS(os.DirFS(dir)))
	defer s.Close()
	if _, said, status := run(t, "hounds", "--quiet", "--dir", dir); status != 0 {
		t.Fatal(said)
	}
	for _, packed := range []bool{false, true} {
		if path := filepath.Join(dir, "hounds.tb"); packed {
			if _, said, status := run(t, "pack", path, "--quiet"); status != 0 || os.Remove(path) != nil {
				t.Fatal(said)
			}
		}
		for _, args := range [][]string{{"info", "--json"}, {"export"}, {"verify", "--quiet"}} {
			want, _, _ := run(t, append([]string{args[0], "hounds", "--dir", dir}, args[1:]...)...)
			file := s.URL + "/hounds.tb"
			if packed {
				file += ".zst"
			}
			for _, place := range [][]string{{args[0], "hounds", "--dir", s.URL}, {args[0], file}} {
				got, said, status := run(t, append(place, args[1:]...)...)
				if got = strings.ReplaceAll(got, s.URL, dir); got != want || said != "" || status != 0 || want == "" {
					t.Errorf("%v: %s%s, want %s", place, got, said, want)
				}
			}
		}
	}
}

// info and export read a table on a web server as they read the file; commands that need a
// file say so.
func TestTablesOnAWebServer(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector")
	}
	rules, dir := probetest.Rules(t, "quixo", 3), t.TempDir()
	probetest.Solve(t, dir, rules, 0, true)
	plain := filepath.Join(dir, probe.FileName(rules.Info()))
	packed, err := writer.Pack(t.Context(), plain, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(plain); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.FileServerFS(os.DirFS(dir)))
	defer s.Close()
	file := s.URL + "/" + filepath.Base(packed)

	for _, args := range [][]string{
		{"info", "quixo", "3", "--by", "class,steps"},
		{"info", "quixo", "3", "--json"},
		{"export", "quixo", "3"},
		{"export", "quixo", "3", "--sample", "50", "--json"},
		{"export", "quixo", "3", "--class", "4", "--moves=false"},
	} {
		want, _, _ := run(t, append(args, "--dir", dir)...)
		for _, place := range [][]string{{args[0], args[1], args[2], "--dir", s.URL}, {args[0], file}} {
			got, said, status := run(t, append(place, args[3:]...)...)
			if got = strings.ReplaceAll(got, s.URL, dir); got != want || said != "" || status != 0 || want == "" {
				t.Errorf("%q: %q, %q, %d, want %q", append(place, args[3:]...), got, said, status, want)
			}
		}
	}
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"info", "quixo", "2", "--dir", s.URL}, 3, "there is no table of quixo 2×2 in " + s.URL + "\nhint: make it with: tbsolve quixo 2 --packed"},
		{[]string{"info", s.URL + "/quixo-2x2.tb"}, 3, s.URL + "/quixo-2x2.tb"},
		{[]string{"verify", "quixo", "3", "--dir", s.URL}, 2, s.URL + " is on a web server, which this command does not support; give a local directory with --dir"},
		{[]string{"pack", "quixo", "3", "--dir", s.URL}, 2, s.URL + " is on a web server"},
		{[]string{"unpack", "quixo", "3", "--dir", s.URL}, 2, s.URL + " is on a web server"},
		{[]string{"verify", file}, 2, file + " is on a web server, which only tbsolve info and tbsolve export support; get it with tbsolve fetch, and give its path"},
		{[]string{"unpack", file}, 2, file + " is on a web server"},
	} {
		if out, said, status := run(t, c.args...); out != "" || status != c.status || !strings.Contains(said, c.says) {
			t.Errorf("%q: %q, %q, %d", c.args, out, said, status)
		}
	}
}
