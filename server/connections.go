package server

import (
	"net"
	"net/http"
	"sync"
)

// connections bounds how many connections are open. Where there are as many as
// there may be, the longest idle one is closed for a new one;
// one on which nothing has come yet is idle, too.
type connections struct {
	semaphore semaphore
	trimmer   *trimmer

	mu sync.Mutex
	// idle is the ring of the idle ones: behind it the one that became so first.
	idle standby
}

// standby is the place of an idle connection in the ring of all, between the one that
// became idle before it and the one after it. Nothing is beside it while it is not idle.
type standby struct {
	conn          net.Conn // as the http.Server knows it
	before, after *standby
}

// leave takes the connection out of its ring, if it is in one.
func (s *standby) leave() {
	if s.before != nil {
		s.before.after, s.after.before = s.after, s.before
		s.before, s.after = nil, nil
	}
}

// join puts the connection in the ring as the last one.
func (s *standby) join(ring *standby) {
	s.before, s.after = ring.before, ring
	s.before.after, s.after.before = s, s
}

// newConnections bounds the connections by a number, and in any case so that
// some of the files that the process may open are left for tables.
func newConnections(n int) *connections {
	if files, ok := maxFiles(); ok {
		n = max(1, int(min(uint64(n), files-min(files/4, 1000))))
	}
	c := &connections{semaphore: newSemaphore(n), trimmer: newTrimmer()}
	c.idle.before, c.idle.after = &c.idle, &c.idle
	return c
}

// note is told by the http.Server what a connection does.
func (c *connections) note(conn net.Conn, state http.ConnState) {
	inner := conn
	if secured, ok := conn.(interface{ NetConn() net.Conn }); ok { // by TLS
		inner = secured.NetConn()
	}
	limited, ok := inner.(*limitedConn)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	limited.standby.leave()
	if state == http.StateIdle || state == http.StateNew {
		limited.standby.conn = conn
		limited.standby.join(&c.idle)
	}
}

// evict closes the connection that has been idle for longest, if any is.
func (c *connections) evict() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if oldest := c.idle.after; oldest != &c.idle {
		oldest.leave()
		go oldest.conn.Close() // over TLS this may take a while
	}
}

// limit returns a listener that accepts no more connections than there may be.
func (c *connections) limit(l net.Listener) net.Listener {
	return &limitedListener{Listener: l, connections: c, closed: make(chan struct{})}
}

type limitedListener struct {
	net.Listener
	*connections
	close  sync.Once
	closed chan struct{}
}

// Close also ends an Accept that waits for a place.
func (l *limitedListener) Close() error {
	l.close.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// Accept waits for a connection and then for a place for it.
func (l *limitedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if !l.semaphore.tryAcquire() {
		l.evict()
		select {
		case l.semaphore <- struct{}{}:
		case <-l.closed:
			conn.Close()
			return nil, net.ErrClosed
		}
	}
	l.trimmer.opened()
	return newLimitedConn(conn, l.leave), nil
}

// leave gives the place of a connection back.
func (c *connections) leave() {
	c.semaphore.release()
	c.trimmer.closed()
}

// limitedConn gives its slot back when it is closed.
type limitedConn struct {
	net.Conn
	standby standby
	give    func()
}

func newLimitedConn(conn net.Conn, give func()) *limitedConn {
	return &limitedConn{Conn: conn, give: sync.OnceFunc(give)}
}

func (c *limitedConn) Close() error {
	defer c.give()
	return c.Conn.Close()
}
