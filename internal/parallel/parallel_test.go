package parallel

import (
	"errors"
	"sync/atomic"
	"testing"
)

// Every number is handed out once, to any number of workers.
func TestEach(t *testing.T) {
	for _, workers := range []int{1, 3, 50} {
		for _, n := range []int{0, 1, 7, 1000} {
			times := make([]atomic.Int32, n)
			err := Each(n, workers, func(next func() (int, bool)) error {
				last := -1
				for i, more := next(); more; i, more = next() {
					if times[i].Add(1); i <= last {
						t.Errorf("%d comes after %d", i, last)
					}
					last = i
				}
				return nil
			})
			for i := range times {
				if k := times[i].Load(); k != 1 {
					t.Errorf("%d workers: %d of %d comes %d times", workers, i, n, k)
				}
			}
			if err != nil {
				t.Error(err)
			}
		}
	}
}

// After an error or a panic nothing more is handed out, and the caller gets it.
func TestEachEnds(t *testing.T) {
	failed := errors.New("failed")
	for _, panics := range []bool{false, true} {
		for _, workers := range []int{1, 4} {
			var begun atomic.Int32
			err := func() (err error) {
				defer func() {
					if p := recover(); p != nil {
						err = p.(error)
					}
				}()
				return Each(1<<30, workers, func(next func() (int, bool)) error {
					for i, more := next(); more; i, more = next() {
						begun.Add(1)
						if i == 10 && panics {
							panic(failed)
						}
						if i == 10 {
							return failed
						}
					}
					return nil
				})
			}()
			if err != failed || begun.Load() == 1<<30 {
				t.Errorf("%d workers, panics %v: %v after %d", workers, panics, err, begun.Load())
			}
		}
	}
}
