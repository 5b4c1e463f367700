package survey

import (
	"context"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
)

// sampleTask is the number of random states of a task. Each task has its own generator, so
// that the sample does not depend on the threads.
const sampleTask = 1 << 12

// threadsOrAll returns the number of threads, that of all cores if it is 0.
func threadsOrAll(threads int) int {
	if threads <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return threads
}

// parallel distributes the tasks 0 to n−1 over threads, each of which calls work once, and
// waits for all. The tasks that work gets end early if ctx ends or another thread fails.
func parallel(ctx context.Context, threads int, n uint64, work func(tasks iter.Seq[uint64]) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Uint64
	tasks := func(yield func(uint64) bool) {
		for ctx.Err() == nil {
			if task := next.Add(1) - 1; task >= n || !yield(task) {
				return
			}
		}
	}
	var wg sync.WaitGroup
	for range threads {
		wg.Go(func() {
			if err := work(tasks); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
