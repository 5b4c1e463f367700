package generic

import (
	"context"
	"sync"
	"sync/atomic"
)

// parallel calls f for 0..n-1, each once, by so many workers, until one call fails or the
// context ends. worker is below threads, and no two calls with the same one run at once.
func parallel(ctx context.Context, threads, n int, f func(worker, i int) error) error {
	var next atomic.Int64
	var once sync.Once
	var first error
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var workers sync.WaitGroup
	for worker := range min(threads, n) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := f(worker, i); err != nil {
					once.Do(func() { first = err })
					cancel()
				}
			}
		})
	}
	parent := ctx
	workers.Wait()
	if first != nil {
		return first
	}
	return context.Cause(parent)
}
