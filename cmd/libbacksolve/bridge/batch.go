package bridge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"backsolve"
)

// State is backsolve_state, a position of a board of at most 8×8 cells.
type State struct{ X, O, OToMove uint64 }

// Value is backsolve_value.
type Value struct{ Outcome, Steps int32 }

func valueOf(v backsolve.Value) Value { return Value{int32(v.Outcome), int32(v.Steps)} }

const piece = 1 << 16 // states that are converted at once

// Values looks states up. The error says which state is wrong; those before it have values.
func Values(t *backsolve.Table, states []State, values []Value) error {
	masks, found := make([]backsolve.Masks, min(piece, len(states))), make([]backsolve.Value, min(piece, len(states)))
	for first := 0; first < len(states); first += piece {
		some := states[first:min(first+piece, len(states))]
		var wrong error
		for i, s := range some {
			if s.OToMove > 1 {
				some, wrong = some[:i], Inputf("o_to_move is %d; give 1 if the next mark is an O, otherwise 0", s.OToMove)
				break
			}
			masks[i] = backsolve.Masks{X: s.X, O: s.O, OToMove: s.OToMove == 1}
		}
		n, err := t.LookupAll(masks[:len(some)], found)
		for i, v := range found[:n] {
			values[first+i] = valueOf(v)
		}
		if err == nil {
			err = wrong
		}
		if err != nil {
			return fmt.Errorf("state %d: %w", first+n, err)
		}
	}
	return nil
}

// Read fills states, and their stored values, from the state with a number on.
func Read(t *backsolve.Table, first uint64, states []State, values []Value, images []uint32) (n int, err error) {
	masks, found, times := make([]backsolve.Masks, len(states)), make([]backsolve.Value, len(states)), make([]uint64, len(states))
	n, err = t.Read(first, masks, found, times)
	for i, m := range masks[:n] {
		states[i], values[i], images[i] = State{X: m.X, O: m.O}, valueOf(found[i]), uint32(min(times[i], math.MaxUint32))
	}
	return n, err
}

var errStopped = errors.New("the solve was stopped; it resumes when it is started again")

// Solve is backsolve.Solve. Another thread calls progress, unless nil, ten times a second, and stops the solve if that returns false.
func Solve(dir, board string, o backsolve.Options, progress func(done, total uint64) (more bool)) (*backsolve.Table, error) {
	if progress == nil {
		return backsolve.Solve(context.Background(), dir, board, o)
	}
	ctx, stop := context.WithCancelCause(context.Background())
	var last atomic.Pointer[[2]uint64]
	last.Store(new([2]uint64))
	o.Progress = func(e backsolve.Event) { last.Store(&[2]uint64{e.Done, e.Total}) }
	var reporting sync.WaitGroup
	reporting.Go(func() {
		for ended := false; ; ended = ctx.Err() != nil { // one more report follows the end
			if now := last.Load(); !progress(now[0], now[1]) {
				stop(errStopped)
				return
			}
			if ended {
				return
			}
			select {
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond):
			}
		}
	})
	defer reporting.Wait()
	defer stop(nil)
	return backsolve.Solve(ctx, dir, board, o)
}
