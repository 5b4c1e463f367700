package server

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// ask sends a request on a connection and reads its answer.
func ask(conn net.Conn) error {
	conn.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		return err
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "alive\n" {
		return fmt.Errorf("%q, %w", body, err)
	}
	return nil
}

// At the limit of connections, idle ones make room; one in use does not.
func TestIdleConnectionsMakeRoom(t *testing.T) {
	s := start(t, func(o *Options) { o.MaxConnections = 3 })
	busy := s.dial(batchHeader)
	for s.server.metrics.count("backsolve_http_requests_in_flight") == 0 { // until then it is idle
		time.Sleep(time.Millisecond)
	}
	var idle []net.Conn
	for range 10 {
		conn := s.dial("")
		if err := ask(conn); err != nil {
			t.Fatal(err)
		}
		idle = append(idle, conn)
	}
	if err := ask(idle[9]); err != nil {
		t.Errorf("the last connection is closed: %v", err)
	}
	// Which of the others is open depends on when the server has seen each idle.
	open := 0
	for _, conn := range idle[:9] {
		if ask(conn) == nil {
			open++
		}
	}
	if open != 1 {
		t.Errorf("%d other connections are open, want 1", open)
	}
	io.WriteString(busy, "c\r\n.../.../...\n\r\n0\r\n\r\n")
	if line, err := bufio.NewReader(busy).ReadString('\n'); err != nil || !strings.Contains(line, "200") {
		t.Errorf("%q, %v", line, err)
	}
}

// The connection that has been idle longest goes first.
func TestOldestIdleConnectionGoes(t *testing.T) {
	c := newConnections(3)
	var near, far [3]net.Conn
	for i := range near {
		near[i], far[i] = net.Pipe()
		near[i] = &limitedConn{Conn: near[i], release: func() {}}
		c.note(near[i], http.StateNew)
	}
	c.note(near[0], http.StateActive)
	c.note(near[0], http.StateIdle) // after the others
	c.note(near[2], http.StateHijacked)
	c.note(near[2], http.StateIdle) // after all others
	for _, i := range []int{1, 0, 2} {
		c.evict()
		if _, err := far[i].Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("connection %d: %v", i, err)
		}
	}
	c.evict() // nobody is left
}

// listenLimited listens with a limit of connections.
func listenLimited(t *testing.T, n int) (*connections, net.Listener) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := newConnections(n)
	limited := c.limit(l)
	t.Cleanup(func() { limited.Close() })
	return c, limited
}

// A new connection that finds none idle replaces the next one that becomes idle.
func TestNextIdleConnectionGoes(t *testing.T) {
	c, limited := listenLimited(t, 1)
	var far [2]net.Conn
	for i := range far {
		var err error
		if far[i], err = net.Dial("tcp", limited.Addr().String()); err != nil {
			t.Fatal(err)
		}
		defer far[i].Close()
	}
	first, err := limited.Accept()
	if err != nil {
		t.Fatal(err)
	}
	c.note(first, http.StateActive)
	time.AfterFunc(20*time.Millisecond, func() { c.note(first, http.StateIdle) })
	second, err := limited.Accept() // would wait for good
	if err != nil {
		t.Fatal(err)
	}
	second.Close()
	if n, err := far[0].Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("the idle connection is open: %d bytes, %v", n, err)
	}
}

// A server whose connections are all in use lets new ones wait, and can be stopped meanwhile.
func TestConnectionsWait(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *Options) { o.MaxConnections = 1 })
	busy := s.dial(batchHeader)
	for len(s.server.long.semaphore) < cap(s.server.long.semaphore) && s.server.metrics.count("backsolve_http_requests_in_flight") == 0 {
		time.Sleep(time.Millisecond)
	}
	waiting := s.dial("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
	waiting.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
	if n, err := waiting.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Error("the second connection is answered")
	}
	waiting.SetReadDeadline(time.Time{})
	busy.Close()
	if got, err := io.ReadAll(waiting); err != nil || !strings.Contains(string(got), "alive") {
		t.Errorf("%q, %v", got, err)
	}
}

// Connections on which nothing comes do not keep others out.
func TestSilentConnectionsMakeRoom(t *testing.T) {
	s := start(t, func(o *Options) { o.MaxConnections = 2 })
	for range 5 {
		defer s.dial("").Close()
	}
	if err := ask(s.dial("")); err != nil {
		t.Error(err)
	}
}
