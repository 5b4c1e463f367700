package generic

import (
	"context"
	"sync/atomic"

	"backsolve/internal/parallel"
)

// each calls f for 0..n-1, each once, by threads workers, until one call fails or the
// context ends. worker is below threads, and no two calls with the same one run at once.
func each(ctx context.Context, threads, n int, f func(worker, i int) error) error {
	var workers atomic.Int64
	err := parallel.Each(n, threads, func(next func() (int, bool)) error {
		worker := int(workers.Add(1)) - 1
		for i, more := next(); more && ctx.Err() == nil; i, more = next() {
			if err := f(worker, i); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return context.Cause(ctx)
}
