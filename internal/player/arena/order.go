package arena

import (
	"context"

	"backsolve/internal/parallel"
)

// inOrder does numbered work on several threads and delivers the results in order, in the calling
// goroutine. The error is the first one of work or deliver, or the cause of ctx.
func inOrder[T any](ctx context.Context, n, threads int, work func(ctx context.Context, i int) (T, error), deliver func(i int, v T) error) error {
	type product struct {
		i int
		v T
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	products := make(chan product)
	go func() {
		defer close(products)
		_ = parallel.Each(n, threads, func(next func() (int, bool)) error {
			for i, more := next(); more && ctx.Err() == nil; i, more = next() {
				v, err := work(ctx, i)
				if err != nil {
					cancel(err)
					return err
				}
				products <- product{i, v}
			}
			return nil
		})
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
