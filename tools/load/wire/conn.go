// Package wire speaks HTTP/1.1 as bytes on a connection: requests go out exactly
// as they are written, right or wrong, in one piece or drop by drop, as no proper
// client sends them.
package wire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// Conn is a connection to a server, for one goroutine.
type Conn struct {
	// Net is the connection itself, for those who want to misuse it.
	Net net.Conn
	// Timeout is how long one request may take from its first byte to the last of
	// its answer.
	Timeout time.Duration

	in *bufio.Reader
}

// Dial opens a connection to a host and port. Requests on it may take a minute.
func Dial(ctx context.Context, addr string) (*Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	return &Conn{Net: c, Timeout: time.Minute, in: bufio.NewReader(c)}, nil
}

// Close closes the connection.
func (c *Conn) Close() error { return c.Net.Close() }

// Reset closes the connection with a reset instead of an orderly end.
func (c *Conn) Reset() error {
	if tcp, ok := c.Net.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	return c.Net.Close()
}

// CloseWrite ends what is sent, so that answers can still be received.
func (c *Conn) CloseWrite() error {
	if tcp, ok := c.Net.(*net.TCPConn); ok {
		return tcp.CloseWrite()
	}
	return nil
}

// Do sends a request and reads its answer. ErrUnanswered means that the connection
// ended before any byte of an answer, so that the server may never have seen the
// request.
func (c *Conn) Do(request []byte) (Answer, error) {
	if err := c.Send(request); err != nil {
		// A server that has refused a request need not read all of it.
		if a, readErr := c.Receive(); readErr == nil {
			return a, nil
		}
		return Answer{}, fmt.Errorf("%w: %w", ErrUnanswered, err)
	}
	return c.Receive()
}

// Send sends bytes, and gives what is sent and received from now on Timeout.
func (c *Conn) Send(request []byte) error {
	c.Net.SetDeadline(time.Now().Add(c.Timeout))
	_, err := c.Net.Write(request)
	return err
}

// ErrUnanswered is the error where a connection ends before an answer begins.
var ErrUnanswered = errors.New("the connection ended before an answer")

// Receive reads the next answer. Its errors are those of Do, and
// io.ErrUnexpectedEOF where the connection ends within the answer.
func (c *Conn) Receive() (Answer, error) {
	if _, err := c.in.Peek(1); err != nil {
		if IsTimeout(err) {
			return Answer{}, err
		}
		return Answer{}, fmt.Errorf("%w: %w", ErrUnanswered, err)
	}
	return readAnswer(c.in)
}

// Ends reports whether the server ends the connection within a time, whatever it
// still sends.
func (c *Conn) Ends(within time.Duration) bool {
	c.Net.SetReadDeadline(time.Now().Add(within))
	_, err := io.Copy(io.Discard, c.in)
	return !IsTimeout(err)
}

// IsTimeout reports whether an error is that of a deadline.
func IsTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}
