package reader

import (
	"context"

	"backsolve/internal/parallel"
)

// WorkerPool runs the work of many lookups.
type WorkerPool struct {
	// Workers is how many goroutines work at once, at least 1.
	Workers int
	// Turns, unless nil, is a semaphore shared with other work. A worker holds a place in
	// it for some milliseconds at a time.
	Turns chan struct{}
}

// Each runs work on the numbers 0 to n−1, piece at a time, until all are done or ctx ends;
// then it returns the error of ctx. A panic of a worker is the caller's.
func (p WorkerPool) Each(ctx context.Context, n, piece int, work func(from, to int)) error {
	return parallel.Each((n+piece-1)/piece, max(p.Workers, 1), func(next func() (int, bool)) error {
		for i, more := next(); more && ctx.Err() == nil; i, more = next() {
			p.acquire(func() { work(i*piece, min((i+1)*piece, n)) })
		}
		return ctx.Err()
	})
}

// acquire runs work while it holds a place in the semaphore.
func (p WorkerPool) acquire(work func()) {
	if p.Turns != nil {
		p.Turns <- struct{}{}
		defer func() { <-p.Turns }()
	}
	work()
}
