package abuse

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"time"

	"backsolve/tools/load/child"
	"backsolve/tools/load/wire"
)

// slowClients is the number of clients that are slow at once.
const slowClients = 600

// drip is the pause of a slow client between two bytes, much shorter than the
// timeouts of the server.
const drip = 200 * time.Millisecond

// slowAttacks are those of one slow client, whom others at other addresses need
// not wait for.
func slowAttacks() []attack {
	all := []attack{
		{
			name: "slow headers",
			sent: fmt.Sprintf("%d connections send a header, a byte every %v.", slowClients, drip),
			run:  slowHeaders,
		},
		{
			name: "stalled bodies",
			sent: fmt.Sprintf("%d connections send half a batch and then nothing.", slowClients),
			run:  stalledBodies,
		},
		{
			name: "slow bodies",
			sent: fmt.Sprintf("%d connections send a batch, a byte every %v, for %v.", slowClients, drip, usualPace.hold),
			run:  slowBodies,
		},
		{
			name: "answers never read",
			sent: fmt.Sprintf("%d connections ask for batches of %d positions and read nothing.", slowClients, unreadBatch),
			run:  neverRead,
		},
		{
			name: "answers read slowly",
			sent: fmt.Sprintf("%d connections ask for batches of %d positions and read a byte every %v, for %v.", slowClients, unreadBatch, drip, usualPace.hold),
			run:  readSlowly,
		},
	}
	for i := range all {
		all[i].from = elsewhere
	}
	return all
}

// slack is how much later than after its timeout a server may act.
const slack = 8 * time.Second

// slowHeaders wants the connections ended by the timeout of a header.
func slowHeaders(ctx context.Context, a *arena) (string, error) {
	var last longest
	failed, err := a.crowd(ctx, slowClients, func(_ int, c *wire.Conn) error {
		if err := c.Send([]byte("GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")); err != nil {
			return err
		}
		took, err := untilEnd(c, func() []byte { return []byte("a") }, drip, headerTimeout+slack)
		last.add(took)
		return err
	})
	return fmt.Sprintf("%d were left open; the last one was ended after %s, the timeout is %v.", failed, &last, headerTimeout), err
}

// stalledBodies wants the connections ended by the timeout of reading.
func stalledBodies(ctx context.Context, a *arena) (string, error) {
	var last longest
	request := a.batch(rand.New(rand.NewPCG(1, 2)), 1000)
	failed, err := a.crowd(ctx, slowClients, func(_ int, c *wire.Conn) error {
		if err := c.Send(request[:len(request)/2]); err != nil {
			return err
		}
		took, err := untilEnd(c, func() []byte { return nil }, drip, readTimeout+slack)
		last.add(took)
		return err
	})
	return fmt.Sprintf("%d were left open; the last one was ended after %s, the timeout is %v.", failed, &last, readTimeout), err
}

// slowBodies wants others to be served, and nothing else: a batch may be sent
// slowly, so that questions can be put one at a time.
func slowBodies(ctx context.Context, a *arena) (string, error) {
	head := a.post("application/jsonl", []byte(strings.Repeat(" ", 1<<20)), "")
	head = head[:len(head)-1<<20]
	return a.hold(ctx, slowClients, func(c *wire.Conn, end time.Time) error {
		if err := c.Send(head); err != nil {
			return err
		}
		untilEnd(c, func() []byte { return []byte("X") }, drip, time.Until(end)) // it may end or not
		return nil
	})
}

// unreadBatch is the number of positions in a batch whose answer is not read: it
// is longer than what the system keeps of it.
const unreadBatch = 5000

// neverRead wants the server to give up on the answers while the connections are
// open.
func neverRead(ctx context.Context, a *arena) (string, error) {
	request := a.batch(rand.New(rand.NewPCG(3, 4)), unreadBatch)
	return a.hold(ctx, 0, func(c *wire.Conn, end time.Time) error {
		if err := a.unread(c, request); err != nil {
			return err
		}
		return wait(ctx, time.Until(end))
	})
}

// readSlowly wants the same: an answer may be read slowly, but not that slowly.
func readSlowly(ctx context.Context, a *arena) (string, error) {
	request := a.batch(rand.New(rand.NewPCG(5, 6)), unreadBatch)
	return a.hold(ctx, 0, func(c *wire.Conn, end time.Time) error {
		if err := a.unread(c, request); err != nil {
			return err
		}
		for one := make([]byte, 1); time.Now().Before(end); {
			c.Net.SetReadDeadline(end)
			if _, err := c.Net.Read(one); err != nil {
				return nil // the server has given up, or it is time to
			}
			if err := wait(ctx, drip); err != nil {
				return err
			}
		}
		return nil
	})
}

// smallWindow is the size of the receive buffer of who does not read, in bytes.
const smallWindow = 4 << 10

// unread sends a request on a connection that takes in little of the answer.
func (a *arena) unread(c *wire.Conn, request []byte) error {
	if tcp, ok := c.Net.(*net.TCPConn); ok {
		if err := tcp.SetReadBuffer(smallWindow); err != nil {
			return err
		}
	}
	return c.Send(request)
}

// hold lets slow clients hold what they can for a while. It looks at the server
// shortly before the end, and wants it to have given up on all of them but most.
func (a *arena) hold(ctx context.Context, most int, use func(c *wire.Conn, end time.Time) error) (string, error) {
	end := time.Now().Add(a.pace.hold)
	earlier := a.pace.hold * 14 / 15
	type look struct {
		u   child.Usage
		err error
	}
	looked := make(chan look)
	go func() {
		wait(ctx, earlier)
		u, err := a.usage(ctx)
		looked <- look{u, err}
	}()
	_, err := a.crowd(ctx, slowClients, func(_ int, c *wire.Conn) error { return use(c, end) })
	last := <-looked
	if err := errors.Join(err, last.err); err != nil {
		return "", err
	}
	observed := fmt.Sprintf("After %v %d requests are in flight, with %d MiB of heap in use and %d MiB resident; the timeouts are %v.",
		earlier, last.u.InFlight, last.u.Heap>>20, last.u.Resident>>20, readTimeout)
	if last.u.InFlight > most {
		return observed, errors.New("the server still waits for the slow clients")
	}
	return observed, nil
}
