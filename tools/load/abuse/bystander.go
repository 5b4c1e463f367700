package abuse

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// pause is the time between two requests of the others.
const pause = 20 * time.Millisecond

// bystander is a client that does nothing wrong: it asks, in turns, for a
// position on a new connection, on one that it keeps, and for a small batch.
type bystander struct {
	fresh  *client // has a new connection for each request
	kept   *client
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
	client  *client
	request []byte
	want    []byte
}

func newBystander(place *arena, from string) *bystander {
	position, batch := place.others()
	b := &bystander{fresh: place.newClient(from, false), kept: place.newClient(from, true)}
	b.turns = []turn{
		{name: "a position on a new connection", client: b.fresh, request: position},
		{name: "a position on a connection that is kept", client: b.kept, request: position},
		{name: "a batch", client: b.kept, request: batch},
	}
	return b
}

// begin asks for everything once, before the attack.
func (b *bystander) begin(ctx context.Context) error {
	for i := range b.turns {
		t := &b.turns[i]
		var err error
		if t.want, err = t.ask(ctx); err != nil {
			return err
		}
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
			err := t.try(ctx)
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
		b.kept.close()
	}
}

// try sends a request and compares the answer.
func (t *turn) try(ctx context.Context) error {
	body, err := t.ask(ctx)
	if err == nil && !bytes.Equal(body, t.want) {
		err = fmt.Errorf("the answer is %.200q", body)
	}
	return err
}

func (t *turn) ask(ctx context.Context) ([]byte, error) {
	a, err := t.client.ask(ctx, t.request)
	if err == nil && a.Status != 200 {
		err = fmt.Errorf("status %d: %.200s", a.Status, a.Body)
	}
	return a.Body, err
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
