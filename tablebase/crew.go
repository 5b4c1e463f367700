package tablebase

import (
	"context"
	"sync"
	"sync/atomic"
)

// Crew is who works on what takes many lookups.
type Crew struct {
	// Workers is how many goroutines work at once, at least 1.
	Workers int
	// Turns, unless it is nil, is a semaphore that is shared with other work: a worker
	// has a place in it for some milliseconds at a time.
	Turns chan struct{}
}

// Each has the crew work on the numbers from 0 to n−1, so many at a time, until all
// are done or ctx ends, whose error it returns. A panic of a worker is the caller's.
func (c Crew) Each(ctx context.Context, n, piece int, work func(from, to int)) error {
	var next atomic.Int64
	var panicked atomic.Pointer[any]
	var working sync.WaitGroup
	for range min(max(c.Workers, 1), (n+piece-1)/piece) {
		working.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					panicked.Store(&p)
				}
			}()
			for ctx.Err() == nil && panicked.Load() == nil {
				from := int(next.Add(int64(piece))) - piece
				if from >= n {
					return
				}
				c.turn(func() { work(from, min(from+piece, n)) })
			}
		})
	}
	working.Wait()
	if p := panicked.Load(); p != nil {
		panic(*p)
	}
	return ctx.Err()
}

// turn works when it is this worker's turn.
func (c Crew) turn(work func()) {
	if c.Turns != nil {
		c.Turns <- struct{}{}
		defer func() { <-c.Turns }()
	}
	work()
}
