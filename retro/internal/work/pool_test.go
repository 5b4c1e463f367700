package work

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"
)

// Every unit is done once, and progress counts all of them, with any number of threads and tasks.
func TestPoolDoesEachUnitOnce(t *testing.T) {
	for _, threads := range []int{1, 2, 5} {
		for _, tasks := range []int{1, 3, 10} {
			p := NewPool(t.Context(), threads, tasks)
			for _, n := range []int{0, 1, 2, 7, 29, 30, 31, 1000} {
				times := make([]atomic.Int32, n)
				var reported atomic.Int64
				if err := p.Run(0, n, func(_ *Worker, unit int) { times[unit].Add(1) }, func(units int) { reported.Add(int64(units)) }); err != nil {
					t.Fatal(err)
				}
				if reported.Load() != int64(n) {
					t.Errorf("%d threads, %d tasks for each: %d of %d units are reported", threads, tasks, reported.Load(), n)
				}
				for unit := range times {
					if k := times[unit].Load(); k != 1 {
						t.Errorf("%d threads, %d tasks for each: unit %d of %d is done %d times", threads, tasks, unit, n, k)
					}
				}
			}
		}
	}
}

// Threads work concurrently: each unit waits for the other one.
func TestPoolWorksAtOnce(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	begun := []chan struct{}{make(chan struct{}), make(chan struct{})}
	err := NewPool(ctx, 2, 1).Run(0, 2, func(_ *Worker, unit int) {
		close(begun[unit])
		select {
		case <-begun[1-unit]:
		case <-ctx.Done():
		}
	}, nil)
	if err != nil {
		t.Error("one unit was not begun while the other one was in work")
	}
}

// A pool stops with its context or the first error, and returns the cause.
func TestPoolEnds(t *testing.T) {
	stopped, failed := errors.New("stopped"), errors.New("failed")
	for _, threads := range []int{1, 3} {
		ctx, stop := context.WithCancelCause(t.Context())
		p, done := NewPool(ctx, threads, 4), atomic.Int32{}
		err := p.Run(0, 1000, func(*Worker, int) { done.Add(1); stop(stopped) }, nil)
		if !errors.Is(err, stopped) || done.Load() == 1000 {
			t.Errorf("%d threads: %v after %d units", threads, err, done.Load())
		}
		p = NewPool(t.Context(), threads, 4)
		err = p.Run(0, 1000, func(*Worker, int) { p.Fail(nil); p.Fail(failed); p.Fail(stopped) }, nil)
		if err != failed || p.Run(0, 1, func(*Worker, int) { t.Error("work goes on") }, nil) != failed {
			t.Errorf("%d threads: %v", threads, err)
		}
	}
}
