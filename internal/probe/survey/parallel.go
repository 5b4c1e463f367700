package survey

import (
	"context"
	"iter"
	"runtime"

	"backsolve/internal/parallel"
)

// sampleTask is the number of random states of a task. Each task has its own generator, so
// that the sample does not depend on the threads.
const sampleTask = 1 << 12

func threadsOrAll(threads int) int {
	if threads <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return threads
}

// eachTask distributes the tasks 0 to n−1 over threads, each of which calls work once, and
// waits for all. The tasks that work gets end early if ctx ends or another thread fails.
func eachTask(ctx context.Context, threads int, n uint64, work func(tasks iter.Seq[uint64]) error) error {
	err := parallel.Each(int(n), threads, func(next func() (int, bool)) error {
		return work(func(yield func(uint64) bool) {
			for task, more := next(); more && ctx.Err() == nil && yield(uint64(task)); {
				task, more = next()
			}
		})
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
