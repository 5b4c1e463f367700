package abuse

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"sync"
	"time"

	"backsolve/game"
	"backsolve/probe"
	"backsolve/tools/load/child"
	"backsolve/tools/load/wire"
)

// arena is the server under attack with what is needed to attack it.
type arena struct {
	addr    string
	process Process
	dir     string // of its tables
	rules   game.Grid
	other   game.Grid // of the board that others ask about
	token   string    // that the server wants to be shown, "" for none
	fields  string    // lines of the header that show the token, if there is one
	before  child.Usage
	pace    pace
}

// pace is how long an attack and what follows it take.
type pace struct {
	// hold is how long slow clients try to hold what they have: much longer than
	// the timeouts of the server.
	hold time.Duration
	// harm is how long a table stays harmed: the server looks at its directory
	// every two seconds.
	harm time.Duration
	// settle is how long the server has to give back what an attack has taken.
	settle time.Duration
}

var usualPace = pace{hold: 15 * time.Second, harm: 4 * time.Second, settle: 20 * time.Second}

func newArena(addr string, p Process, dir string, o Options, token string) *arena {
	a := &arena{addr: addr, process: p, dir: dir, rules: o.Rules, other: o.Bystander, token: token, pace: usualPace}
	if token != "" {
		a.fields = "Authorization: Bearer " + token + "\r\n"
	}
	return a
}

// host is what requests are addressed to.
const host = "localhost"

// path returns the path of a board's operation.
func path(rules game.Grid, operation string) string {
	return fmt.Sprintf("/v1/%s/%d/%s", rules.Name(), rules.Size(), operation)
}

// position returns a request for a random position of the board under attack.
func (a *arena) position(r *rand.Rand) []byte {
	p := probe.RandomOpenPosition(a.rules, r)
	return wire.Get(host, path(a.rules, "position")+"?p="+url.QueryEscape(a.rules.Format(p)), a.fields)
}

// batch returns a request for so many random positions.
func (a *arena) batch(r *rand.Rand, n int) []byte {
	var texts []string
	for range n {
		texts = append(texts, a.rules.Format(probe.RandomOpenPosition(a.rules, r)))
	}
	body, err := json.Marshal(texts)
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return a.post("application/json", body, "")
}

// post returns a request with a body for the board's batches.
func (a *arena) post(media string, body []byte, fields string) []byte {
	return wire.Post(host, path(a.rules, "positions"), media, body, a.fields+fields)
}

// others returns the requests of those who do nothing wrong.
func (a *arena) others() (position, batch []byte) {
	text := a.other.Format(a.other.Start())
	position = wire.Get(host, path(a.other, "position")+"?p="+url.QueryEscape(text), a.fields)
	return position, wire.Post(host, path(a.other, "positions"), "application/jsonl", []byte(text+"\n"+text+"\n"), a.fields)
}

func (a *arena) usage(ctx context.Context) (child.Usage, error) {
	return child.Scrape(ctx, a.addr, a.token)
}

func (a *arena) dial(ctx context.Context) (*wire.Conn, error) { return wire.Dial(ctx, a.addr) }

// crowd opens n connections, lets each be used in its own goroutine, and closes
// them when all have been. It returns how many could not be opened or used, and
// why the first one could not.
func (a *arena) crowd(ctx context.Context, n int, use func(i int, c *wire.Conn) error) (failed int, first error) {
	var mu sync.Mutex
	var working sync.WaitGroup
	for i := range n {
		working.Go(func() {
			c, err := a.dial(ctx)
			if err == nil {
				defer c.Close()
				err = use(i, c)
			}
			if err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed++
				first = firstError(first, err)
			}
		})
	}
	working.Wait()
	return failed, first
}

func firstError(first, next error) error {
	if first != nil {
		return first
	}
	return next
}

// errOpen is the error where the server should have ended a connection.
var errOpen = errors.New("the connection is still open")

// untilEnd sends bytes one after the other, with a pause before each, until the
// server ends the connection. It returns how long that took, or errOpen after so
// long.
func untilEnd(c *wire.Conn, next func() []byte, pause, most time.Duration) (time.Duration, error) {
	start := time.Now()
	for time.Since(start) < most {
		if c.Ends(pause) {
			return time.Since(start), nil
		}
		c.Net.SetWriteDeadline(time.Now().Add(pause))
		if b := next(); len(b) > 0 {
			c.Net.Write(b) // where the connection has ended, Ends tells
		}
	}
	return time.Since(start), errOpen
}

// longest keeps the longest of durations.
type longest struct {
	mu sync.Mutex
	d  time.Duration
}

func (l *longest) add(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.d = max(l.d, d)
}

// String returns the duration in tenths of a second.
func (l *longest) String() string { return fmt.Sprintf("%.1f s", l.d.Seconds()) }
