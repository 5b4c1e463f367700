package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A range of a file is served, what lies beside the directory is not, and the end of the
// context ends it.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "ten"), []byte("0123456789"), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	said, say := io.Pipe()
	cmd := newCommand()
	cmd.SetArgs([]string{dir, "--listen", "127.0.0.1:0"})
	cmd.SetErr(say)
	var log bytes.Buffer
	cmd.SetOut(&log)
	done := make(chan error)
	go func() { done <- cmd.ExecuteContext(ctx) }()
	line, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address := regexp.MustCompile(`http://\S+/`).FindString(line)
	for _, c := range []struct {
		path, span, want string
		status           int
	}{
		{"ten", "bytes=3-5", "345", http.StatusPartialContent},
		{"ten", "", "0123456789", http.StatusOK},
		{"../" + filepath.Base(dir) + "/ten", "", "", http.StatusNotFound},
	} {
		r, err := http.NewRequest(http.MethodGet, address+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.span != "" {
			r.Header.Set("Range", c.span)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != c.status || c.want != "" && string(body) != c.want {
			t.Errorf("%s %s: %s, %q, %v", c.path, c.span, answer.Status, body, err)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if want := "GET /ten bytes=3-5 206 3\nGET /ten - 200 10\n"; !strings.HasPrefix(log.String(), want) {
		t.Errorf("%q is logged", &log)
	}
}

func TestRefusals(t *testing.T) {
	for _, args := range [][]string{{}, {"a", "b"}, {filepath.Join(t.TempDir(), "nowhere")}} {
		cmd := newCommand()
		cmd.SetArgs(args)
		cmd.SetErr(io.Discard)
		cmd.SetOut(io.Discard)
		if err := cmd.ExecuteContext(t.Context()); err == nil {
			t.Errorf("%q is served", args)
		}
	}
}
