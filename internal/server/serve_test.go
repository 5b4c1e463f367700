package server

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Before it serves, a server says so.
func TestStarting(t *testing.T) {
	s := New(Options{Catalog: start(t, nil).server.catalog, Limits: DefaultLimits()})
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 503, some: 503} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != want || want == 503 && (w.Header().Get("Retry-After") != "1" || !strings.Contains(w.Body.String(), "starting")) {
			t.Errorf("%s: %d, %v, %s", path, w.Code, w.Header(), w.Body)
		}
	}
}

// Until requests in flight are answered the server is alive, but not ready, and accepts nothing
// new; then it ends without an error.
func TestDrain(t *testing.T) {
	s := startDraining(t, makeTables(t), 10*time.Second, nil)
	body, send := io.Pipe()
	answers := make(chan string)
	go func() { answers <- s.postReader(linesMedia, body).body }()
	io.WriteString(send, ".../.../...\n")
	for s.server.metrics.count("backsolve_positions_total") == 0 {
		time.Sleep(time.Millisecond)
	}
	s.stop()
	for s.server.state.Load() != draining {
		time.Sleep(time.Millisecond)
	}
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 503, some: 503} {
		w := httptest.NewRecorder()
		s.server.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != want || want == 503 && !strings.Contains(w.Body.String(), "shutting down") {
			t.Errorf("%s: %d, %s", path, w.Code, w.Body)
		}
	}
	select {
	case err := <-s.stopped:
		t.Fatalf("ended with a batch in flight: %v", err)
	default:
	}
	io.WriteString(send, ".../.../...\n")
	send.Close()
	if got := <-answers; strings.Count(got, "\n") != 2 {
		t.Errorf("the batch got %q", got)
	}
	if err := <-s.stopped; err != nil {
		t.Error(err)
	}
	if _, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://")); err == nil {
		t.Error("the server still listens")
	}
}

// Clients that send one request after another get an answer to each, the last of which closes the
// connection, unless they are too slow.
func TestLeave(t *testing.T) {
	s := startDraining(t, makeTables(t), 10*time.Second, nil)
	var clients sync.WaitGroup
	var told atomic.Int64
	for range 8 {
		conn := s.dial("")
		in := bufio.NewReader(conn)
		clients.Go(func() {
			for {
				io.WriteString(conn, "GET "+some+" HTTP/1.1\r\nHost: localhost\r\n\r\n")
				resp, err := http.ReadResponse(in, nil)
				if err != nil {
					if state := s.server.state.Load(); state != draining {
						t.Errorf("a request has no answer in state %d: %v", state, err)
					}
					return
				}
				if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
					t.Errorf("status %d, %v", resp.StatusCode, err)
				}
				if resp.Close {
					told.Add(1)
					return
				}
			}
		})
	}
	for s.server.metrics.count("backsolve_positions_total") < 100 {
		time.Sleep(time.Millisecond)
	}
	s.stop()
	for s.server.state.Load() != leaving {
		time.Sleep(time.Millisecond)
	}
	w := httptest.NewRecorder()
	s.server.ServeHTTP(w, httptest.NewRequest("GET", "/readyz", nil))
	if w.Code != http.StatusServiceUnavailable {
		t.Errorf("/readyz answers %d", w.Code)
	}
	clients.Wait()
	if told.Load() == 0 {
		t.Error("no client was told to go")
	}
	if err := <-s.stopped; err != nil {
		t.Error(err)
	}
}

// A request that does not finish is cut off when the time is over.
func TestDrainCutsOff(t *testing.T) {
	t.Parallel()
	s := New(Options{Catalog: start(t, nil).server.catalog, Limits: DefaultLimits(), Log: slog.New(slog.DiscardHandler)})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error)
	go func() { stopped <- s.Serve(ctx, []net.Listener{l}, nil, 10*time.Millisecond) }()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, batchHeader+"c\r\n.../.../...\n\r\n")
	if _, err := bufio.NewReader(conn).ReadString('\n'); err != nil { // it is being answered
		t.Fatal(err)
	}
	stop()
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if _, err := io.Copy(io.Discard, conn); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Error(err)
	}
}

// A listener that fails ends the server with its error.
func TestListenerFails(t *testing.T) {
	t.Parallel()
	s := New(Options{Catalog: start(t, nil).server.catalog, Limits: DefaultLimits()})
	good, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	bad, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	bad.Close()
	if err := s.Serve(t.Context(), []net.Listener{good, bad}, nil, time.Second); err == nil {
		t.Error("no error")
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	with := httptest.NewUnstartedServer(nil) // for its certificate
	with.EnableHTTP2 = true
	with.StartTLS()
	with.Close()
	s := New(Options{Catalog: start(t, nil).server.catalog, Limits: DefaultLimits()})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error)
	go func() {
		stopped <- s.Serve(ctx, []net.Listener{l}, &tls.Config{Certificates: with.TLS.Certificates}, time.Second)
	}()
	client := with.Client()
	body, send := io.Pipe()
	go func() {
		io.WriteString(send, "../..\n../..\n")
		send.Close()
	}()
	resp, err := client.Post("https://"+l.Addr().String()+"/v1/quixo/2/positions", linesMedia, body)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil || resp.ProtoMajor != 2 || strings.Count(string(got), "\n") != 2 {
		t.Errorf("%v, HTTP/%d, %q", err, resp.ProtoMajor, got)
	}
	client.CloseIdleConnections()
	stop()
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// A header that never ends and one that is too large are cut off.
func TestHeaderLimits(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *Options) { o.ReadHeader, o.MaxHeader = 50*time.Millisecond, 1000 })
	if got, err := io.ReadAll(s.dial("GET / HTTP/1.1\r\nX: ")); err != nil || len(got) != 0 {
		t.Errorf("a slow header gets %q, %v", got, err)
	}
	got, _ := io.ReadAll(s.dial("GET / HTTP/1.1\r\nX: " + strings.Repeat("x", 10_000) + "\r\n\r\n"))
	if !strings.HasPrefix(string(got), "HTTP/1.1 431 ") {
		t.Errorf("a large header gets %q", got)
	}
}

// If all slots are taken, requests are refused at once; those that may take long leave half of
// them to others.
func TestMaxRequests(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *Options) { o.MaxRequests = 2 })
	conn := s.dial(batchHeader)
	for len(s.server.long.semaphore) < cap(s.server.long.semaphore) {
		time.Sleep(time.Millisecond)
	}
	s.post(batchPath, linesMedia, "x\n").want(t, http.StatusServiceUnavailable, "busy")
	s.want(http.StatusServiceUnavailable, "/v1/quixo/3/random", "busy")
	s.want(http.StatusOK, some)
	s.server.semaphore.tryAcquire()
	if r := s.want(http.StatusServiceUnavailable, some, "busy"); r.header.Get("Retry-After") != "1" {
		t.Errorf("%v", r.header)
	}
	s.server.semaphore.release()
	conn.Close()
	s.until(http.StatusOK, "/v1/quixo/3/random")
}
