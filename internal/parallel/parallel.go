// Package parallel has workers share numbered work.
package parallel

import (
	"sync"
	"sync/atomic"
)

// Each has workers share the numbers 0 to n−1. Each worker calls next until it reports that
// there are no more; the numbers ascend. After an error or a panic there are no more. Each
// returns one of the errors; a panic of a worker is the caller's.
func Each(n, workers int, work func(next func() (int, bool)) error) error {
	var given atomic.Int64
	var failure atomic.Pointer[error]
	var panicked atomic.Pointer[any]
	next := func() (int, bool) {
		i := int(given.Add(1)) - 1
		return i, i < n && failure.Load() == nil && panicked.Load() == nil
	}
	run := func() {
		if err := work(next); err != nil {
			failure.CompareAndSwap(nil, &err)
		}
	}
	if workers = min(workers, n); workers <= 1 {
		run()
	} else {
		var group sync.WaitGroup
		for range workers {
			group.Go(func() {
				defer func() {
					if p := recover(); p != nil {
						panicked.Store(&p)
					}
				}()
				run()
			})
		}
		group.Wait()
	}
	if p := panicked.Load(); p != nil {
		panic(*p)
	}
	if err := failure.Load(); err != nil {
		return *err
	}
	return nil
}

// Counter adds up what several workers have done. The zero value is ready to use.
type Counter struct {
	lock sync.Mutex
	sum  int64
}

// Add adds n and calls report with the sum, never twice at once.
func (c *Counter) Add(n int64, report func(sum int64)) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.sum += n
	report(c.sum)
}
