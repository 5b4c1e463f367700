package child

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// The test binary is the server that it starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "server" {
		serve(os.Args[2], os.Args[len(os.Args)-1])
		return
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

// serve ends with 0 after SIGTERM, or with 3 where it is told to be rude.
func serve(manner, addr string) {
	fmt.Fprintln(os.Stderr, "the server says its manner is", manner)
	if manner == "broken" {
		os.Exit(1)
	}
	http.HandleFunc("/readyz", func(http.ResponseWriter, *http.Request) {})
	stopped := make(chan os.Signal, 1)
	signal.Notify(stopped, syscall.SIGTERM)
	go http.ListenAndServe(addr, nil)
	<-stopped
	if manner == "rude" {
		os.Exit(3)
	}
}

func start(t *testing.T, manner string) (*Process, error) {
	p, err := Start(t.Context(), os.Args[0], "server", manner)
	if err == nil {
		t.Cleanup(p.Kill)
	}
	return p, err
}

func TestStartStop(t *testing.T) {
	p, err := start(t, "polite")
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := CPU(p.Pid()); ok != (runtime.GOOS == "linux") {
		t.Errorf("the CPU of the process is known: %t", ok)
	}
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
	if _, err := http.Get("http://" + p.Addr + "/readyz"); err == nil {
		t.Error("it answers after it was stopped")
	}
	if _, ok := CPU(p.Pid()); ok {
		t.Error("the CPU of an ended process is known")
	}
	if err := p.Stop(); err != nil {
		t.Errorf("stopped again: %v", err)
	}
}

func TestRudeEnd(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no SIGTERM")
	}
	p, err := start(t, "rude")
	if err != nil {
		t.Fatal(err)
	}
	err = p.Stop()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 3 || !strings.Contains(err.Error(), "its manner is rude") {
		t.Errorf("error %v", err)
	}
}

func TestNotReady(t *testing.T) {
	if _, err := start(t, "broken"); err == nil || !strings.Contains(err.Error(), "its manner is broken") {
		t.Errorf("error %v", err)
	}
	if _, err := Start(t.Context(), "nowhere/tbserve"); err == nil {
		t.Error("a program that is not there was started")
	}
}

func TestTail(t *testing.T) {
	var s tail
	for i := range 10_000 {
		fmt.Fprintf(&s, "%d\n", i)
	}
	if text := s.String(); len(text) > tailSize || !strings.HasSuffix(text, "\n9998\n9999") {
		t.Errorf("%d bytes, the end %q", len(text), text[max(len(text)-20, 0):])
	}
}

func TestScrape(t *testing.T) {
	text := "# HELP x y\nprocess_cpu_seconds_total 1.5\nprocess_resident_memory_bytes 2e+07\ngo_memstats_heap_inuse_bytes 3e+06\ngo_goroutines 7\nbacksolve_http_requests_in_flight 3\n"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer t" {
			w.WriteHeader(http.StatusUnauthorized)
		}
		io.WriteString(w, text)
	}))
	defer s.Close()
	addr := s.Listener.Addr().String()
	u, err := Scrape(context.Background(), addr, "t")
	if want := (Usage{1.5, 2e7, 3e6, 7, 2}); err != nil || u != want {
		t.Errorf("%+v, %v, want %+v", u, err, want)
	}
	if _, err := Scrape(context.Background(), addr, ""); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("without the token: %v", err)
	}
	text = "nothing to see\n"
	if _, err := Scrape(context.Background(), addr, "t"); err == nil || !strings.Contains(err.Error(), "tbserve") {
		t.Errorf("of another server: %v", err)
	}
}

func TestParseStat(t *testing.T) {
	const rest = " S 1 2 3 4 5 6 7 8 9 10 250 50 0 0"
	for text, want := range map[string]float64{"42 (name)" + rest: 3, "42 (a) b (c) d)" + rest: 3} {
		if got, ok := parseStat(text); !ok || got != want {
			t.Errorf("%q: %g, %t", text, got, ok)
		}
	}
	for _, text := range []string{"", "42 (name) S", strings.Replace("42 (name)"+rest, "250", "x", 1), strings.Replace("42 (name)"+rest, " 50", " x", 1)} {
		if got, ok := parseStat(text); ok {
			t.Errorf("%q: %g", text, got)
		}
	}
}
