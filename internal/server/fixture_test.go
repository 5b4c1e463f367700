package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"backsolve/game/custom"
	"backsolve/game/examples"
	"backsolve/game/games"
	"backsolve/game/holestest"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
	"backsolve/internal/server/catalog"
	"backsolve/internal/server/token"
)

// tables is where the tests' tables lie, see makeTables.
var tables string

func TestMain(m *testing.M) {
	err := errors.Join(examples.Add(), games.Add(custom.Entry(custom.List(heap{})), custom.Entry(custom.List(holestest.Game{})))) // before the games are listed
	if err != nil {
		panic(err)
	}
	if tables, err = os.MkdirTemp("", "server"); err != nil {
		panic(err)
	}
	status := m.Run()
	if err := goleak.Find(); err != nil && status == 0 {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.RemoveAll(tables)
	os.Exit(status)
}

// makeTables solves the tests' tables once: quixo 2×2 and 3×3, notakto 3×3 and
// 4×4 after a1 and tictactoe 3×3 with steps, notakto 4×4 without.
func makeTables(t testing.TB) string {
	t.Helper()
	tablesOnce.Do(func() {
		probetest.Solve(t, tables, probetest.Rules(t, "quixo", 2), 0, true)
		probetest.Solve(t, tables, probetest.Rules(t, "quixo", 3), 0, true)
		probetest.Solve(t, tables, probetest.Rules(t, "notakto", 3), 0, true)
		probetest.Solve(t, tables, probetest.Rules(t, "notakto", 4), 0, false)
		probetest.Solve(t, tables, probetest.Rules(t, "notakto", 4), a1, true)
		probetest.Solve(t, tables, probetest.Rules(t, "tictactoe", 3), 0, true)
	})
	return tables
}

var tablesOnce sync.Once

// a1 is that cell of the 4×4 board.
const a1 = 1 << 12

// open opens the table of a board, as a twin to compare answers with.
func open(t testing.TB, name string, n int) *probe.Table {
	t.Helper()
	table, err := probe.Open(makeTables(t), probetest.Rules(t, name, n))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return table
}

// site is a running server.
type site struct {
	t      testing.TB
	server *Server
	url    string
	client *http.Client
	log    *syncBuffer
	// stop begins the drain; stopped has what Serve returned.
	stop    context.CancelFunc
	stopped chan error
}

// syncBuffer is a buffer that may be read while it is written.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// start runs a server of the tests' tables, with the options changed.
func start(t testing.TB, change func(*Options)) *site {
	t.Helper()
	return startDir(t, makeTables(t), change)
}

// startDir runs a server of the tables of a directory.
func startDir(t testing.TB, dir string, change func(*Options)) *site {
	t.Helper()
	return startDraining(t, dir, 0, change)
}

// startDraining runs a server that gives clients some time when it stops. Most tests are over by then and do not wait for it.
func startDraining(t testing.TB, dir string, drain time.Duration, change func(*Options)) *site {
	t.Helper()
	c, err := catalog.Open([]string{dir}, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	log := new(syncBuffer)
	o := Options{Catalog: c, Limits: DefaultLimits(), Log: slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	if change != nil {
		change(&o)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &site{
		t: t, server: New(o), url: "http://" + l.Addr().String(), log: log, stop: stop, stopped: make(chan error, 1),
		client: &http.Client{Transport: &http.Transport{DisableCompression: true}},
	}
	var running sync.WaitGroup
	running.Go(func() {
		for ; ctx.Err() == nil; time.Sleep(5 * time.Millisecond) { // Run waits longer
			c.Scan()
		}
	})
	running.Go(func() { s.stopped <- s.server.Serve(ctx, []net.Listener{l}, nil, drain) })
	t.Cleanup(func() {
		s.client.CloseIdleConnections()
		stop()
		running.Wait()
		c.Close()
	})
	for s.server.state.Load() == starting {
		time.Sleep(time.Millisecond)
	}
	return s
}

// tokensOf returns the tokens of a token file.
func tokensOf(t testing.TB, file string) *token.Set {
	t.Helper()
	tokens, err := token.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

// reply is an answer.
type reply struct {
	status int
	header http.Header
	body   string
}

// get asks for an address.
func (s *site) get(path string, headers ...string) reply {
	s.t.Helper()
	return s.do(http.MethodGet, path, "", headers...)
}

// post sends a body of some type.
func (s *site) post(path, contentType, body string, headers ...string) reply {
	s.t.Helper()
	return s.do(http.MethodPost, path, body, append(headers, "Content-Type", contentType)...)
}

// do sends a request with headers, name after value, and checks the answer
// against the description of the API.
func (s *site) do(method, path, body string, headers ...string) reply {
	s.t.Helper()
	req, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return s.send(req)
}

// send sends a request and checks the answer against the description of the API.
func (s *site) send(req *http.Request) reply {
	s.t.Helper()
	resp, err := s.client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatalf("%s %s: %v after %.300q", req.Method, req.URL, err, got)
	}
	r := reply{resp.StatusCode, resp.Header, string(got)}
	checkReply(s.t, req, r)
	return r
}

// want asks for an address and wants a status and texts in the body.
func (s *site) want(status int, path string, texts ...string) reply {
	s.t.Helper()
	r := s.get(path)
	r.want(s.t, status, texts...)
	return r
}

func (r reply) want(t testing.TB, status int, texts ...string) {
	t.Helper()
	if r.status != status {
		t.Errorf("status %d, want %d: %.400s", r.status, status, r.body)
	}
	for _, text := range texts {
		if !strings.Contains(r.body, text) {
			t.Errorf("no %q in %.400s", text, r.body)
		}
	}
}
