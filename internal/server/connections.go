package server

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// connections bounds the number of open connections. At the limit a new one replaces the one
// that is idle for longest. A connection without a request yet is idle, too.
type connections struct {
	semaphore semaphore
	trimmer   *trimmer

	mu   sync.Mutex
	idle ringNode // head of the ring of idle connections, the longest idle first
}

// ringNode links an idle connection to its neighbours; they are nil while it is not idle.
// A container/list would allocate with each request.
type ringNode struct {
	conn          net.Conn // as the http.Server knows it
	before, after *ringNode
}

func (s *ringNode) unlink() {
	if s.before != nil {
		s.before.after, s.after.before = s.after, s.before
		s.before, s.after = nil, nil
	}
}

func (s *ringNode) append(ring *ringNode) {
	s.before, s.after = ring.before, ring
	s.before.after, s.after.before = s, s
}

// newConnections allows n connections, or fewer so that tables still have file descriptors.
func newConnections(n int) *connections {
	if files, ok := maxFiles(); ok {
		n = max(1, int(min(uint64(n), files-min(files/4, 1000))))
	}
	c := &connections{semaphore: make(semaphore, n), trimmer: &trimmer{collect: giveBack}}
	c.idle.before, c.idle.after = &c.idle, &c.idle
	return c
}

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
	limited.node.unlink()
	if state == http.StateIdle || state == http.StateNew {
		limited.node.conn = conn
		limited.node.append(&c.idle)
	}
}

// evict closes the connection that has been idle longest, and reports whether there was one.
func (c *connections) evict() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	oldest := c.idle.after
	if oldest == &c.idle {
		return false
	}
	oldest.unlink()
	go oldest.conn.Close() // over TLS this may take a while
	return true
}

func (c *connections) limit(l net.Listener) net.Listener {
	return &limitedListener{Listener: l, connections: c, closed: make(chan struct{})}
}

type limitedListener struct {
	net.Listener
	*connections
	close  sync.Once
	closed chan struct{}
}

// Close also ends an Accept that waits.
func (l *limitedListener) Close() error {
	l.close.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

func (l *limitedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if !l.semaphore.tryAcquire() && !l.wait() {
		conn.Close()
		return nil, net.ErrClosed
	}
	l.trimmer.noteOpened()
	return &limitedConn{Conn: conn, release: sync.OnceFunc(l.release)}, nil
}

// wait acquires the semaphore once a connection is closed: the one that is idle for longest,
// or the next one to be idle. It returns false if the listener is closed before.
func (l *limitedListener) wait() bool {
	for evicted := false; ; {
		var again <-chan time.Time
		if evicted = evicted || l.evict(); !evicted {
			again = time.After(idlePoll)
		}
		select {
		case l.semaphore <- struct{}{}:
			return true
		case <-l.closed:
			return false
		case <-again:
		}
	}
}

// idlePoll is the time between two looks for an idle connection. A client may connect between
// the answer to the last request and the moment at which the server counts that connection as idle.
const idlePoll = 5 * time.Millisecond

func (c *connections) release() {
	c.semaphore.release()
	c.trimmer.noteClosed()
}

type limitedConn struct {
	net.Conn
	node    ringNode
	release func()
}

func (c *limitedConn) Close() error {
	defer c.release()
	return c.Conn.Close()
}
