package abuse

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/tools/load/wire"
)

// fake is a server that does what a test tells it. It answers what others ask
// rightly, and all else as attacked does.
type fake struct {
	server     *httptest.Server
	attacked   http.HandlerFunc
	goroutines atomic.Int64
	inFlight   atomic.Int64
	// spoiled says that others get another answer, slowed how long theirs takes.
	spoiled atomic.Bool
	slowed  atomic.Int64
	locked  bool // wants a token for /metrics
	ended   chan struct{}
	err     error
}

func board(name string, n int) game.Grid {
	rules, err := games.NewGrid(name, n)
	if err != nil {
		panic(err)
	}
	return rules
}

var (
	attackedBoard = board("quixo", 3)
	othersBoard   = board("notakto", 3)
)

func newFake(t *testing.T, attacked http.HandlerFunc) (*fake, *arena) {
	f := &fake{attacked: attacked, ended: make(chan struct{})}
	f.goroutines.Store(10)
	f.server = httptest.NewServer(f)
	t.Cleanup(f.server.Close)
	place := newArena(f.server.Listener.Addr().String(), f, t.TempDir(), Options{Rules: attackedBoard, Bystander: othersBoard}, "")
	place.pace = pace{hold: 300 * time.Millisecond, harm: 100 * time.Millisecond, settle: 300 * time.Millisecond}
	return f, place
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/metrics" && f.locked && r.Header.Get("Authorization") != "Bearer "+token:
		refuse(w, 401)
	case r.URL.Path == "/metrics":
		fmt.Fprintf(w, "go_memstats_heap_inuse_bytes 1e6\ngo_goroutines %d\nbacksolve_http_requests_in_flight %d\n", f.goroutines.Load(), f.inFlight.Load()+1)
	case strings.HasPrefix(r.URL.Path, "/v1/notakto/3/"):
		io.Copy(io.Discard, r.Body)
		time.Sleep(time.Duration(f.slowed.Load()))
		fmt.Fprintf(w, "spoiled: %t\n", f.spoiled.Load())
	default:
		f.attacked(w, r)
	}
}

func (f *fake) Terminate() error       { close(f.ended); return nil }
func (f *fake) Ended() <-chan struct{} { return f.ended }
func (f *fake) Err() error             { return f.err }
func (f *fake) Kill()                  {}

// refuse answers as a good server answers what is malformed.
func refuse(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	io.WriteString(w, `{"error":"no","request_id":"1"}`)
}

// judged returns the result of an attack that does something to a fake.
func judged(t *testing.T, do func(f *fake) error) *Result {
	t.Helper()
	f, place := newFake(t, nil)
	a := attack{name: "test", run: func(ctx context.Context, _ *arena) (string, error) { return "done", do(f) }}
	r, err := a.judge(t.Context(), place)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Each thing that a server does wrong is found, and nothing where all is well.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(f *fake) error
		says string // the only problem, "" for none
	}{
		{"well", func(*fake) error { return nil }, ""},
		{"the attack finds something", func(*fake) error { return io.ErrNoProgress }, io.ErrNoProgress.Error()},
		{"others get wrong answers", func(f *fake) error { f.spoiled.Store(true); return nil }, "not answered as before"},
		{"others wait", func(f *fake) error {
			f.slowed.Store(int64(worstP99 + 100*time.Millisecond))
			time.Sleep(6 * worstP99)
			return nil
		}, "others wait"},
		{"goroutines are left", func(f *fake) error { f.goroutines.Store(10 + spareGoroutines + 1); return nil }, "21 goroutines more"},
		{"few goroutines are left", func(f *fake) error { f.goroutines.Store(10 + spareGoroutines); return nil }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := judged(t, c.do)
			if c.says == "" {
				if !r.OK() {
					t.Errorf("problems: %q", r.Problems)
				}
				return
			}
			if r.OK() || !strings.Contains(strings.Join(r.Problems, "; "), c.says) {
				t.Errorf("problems %q, want one that says %q", r.Problems, c.says)
			}
		})
	}
}

