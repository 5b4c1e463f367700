package abuse

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"backsolve/tools/load/wire"
)

const (
	// idleConnections are opened and left alone.
	idleConnections = 10_000
	// allowedConnections is what a server allows that gets more than it allows.
	allowedConnections = 500
	// resets is the number of connections that end in the middle of something.
	resets = 3000
)

func connectionAttacks() []attack {
	return []attack{
		{
			name: "idle connections",
			sent: fmt.Sprintf("%d connections are opened and left alone; every second one has sent a request first.", idleConnections),
			run:  idle,
		},
		{
			name: "more connections than allowed",
			sent: fmt.Sprintf("%d connections are opened and left alone, at a server with --max-connections %d; every second one has sent a request first.",
				4*allowedConnections, allowedConnections),
			args: func(string) ([]string, error) {
				return []string{"--max-connections", fmt.Sprint(allowedConnections)}, nil
			},
			run: tooManyConnections,
		},
		{
			name: "cut connections",
			sent: fmt.Sprintf("%d connections are reset or half closed in the middle of a header, a body or an answer.", resets),
			run:  cut,
		},
	}
}

// idle wants the server to have all connections at once, and to end them after
// its timeouts.
func idle(ctx context.Context, a *arena) (string, error) {
	conns, err := a.openIdle(ctx, idleConnections)
	defer closeAll(conns)
	if err != nil {
		return "", fmt.Errorf("only %d connections could be opened (%s): %w", len(conns), fileLimit(), err)
	}
	u, err := a.usage(ctx)
	if err != nil {
		return "", err
	}
	took, open := allEnd(conns, idleTimeout+slack)
	observed := fmt.Sprintf("All were open at once (%s), with %d goroutines and %d MiB resident; the last one was ended %.1f s after that, %d were left open; the timeouts are %v and %v.",
		fileLimit(), u.Goroutines, u.Resident>>20, took.Seconds(), open, headerTimeout, idleTimeout)
	if open > 0 {
		return observed, errOpen
	}
	return observed, nil
}

// openIdle opens so many connections, half of them with one request each.
func (a *arena) openIdle(ctx context.Context, n int) ([]*wire.Conn, error) {
	r := rand.New(rand.NewPCG(7, 8))
	conns := make([]*wire.Conn, 0, n)
	for i := range n {
		c, err := a.dial(ctx)
		if err != nil {
			return conns, err
		}
		conns = append(conns, c)
		if i%2 == 0 {
			continue
		}
		if answer, err := c.Do(a.position(r)); err != nil || answer.Status != 200 {
			return conns, fmt.Errorf("the request on connection %d has the status %d: %w", i+1, answer.Status, err)
		}
	}
	return conns, nil
}

func closeAll(conns []*wire.Conn) {
	for _, c := range conns {
		c.Close()
	}
}

// allEnd waits until the server has ended all connections, or so long. It returns
// how long it took, and how many are open still.
func allEnd(conns []*wire.Conn, most time.Duration) (time.Duration, int) {
	start := time.Now()
	var open atomic.Int64
	var waiting sync.WaitGroup
	for _, c := range conns {
		waiting.Go(func() {
			if !c.Ends(most) {
				open.Add(1)
			}
		})
	}
	waiting.Wait()
	return time.Since(start), int(open.Load())
}

// tooManyConnections wants the server to serve others although there is no room.
func tooManyConnections(ctx context.Context, a *arena) (string, error) {
	conns := make([]*wire.Conn, 0, 4*allowedConnections)
	defer func() { closeAll(conns) }()
	r := rand.New(rand.NewPCG(9, 10))
	for i := range cap(conns) {
		c, err := a.dial(ctx)
		if err != nil {
			return "", err
		}
		conns = append(conns, c)
		if i%2 == 1 {
			if err := c.Send(a.position(r)); err != nil {
				return "", err
			}
		}
	}
	if err := wait(ctx, headerTimeout/2); err != nil {
		return "", err
	}
	u, err := a.usage(ctx)
	if err != nil {
		return "", err
	}
	took, open := allEnd(conns, 2*idleTimeout+slack)
	observed := fmt.Sprintf("There were %d goroutines at once; the last connection was ended %.1f s after that, %d were left open.", u.Goroutines, took.Seconds(), open)
	if open > 0 {
		return observed, errOpen
	}
	if u.Goroutines > a.before.Goroutines+4*allowedConnections {
		return observed, fmt.Errorf("there are more goroutines than %d connections need", allowedConnections)
	}
	return observed, nil
}

// cut ends connections where the server does not expect it.
func cut(ctx context.Context, a *arena) (string, error) {
	r := rand.New(rand.NewPCG(11, 12))
	position, batch := a.position(r), a.batch(r, 1000)
	var mu sync.Mutex // of r
	draw := func(n int) int {
		mu.Lock()
		defer mu.Unlock()
		return r.IntN(n)
	}
	served := atomic.Int64{}
	const atOnce = 100
	for range resets / atOnce {
		_, err := a.crowd(ctx, atOnce, func(i int, c *wire.Conn) error {
			switch i % 5 {
			case 0: // in the header
				c.Send(position[:draw(len(position))])
				return c.Reset()
			case 1: // in the body
				c.Send(batch[:200+draw(len(batch)-200)])
				return c.Reset()
			case 2: // in the answer
				c.Send(batch)
				c.Net.Read(make([]byte, 100))
				return c.Reset()
			case 3: // half closed within a body
				c.Send(batch[:200+draw(len(batch)-200)])
				c.CloseWrite()
				c.Ends(slack)
				return nil
			default: // half closed after a request, which is in order
				c.Send(position)
				c.CloseWrite()
				if answer, err := c.Receive(); err != nil || answer.Status != 200 {
					return fmt.Errorf("a request on a connection that was half closed after it has the status %d: %w", answer.Status, err)
				}
				served.Add(1)
				return nil
			}
		})
		if err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("The %d requests that were whole when their connections were half closed were answered.", served.Load()), nil
}
