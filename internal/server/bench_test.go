package server

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
	"backsolve/internal/server/catalog"
	"backsolve/tablebase/writer"
)

// benchServer returns a server of quixo 4×4 with steps that says it is ready.
func benchServer(b *testing.B) *Server {
	dir := b.TempDir()
	probetest.Solve(b, dir, probetest.Rules(b, "quixo", 4), 0, true)
	return benchServerOf(b, dir)
}

// benchServerOf returns a server of the tables in a directory that says it is ready.
func benchServerOf(b *testing.B, dir string) *Server {
	c, err := catalog.Open([]string{dir}, catalog.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(c.Close)
	s := New(Options{Catalog: c, Limits: DefaultLimits()})
	s.state.Store(ready)
	return s
}

// benchPositions returns random positions of quixo 4×4 that are not over.
func benchPositions(b *testing.B, n int) (texts []string) {
	return openPositions(probetest.Rules(b, "quixo", 4), n)
}

// openPositions returns random positions that are not over, the same each time.
func openPositions(rules game.Grid, n int) (texts []string) {
	r := rand.New(rand.NewPCG(1, 2))
	for range n {
		texts = append(texts, rules.Format(probe.RandomOpenPosition(rules, r)))
	}
	return texts
}

// discard is a writer of answers that keeps nothing.
type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(status int)      { d.status = status }

// BenchmarkHandler is the server's own part of an answer, without a connection.
func BenchmarkHandler(b *testing.B) {
	s := benchServer(b)
	var requests []*http.Request
	for _, text := range benchPositions(b, 1000) {
		u, err := url.Parse("/v1/quixo/4/position?p=" + url.QueryEscape(text))
		if err != nil {
			b.Fatal(err)
		}
		requests = append(requests, (&http.Request{Method: "GET", URL: u, RequestURI: u.RequestURI(), Header: http.Header{}}).WithContext(context.Background()))
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		w := &discard{header: http.Header{}}
		s.ServeHTTP(w, requests[i%len(requests)])
		if w.status != http.StatusOK {
			b.Fatal(w.status)
		}
	}
}

// overConnection sends requests over a connection in memory, one after another.
func overConnection(b *testing.B, h http.Handler, requests []string) {
	client, far := net.Pipe()
	web := &http.Server{Handler: h}
	go web.Serve(&oneConn{conn: far, closed: make(chan struct{})})
	defer web.Close()
	in := bufio.NewReaderSize(client, 64<<10)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := io.WriteString(client, requests[i%len(requests)]); err != nil {
			b.Fatal(err)
		}
		resp, err := http.ReadResponse(in, nil)
		if err != nil || resp.StatusCode != http.StatusOK {
			b.Fatal(resp, err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			b.Fatal(err)
		}
	}
}

// oneConn is a listener that accepts one connection.
type oneConn struct {
	conn   net.Conn
	closed chan struct{}
}

func (l *oneConn) Accept() (net.Conn, error) {
	if l.conn != nil {
		conn := l.conn
		l.conn = nil
		return conn, nil
	}
	<-l.closed
	return nil, net.ErrClosed
}

func (l *oneConn) Close() error   { close(l.closed); return nil }
func (l *oneConn) Addr() net.Addr { return &net.UnixAddr{} }

// BenchmarkPosition answers positions over a connection, and BenchmarkConstant writes answers of
// the same length without computing them.
func BenchmarkPosition(b *testing.B) { overConnection(b, benchServer(b), positionRequests(b)) }

func BenchmarkConstant(b *testing.B) {
	s := benchServer(b)
	u, err := url.Parse("/v1/quixo/4/position?p=..../..../..../....")
	if err != nil {
		b.Fatal(err)
	}
	var body bytes.Buffer
	s.ServeHTTP(&copying{discard{header: http.Header{}}, &body}, (&http.Request{Method: "GET", URL: u, Header: http.Header{}}).WithContext(context.Background()))
	overConnection(b, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write(body.Bytes())
	}), positionRequests(b))
}

// copying keeps what is written.
type copying struct {
	discard
	to *bytes.Buffer
}

func (c *copying) Write(p []byte) (int, error) { return c.to.Write(p) }

func positionRequests(b *testing.B) (requests []string) {
	for _, text := range benchPositions(b, 1000) {
		requests = append(requests, fmt.Sprintf("GET /v1/quixo/4/position?p=%s HTTP/1.1\r\nHost: localhost\r\n\r\n", url.QueryEscape(text)))
	}
	return requests
}

// BenchmarkBatch answers 10,000 positions in one request on loopback, whole, by their values
// alone, and in records. The processor time of a position includes the client's part.
func BenchmarkBatch(b *testing.B) {
	s, positions := benchServer(b), benchPositions(b, 10_000)
	for name, c := range map[string]struct{ query, accept string }{
		"answers": {}, "values": {query: "?fields=outcome,steps"}, "records": {accept: recordMedia},
	} {
		b.Run(name, func(b *testing.B) { benchBatch(b, s, "/v1/quixo/4/positions"+c.query, c.accept, positions) })
	}
}

// BenchmarkPackedBatch answers 10,000 positions in one request from a packed table of which
// hardly anything is kept unpacked: with all of them looked up together, and one by one.
func BenchmarkPackedBatch(b *testing.B) {
	dir, rules := b.TempDir(), probetest.Rules(b, "notakto", 6)
	probetest.Solve(b, dir, rules, 0, true)
	path := filepath.Join(dir, probe.FileName(rules.Info()))
	if _, err := writer.Pack(b.Context(), path, false, nil); err != nil {
		b.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		b.Fatal(err)
	}
	for name, least := range map[string]int64{"together": 0, "singly": math.MaxInt64} {
		b.Run(name, func(b *testing.B) {
			s := benchServerOf(b, dir)
			s.batched = least
			benchBatch(b, s, "/v1/notakto/6/positions", "", openPositions(rules, 10_000))
		})
	}
}

// benchBatch asks for positions in one request on loopback.
func benchBatch(b *testing.B, s *Server, path, accept string, positions []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stopped := make(chan error)
	go func() { stopped <- s.Serve(ctx, []net.Listener{l}, nil, time.Second) }()
	lines := strings.Join(positions, "\n")
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	b.ReportAllocs()
	for b.Loop() {
		req, err := http.NewRequest(http.MethodPost, "http://"+l.Addr().String()+path, strings.NewReader(lines))
		if err != nil {
			b.Fatal(err)
		}
		req.Header.Set("Content-Type", linesMedia)
		req.Header.Set("Accept", accept)
		resp, err := client.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		n, err := io.Copy(io.Discard, resp.Body)
		if err != nil || n < int64(recordBytes*len(positions)) {
			b.Fatal(n, err)
		}
		b.SetBytes(n)
	}
	b.ReportMetric(float64(b.N)*float64(len(positions))/b.Elapsed().Seconds(), "positions/s")
	client.CloseIdleConnections()
	stop()
	<-stopped
}
