package server

import (
	"container/list"
	"net"
	"net/http"
	"sync"
)

// connections bounds how many connections are open. Where there are as many as
// there may be, the one that has been idle for longest makes room for a new one;
// one on which nothing has come yet is idle, too.
type connections struct {
	slots slots

	mu   sync.Mutex
	idle map[net.Conn]*list.Element // of net.Conn
	// oldest has the idle ones, the one that became so first in front.
	oldest *list.List
}

// newConnections bounds the connections by a number, and in any case so that
// some of the files that the process may open are left for tables.
func newConnections(n int) *connections {
	if files, ok := maxFiles(); ok {
		n = max(1, int(min(uint64(n), files-min(files/4, 1000))))
	}
	return &connections{slots: newSlots(n), idle: map[net.Conn]*list.Element{}, oldest: list.New()}
}

// note is told by the http.Server what a connection does.
func (c *connections) note(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, was := c.idle[conn]; was {
		c.oldest.Remove(e)
		delete(c.idle, conn)
	}
	if state == http.StateIdle || state == http.StateNew {
		c.idle[conn] = c.oldest.PushBack(conn)
	}
}

// evict closes the connection that has been idle for longest, if any is.
func (c *connections) evict() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.oldest.Front(); e != nil {
		conn := c.oldest.Remove(e).(net.Conn)
		delete(c.idle, conn)
		go conn.Close() // over TLS this may take a while
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

// Close also ends an Accept that waits for room.
func (l *limitedListener) Close() error {
	l.close.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// Accept waits for a connection and then for room for it.
func (l *limitedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if !l.slots.take() {
		l.evict()
		select {
		case l.slots <- struct{}{}:
		case <-l.closed:
			conn.Close()
			return nil, net.ErrClosed
		}
	}
	return &limitedConn{Conn: conn, give: sync.OnceFunc(l.slots.give)}, nil
}

// limitedConn gives its slot back when it is closed.
type limitedConn struct {
	net.Conn
	give func()
}

func (c *limitedConn) Close() error {
	defer c.give()
	return c.Conn.Close()
}
