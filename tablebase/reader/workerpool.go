package reader

import (
	"context"
	"sync"
	"sync/atomic"
)

// WorkerPool runs work of many lookups.
type WorkerPool struct {
	// Workers is how many goroutines work at once, at least 1.
	Workers int
	// Turns, unless it is nil, is a semaphore that is shared with other work: a worker
	// has a place in it for some milliseconds at a time.
	Turns chan struct{}
}

// Each runs the workers on the numbers from 0 to n−1, so many at a time, until all
// are done or ctx ends, whose error it returns. A panic of a worker is the caller's.
func (c WorkerPool) Each(ctx context.Context, n, piece int, work func(from, to int)) error {
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
				c.acquire(func() { work(from, min(from+piece, n)) })
			}
		})
	}
	working.Wait()
	if p := panicked.Load(); p != nil {
		panic(*p)
	}
	return ctx.Err()
}

// acquire runs work while it holds a place in the semaphore.
func (c WorkerPool) acquire(work func()) {
	if c.Turns != nil {
		c.Turns <- struct{}{}
		defer func() { <-c.Turns }()
	}
	work()
}
