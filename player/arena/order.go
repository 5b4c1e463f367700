package arena

import (
	"context"
	"sync"
	"sync/atomic"
)

// inOrder does the work numbered from 0 to n − 1 on a number of threads and delivers
// what comes of it in the order of the numbers, all in the calling goroutine. The
// error is the first one of work or deliver, or the cause of ctx.
func inOrder[T any](ctx context.Context, n, threads int, work func(ctx context.Context, i int) (T, error), deliver func(i int, v T) error) error {
	type product struct {
		i int
		v T
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	products := make(chan product)
	var workers sync.WaitGroup
	for range max(1, min(threads, n)) {
		workers.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				v, err := work(ctx, i)
				if err != nil {
					cancel(err)
					return
				}
				products <- product{i, v}
			}
		})
	}
	go func() {
		workers.Wait()
		close(products)
	}()
	early := map[int]T{}
	delivered := 0
	for p := range products {
		early[p.i] = p.v
		for v, ok := early[delivered]; ok && ctx.Err() == nil; v, ok = early[delivered] {
			delete(early, delivered)
			if err := deliver(delivered, v); err != nil {
				cancel(err)
			}
			delivered++
		}
	}
	return context.Cause(ctx)
}