func TestBystanderTakesANewConnection(t *testing.T) {
	f, place := newFake(t, nil)
	b := newBystander(place, "")
	if err := b.begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range b.turns {
		f.server.CloseClientConnections() // as the server may
		if err := b.turns[i].try(t.Context()); err != nil {
			t.Errorf("%s: %v", b.turns[i].name, err)
		}
	}
}

// tried sends a malformed request to a server and returns what is wrong.
func tried(t *testing.T, m malformed, h http.HandlerFunc) error {
	t.Helper()
	_, place := newFake(t, h)
	m.bytes = wire.Get(host, "/", "")
	_, err := place.try(t.Context(), &m)
	return err
}

func TestTry(t *testing.T) {
	want := malformed{allowed: []int{200, 400}}
	abort := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	for _, c := range []struct {
		name string
		m    malformed
		h    http.HandlerFunc
		says string
	}{
		{"refused", want, func(w http.ResponseWriter, _ *http.Request) { refuse(w, 400) }, ""},
		{"a batch with an error", want, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `[{"line":1,"error":"no"}]`) }, ""},
		{"plain text", want, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", 400) }, ""},
		{"another status", want, func(w http.ResponseWriter, _ *http.Request) { refuse(w, 500) }, "status 500"},
		{"accepted", want, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `[{"outcome":"win"}]`)
		}, "no error is told"},
		{"no JSON", want, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(400)
			io.WriteString(w, `{"error":"no"}`)
		}, "without its JSON"},
		{"a file", want, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "root:x:0:0") }, "shows a file"},
		{"ended", want, abort, "before an answer"},
		{"ended as it may", malformed{noAnswer: true}, abort, ""},
	} {
		if c.name == "a batch with an error" {
			plain := c.h
			c.h = func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				plain(w, r)
			}
		}
		err := tried(t, c.m, c.h)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.says)
		}
	}
}

// run runs one of the attacks on a server with a handler.
func run(t *testing.T, name string, h http.HandlerFunc) (string, error) {
	t.Helper()
	_, place := newFake(t, h)
	for _, a := range attacks() {
		if a.name == name {
			return a.run(t.Context(), place)
		}
	}
	t.Fatalf("there is no attack %q", name)
	return "", nil
}

func TestPaths(t *testing.T) {
	observed, err := run(t, "paths", func(w http.ResponseWriter, _ *http.Request) { refuse(w, 404) })
	if err != nil || !strings.Contains(observed, "404 (") {
		t.Errorf("%s, error %v", observed, err)
	}
	_, err = run(t, "paths", func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "etc") {
			io.WriteString(w, "root:x:0:0")
			return
		}
		refuse(w, 404)
	})
	if err == nil || !strings.Contains(err.Error(), "status 200") {
		t.Errorf("error %v", err)
	}
}

func TestFloodFindsFaults(t *testing.T) {
	_, place := newFake(t, func(w http.ResponseWriter, _ *http.Request) { refuse(w, 500) })
	if status, err := place.floodOne(t.Context(), wire.Get(host, "/", "")); status != 500 || err == nil {
		t.Errorf("status %d, error %v", status, err)
	}
	_, place = newFake(t, func(w http.ResponseWriter, _ *http.Request) { refuse(w, 404) })
	if status, err := place.floodOne(t.Context(), wire.Get(host, "/", "")); status != 404 || err != nil {
		t.Errorf("status %d, error %v", status, err)
	}
}

func TestRate(t *testing.T) {
	if _, err := run(t, "too many requests", func(http.ResponseWriter, *http.Request) {}); err == nil || !strings.Contains(err.Error(), "3000 were answered") {
		t.Errorf("of a server without a limit: %v", err)
	}
	if _, err := run(t, "too many requests", func(w http.ResponseWriter, _ *http.Request) { refuse(w, 429) }); err == nil || !strings.Contains(err.Error(), "Retry-After") {
		t.Errorf("of a server that does not say when to come back: %v", err)
	}
	var count atomic.Int64
	observed, err := run(t, "too many requests", func(w http.ResponseWriter, _ *http.Request) {
		if n := count.Add(1); n > 5*rate && n <= tooMany {
			w.Header().Set("Retry-After", "1")
			refuse(w, 429)
		}
	})
	if err != nil || !strings.Contains(observed, "429 (2500)") {
		t.Errorf("%s, error %v", observed, err)
	}
}

