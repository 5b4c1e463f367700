package server

import (
	"errors"
	"net"
	"os"
	"sync"
	"time"
)

// patientConn is a connection that is told of few of its deadlines. An http.Server sets
// eight of them for each request, nearly all of which are replaced long before they
// come, and each takes a timer of the runtime. Here a connection keeps one that is
// earlier than it has to be: when it comes, the one that is wanted by then is set.
type patientConn struct {
	net.Conn
	reading, writing deadline
}

func newPatientConn(conn net.Conn) *patientConn {
	c, begun := &patientConn{Conn: conn}, time.Now()
	c.reading.tell, c.reading.begun = conn.SetReadDeadline, begun
	c.writing.tell, c.writing.begun = conn.SetWriteDeadline, begun
	return c
}

func (c *patientConn) Read(p []byte) (n int, err error) {
	for {
		if err := c.reading.begin(); err != nil {
			return 0, err
		}
		n, err = c.Conn.Read(p)
		if early := c.reading.end(err); !early || n > 0 {
			return n, err
		}
	}
}

func (c *patientConn) Write(p []byte) (n int, err error) {
	for {
		if err := c.writing.begin(); err != nil {
			return n, err
		}
		written, err := c.Conn.Write(p[n:])
		n += written
		if early := c.writing.end(err); !early {
			return n, err
		}
	}
}

func (c *patientConn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

func (c *patientConn) SetReadDeadline(t time.Time) error { return c.reading.want(t) }

func (c *patientConn) SetWriteDeadline(t time.Time) error { return c.writing.want(t) }

// deadline is that of the calls of one kind on a connection.
type deadline struct {
	tell  func(time.Time) error // sets that of the connection itself
	begun time.Time             // what is before it has passed

	mu sync.Mutex
	// wanted is what was asked for, and told what the connection was told of last; zero
	// stands for none.
	wanted, told time.Time
	calls        int // that are waiting on the connection
}

// want sets the deadline, for the calls that wait as well.
func (d *deadline) want(t time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wanted = t
	if d.calls == 0 {
		return nil
	}
	return d.hurry()
}

// begin is for before a call. The error says that it is too late.
func (d *deadline) begin() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.wanted.IsZero() && d.wanted.Before(d.begun) {
		return os.ErrDeadlineExceeded // as net/http ends the call that it makes in the background
	}
	if err := d.hurry(); err != nil {
		return err
	}
	d.calls++
	return nil
}

// end is for after a call that has ended with an error, or none. It reports whether it
// has ended too early and is to be made again.
func (d *deadline) end(err error) (early bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls--
	if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) || !d.wanted.IsZero() && !d.wanted.After(time.Now()) {
		return false
	}
	return d.reset() == nil
}

// hurry tells the connection of the deadline if what it was told of comes later.
func (d *deadline) hurry() error {
	if d.wanted.IsZero() || !d.told.IsZero() && !d.told.After(d.wanted) {
		return nil
	}
	return d.reset()
}

// reset tells the connection of the deadline.
func (d *deadline) reset() error {
	d.told = d.wanted
	return d.tell(d.wanted)
}
