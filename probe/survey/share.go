package survey

import (
	"context"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
)

// sampleTask is the number of random states of a task, each task with a
// generator of its own, so that the sample does not depend on the threads.
const sampleTask = 1 << 12

// orAllCores returns the number of threads, that of the cores where none is given.
func orAllCores(threads int) int {
	if threads <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return threads
}

// share shares the tasks 0..n−1 out among threads, each of which calls work once,
// and waits until all are done or one has failed. The tasks that work is given
// end early where ctx ends or another thread has failed.
func share(ctx context.Context, threads int, n uint64, work func(tasks iter.Seq[uint64]) error) error {
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