func TestTokens(t *testing.T) {
	for name, c := range map[string]struct {
		locked bool
		takes  func(shown string) bool
		says   string
	}{
		"right":             {true, func(string) bool { return false }, ""},
		"open metrics":      {false, func(string) bool { return false }, "/metrics"},
		"a longer token":    {true, func(shown string) bool { return strings.HasPrefix(shown, "Bearer "+token) }, "status 200"},
		"another scheme":    {true, func(shown string) bool { return strings.HasSuffix(shown, " "+token) }, "status 200"},
		"no token is taken": {true, func(shown string) bool { return shown == "" }, "status 200"},
	} {
		f, place := newFake(t, func(w http.ResponseWriter, r *http.Request) {
			if !c.takes(r.Header.Get("Authorization")) {
				refuse(w, 401)
			}
		})
		f.locked = c.locked
		_, err := wrongTokens(t.Context(), place)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want %q", name, err, c.says)
		}
	}
}

// A server that ends with another status, or cuts answers short, does not end
// well.
func TestTerminate(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		h    func(f *fake) http.HandlerFunc
		says string
	}{
		"well": {nil, func(f *fake) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				select {
				case <-f.ended:
					w.Header().Set("Connection", "close")
				default:
				}
			}
		}, ""},
		"another status": {io.ErrClosedPipe, func(f *fake) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				select {
				case <-f.ended:
					w.Header().Set("Connection", "close")
				default:
				}
			}
		}, io.ErrClosedPipe.Error()},
		"cut short": {nil, func(f *fake) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				select {
				case <-f.ended:
					w.Header().Set("Content-Length", "10")
					io.WriteString(w, "cut")
					http.NewResponseController(w).Flush()
					panic(http.ErrAbortHandler)
				default:
				}
			}
		}, "unexpected EOF"},
	} {
		f, place := newFake(t, nil)
		f.err, f.attacked = c.err, c.h(f)
		_, err := terminate(t.Context(), place)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want %q", name, err, c.says)
		}
	}
}

func TestHold(t *testing.T) {
	f, place := newFake(t, nil)
	use := func(*wire.Conn, time.Time) error { return nil }
	if _, err := place.hold(t.Context(), 0, use); err != nil {
		t.Error(err)
	}
	f.inFlight.Store(1)
	if _, err := place.hold(t.Context(), 1, use); err != nil {
		t.Errorf("of a server that waits for one, as it may: %v", err)
	}
	if _, err := place.hold(t.Context(), 0, use); err == nil || !strings.Contains(err.Error(), "still waits") {
		t.Errorf("of a server that waits: %v", err)
	}
}

// A connection that a server leaves open, and one that it ends.
func TestUntilEnd(t *testing.T) {
	hold := make(chan struct{})
	_, place := newFake(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hold" {
			<-hold
		}
		w.Header().Set("Connection", "close")
	})
	defer close(hold)
	for path, want := range map[string]error{"/": nil, "/hold": errOpen} {
		c, err := place.dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if err := c.Send(wire.Get(host, path, "")); err != nil {
			t.Fatal(err)
		}
		if _, err := untilEnd(c, func() []byte { return nil }, 10*time.Millisecond, 100*time.Millisecond); err != want {
			t.Errorf("%s: error %v, want %v", path, err, want)
		}
	}
	conns, err := place.openIdle(t.Context(), 6)
	defer closeAll(conns)
	if err != nil {
		t.Fatal(err)
	}
	if _, open := allEnd(conns, 100*time.Millisecond); open != 3 {
		t.Errorf("%d of 3 connections without a request are open", open)
	}
}
