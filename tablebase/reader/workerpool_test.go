package reader_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"backsolve/tablebase/reader"
)

// A pool does each number once, in pieces none of which is empty.
func TestWorkerPool(t *testing.T) {
	for n := range 20 {
		for piece := 1; piece < 6; piece++ {
			for _, workers := range []int{0, 1, 3} {
				var lock sync.Mutex
				done := make([]int, n)
				turns := make(chan struct{}, 1)
				pool := reader.WorkerPool{Workers: workers, Turns: turns}
				err := pool.Each(t.Context(), n, piece, func(from, to int) {
					lock.Lock()
					defer lock.Unlock()
					if from >= to || to-from > piece || len(turns) != 1 {
						t.Errorf("%d in pieces of %d: %d to %d", n, piece, from, to)
					}
					for i := from; i < to; i++ {
						done[i]++
					}
				})
				for i, times := range done {
					if times != 1 {
						t.Errorf("%d in pieces of %d: number %d is done %d times", n, piece, i, times)
					}
				}
				if err != nil || len(turns) > 0 {
					t.Errorf("%d in pieces of %d: %v, and %d places are taken", n, piece, err, len(turns))
				}
			}
		}
	}
}

// The given number of workers work at once, at least one, and not more than there are places. After the end of the
// context none begins.
func TestWorkersAtOnce(t *testing.T) {
	for _, c := range []struct{ workers, places, atOnce int }{{0, 9, 1}, {1, 9, 1}, {2, 9, 2}, {4, 2, 2}, {4, 0, 4}} {
		synctest.Test(t, func(t *testing.T) {
			pool := reader.WorkerPool{Workers: c.workers}
			if c.places > 0 {
				pool.Turns = make(chan struct{}, c.places)
			}
			began := time.Now()
			if err := pool.Each(t.Context(), 8, 1, func(int, int) { time.Sleep(time.Second) }); err != nil {
				t.Error(err)
			}
			if took := time.Since(began); took != 8*time.Second/time.Duration(c.atOnce) {
				t.Errorf("%+v: %v", c, took)
			}
			ctx, cancel := context.WithCancel(t.Context())
			calls := 0
			err := reader.WorkerPool{}.Each(ctx, 8, 1, func(int, int) {
				if calls++; calls == 3 {
					cancel()
				}
			})
			if !errors.Is(err, context.Canceled) || calls != 3 {
				t.Errorf("%d calls, %v", calls, err)
			}
		})
	}
}
