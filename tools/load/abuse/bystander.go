package abuse

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"backsolve/tools/load/wire"
)

// pause is the time between two requests of the others.
const pause = 20 * time.Millisecond

// bystander is a client that does nothing wrong: it asks, in turns, for a
// position on a new connection, on one that it keeps, and for a small batch.
type bystander struct {
	place  *arena
	from   string
	kept   *wire.Conn
	turns  []turn
	result struct {
		took    []time.Duration
		failed  int
		failure error
	}
}

// turn is a request with the answer that it had before the attack.
type turn struct {
	name    string
	request []byte
	keep    bool // the connection
	want    []byte
}

func newBystander(place *arena, from string) *bystander {
	position, batch := place.others()
	return &bystander{place: place, from: from, turns: []turn{
		{name: "a position on a new connection", request: position},
		{name: "a position on a connection that is kept", request: position, keep: true},
		{name: "a batch", request: batch, keep: true},
	}}
}

// begin asks for everything once, before the attack.
func (b *bystander) begin(ctx context.Context) error {
	for i := range b.turns {
		a, err := b.ask(ctx, &b.turns[i])
		if err != nil {
			return err
		}
		b.turns[i].want = a.Body
	}
	return nil
}

// start sends requests until the function that it returns is called.
func (b *bystander) start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var working sync.WaitGroup
	working.Go(func() {
		for i := 0; wait(ctx, pause) == nil; i++ {
			t := &b.turns[i%len(b.turns)]
			start := time.Now()
			err := b.try(ctx, t)
			b.result.took = append(b.result.took, time.Since(start))
			if err != nil {
				b.result.failed++
				if b.result.failure == nil {
					b.result.failure = fmt.Errorf("%s: %w", t.name, err)
				}
			}
		}
	})
	return func() {
		cancel()
		working.Wait()
		if b.kept != nil {
			b.kept.Close()
		}
	}
}

// try sends a request and compares the answer. A connection that was kept may
// have been closed by the server, as HTTP has it, in which case a new one is
// tried.
func (b *bystander) try(ctx context.Context, t *turn) error {
	reused := t.keep && b.kept != nil
	a, err := b.ask(ctx, t)
	if err != nil && reused {
		a, err = b.ask(ctx, t)
	}
	if err == nil && !bytes.Equal(a.Body, t.want) {
		err = fmt.Errorf("the answer is %.200q", a.Body)
	}
	return err
}

// patience is how long the others wait for an answer.
const patience = 5 * time.Second

func (b *bystander) ask(ctx context.Context, t *turn) (wire.Answer, error) {
	c := b.kept
	if c == nil || !t.keep {
		var err error
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		if c, err = b.dial(ctx); err != nil {
			return wire.Answer{}, err
		}
		c.Timeout = patience
	}
	a, err := c.Do(t.request, true)
	if err == nil && a.Status != 200 {
		err = fmt.Errorf("status %d: %.200s", a.Status, a.Body)
	}
	if t.keep && err == nil && !a.Close {
		b.kept = c
		return a, nil
	}
	if t.keep {
		b.kept = nil
	}
	c.Close()
	return a, err
}

func (b *bystander) dial(ctx context.Context) (*wire.Conn, error) {
	if b.from != "" {
		return wire.DialFrom(ctx, b.from, b.place.addr)
	}
	return wire.Dial(ctx, b.place.addr)
}

// served sums up how the others were served. Without failures, it is not looked
// at whether they were: for attacks after which nobody is.
func (b *bystander) served(failures bool) Others {
	took := slices.Sorted(slices.Values(b.result.took))
	o := Others{Requests: len(took)}
	if failures && b.result.failure != nil {
		o.Failed, o.Failure = b.result.failed, b.result.failure.Error()
	}
	if len(took) > 0 {
		at := func(percent int) float64 { return took[(len(took)-1)*percent/100].Seconds() }
		o.P50, o.P99, o.Longest = at(50), at(99), at(100)
	}
	return o
}
