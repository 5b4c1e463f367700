package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"backsolve/cmd/cli"
	"backsolve/probe"
	"backsolve/tools/load/abuse"
	"backsolve/tools/load/measure"
)

// The test binary is its own constant handler, as load is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == constantName {
		main()
		return
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

// tbserve builds the true server.
func tbserve(t *testing.T) string {
	program := filepath.Join(t.TempDir(), "tbserve")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	build := exec.Command("go", "build", "-o", program, "./cmd/tbserve")
	build.Dir = filepath.Join("..", "..") // in the module of the program
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("tbserve cannot be built: %v: %s", err, out)
	}
	return program
}

// load runs the command and returns what it prints.
func load(t *testing.T, args ...string) (string, error) {
	t.Helper()
	cmd := newCommand()
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	var out bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetErr(io.Discard)
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

var tiny = []string{"--board", "notakto-4", "--positions", "300", "--batch", "50", "--rounds", "2", "--round-time", "50ms", "--requests", "500"}

// The true server answers all that is asked, and as the table says.
func TestMeasure(t *testing.T) {
	program := tbserve(t)
	out, err := load(t, append(tiny, "--tbserve", program, "--json")...)
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var r measure.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if !r.OK() || r.Checked < 300 || len(r.Workloads) != 4 || r.Table != "notakto 4×4" {
		t.Errorf("%+v", r)
	}
	for _, w := range r.Workloads {
		if w.Served.Answers == 0 || w.Constant.Answers == 0 || runtime.GOOS == "linux" && (w.Served.CPU == nil || w.Constant.CPU == nil) {
			t.Errorf("%s: %+v", w.Name, w)
		}
	}
	if m := r.Memory; len(m) == 0 || m[len(m)-1].Requests != 500 || m[0].Heap == 0 {
		t.Errorf("memory %+v", m)
	}

	out, err = load(t, "abuse", "paths", "malformed JSON", "wrong tokens", "--tbserve", program, "--json")
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
	var attacked abuse.Report
	if err := json.Unmarshal([]byte(out), &attacked); err != nil {
		t.Fatal(err)
	}
	if len(attacked.Attacks) != 3 || !attacked.OK() {
		t.Errorf("%+v", attacked)
	}
}

// A running server is measured by its address; one that is no tbserve fails.
func TestURL(t *testing.T) {
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	asked := false
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Header.Get("Authorization") == "Bearer secret"
		http.NotFound(w, r)
	}))
	defer s.Close()
	_, err := load(t, append(tiny, "--connections", "1", "--url", s.URL, "--token-file", token)...)
	if err == nil || !strings.Contains(err.Error(), "status 404") || !asked {
		t.Errorf("error %v, the token was shown: %t", err, asked)
	}
}

func TestUsage(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "tbserve")
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--board", "quixo"}, "like quixo-4"},
		{[]string{"--board", "quixo-x"}, "size of a board"},
		{[]string{"--board", "chess-8"}, "chess"},
		{[]string{"--board", "quixo-5"}, "--dir"},
		{[]string{"--rounds", "0"}, "--rounds"},
		{[]string{"--connections", "-1"}, "--connections"},
		{[]string{"--round-time", "0s"}, "--round-time"},
		{[]string{"--requests", "-1"}, "--requests"},
		{[]string{"--token-file", "x"}, "--url"},
		{[]string{"--url", "localhost:8080"}, "http://127.0.0.1:8080"},
		{[]string{"--url", "https://localhost:8080"}, "http://127.0.0.1:8080"},
		{[]string{"--board", "notakto-3", "--tbserve", missing}, "make build"},
		{[]string{"abuse", "nonsense"}, "is no attack"},
		{[]string{"abuse", "--tbserve", missing}, "make build"},
		{[]string{constantName, "--sizes", "position=-1"}, "--sizes"},
		{[]string{constantName, "--header", "Vary"}, "--header"},
	} {
		out, err := load(t, c.args...)
		if _, ok := errors.AsType[*cli.UsageError](err); !ok || !strings.Contains(err.Error(), c.says) || out != "" {
			t.Errorf("%q: error %v, want one of usage that says %q; printed %q", c.args, err, c.says, out)
		}
	}
}

func TestMissingTable(t *testing.T) {
	_, err := load(t, "--board", "quixo-5", "--dir", t.TempDir())
	if _, ok := errors.AsType[*probe.MissingError](err); !ok {
		t.Errorf("error %v", err)
	}
}

// The constant handler reads what is sent and answers with as much as it was
// told.
func TestConstant(t *testing.T) {
	h, err := newConstant(map[string]int{"position": 900, "positions": 5})
	if err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]int{"/v1/quixo/4/position?p=X": 900, "/v1/quixo/4/positions": 5, "/readyz": 0} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", target, strings.NewReader("body")))
		if w.Code != 200 || w.Body.Len() != want {
			t.Errorf("%s: status %d, %d bytes, want %d", target, w.Code, w.Body.Len(), want)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/v1/quixo/4/line", nil))
	if w.Code != 404 {
		t.Errorf("status %d of an address without a size", w.Code)
	}
}

// With headers it has those in each answer, beside its own.
func TestConstantWithHeaders(t *testing.T) {
	c, err := newConstant(map[string]int{"position": 900})
	if err != nil {
		t.Fatal(err)
	}
	h, err := withHeaders(c, []string{"vary: Accept-Encoding", "Cache-Control: public, no-cache"})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/v1/quixo/4/position", nil))
		for name, want := range map[string]string{
			"Vary": "Accept-Encoding", "Cache-Control": "public, no-cache", "Content-Length": "900", "Content-Type": "application/json",
		} {
			if got := w.Header().Values(name); len(got) != 1 || got[0] != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		if w.Body.Len() != 900 {
			t.Errorf("%d bytes", w.Body.Len())
		}
	}
}
