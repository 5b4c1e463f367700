package abuse

import (
	"context"
	"net"
	"net/http"
	"time"

	"backsolve/tools/load/wire"
)

// patience is how long a client that does nothing wrong waits for an answer.
const patience = 5 * time.Second

// client is a client that does nothing wrong. It keeps its connection; where the
// server has closed that, as HTTP has it, a new one is opened.
type client struct {
	addr string
	http *http.Client
}

// newClient returns a client at an address of this machine, "" for any, that keeps
// its connection or has a new one for each request.
func (a *arena) newClient(from string, keep bool) *client {
	d := &net.Dialer{}
	if from != "" {
		d.LocalAddr = &net.TCPAddr{IP: net.ParseIP(from)}
	}
	t := &http.Transport{DialContext: d.DialContext, DisableKeepAlives: !keep, DisableCompression: true}
	return &client{a.addr, &http.Client{Transport: t, Timeout: patience}}
}

func (c *client) close() { c.http.CloseIdleConnections() }

// ask sends a good request and returns the whole answer, even where ctx ends
// meanwhile.
func (c *client) ask(ctx context.Context, request []byte) (wire.Answer, error) {
	r := wire.Proper(c.addr, request).WithContext(context.WithoutCancel(ctx))
	r.Header["Idempotency-Key"] = nil // a batch changes nothing, so it can be sent again; not sent itself
	a, err := c.http.Do(r)
	if err != nil {
		return wire.Answer{}, err
	}
	return wire.Whole(a)
}
