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
	"backsolve/game"
	"backsolve/game/examples"
	"backsolve/game/games"
	"backsolve/internal/probe"
	"backsolve/internal/probe/survey"
)

// State is backsolve_state, a position of a board of at most 8×8 cells.
type State struct{ X, O, OToMove uint64 }

// Value is backsolve_value.
type Value struct{ Outcome, Steps int32 }

func valueOf(v probe.Value) Value { return Value{int32(v.Outcome), int32(v.Steps)} }

// piece is the number of states that are converted at once.
const piece = 1 << 12

// Values looks states up. The error says which state is wrong; those before it have values.
func Values(t *backsolve.Table, states []State, values []Value) error {
	positions, found := make([]game.Position, min(piece, len(states))), make([]probe.Value, piece)
	for first := 0; first < len(states); first += piece {
		some := states[first:min(first+piece, len(states))]
		for i, s := range some {
			positions[i] = game.Position{X: s.X, O: s.O, Mark: game.Side(min(s.OToMove, 2))}
		}
		n, err := t.Probe().Values(positions[:len(some)], found)
		for i, v := range found[:n] {
			values[first+i] = valueOf(v)
		}
		if err != nil {
			return fmt.Errorf("state %d: %w", first+n, err)
		}
	}
	return nil
}

// Read fills states, and what is stored of them, from a state with a number on.
func Read(t *backsolve.Table, first uint64, states []State, values []Value, images []uint32) (n int, err error) {
	stored := make([]survey.Stored, len(states))
	n, err = survey.Read(t.Probe(), first, stored)
	for i, s := range stored[:n] {
		states[i], values[i], images[i] = State{X: s.Position.X, O: s.Position.O}, valueOf(s.Value), uint32(min(s.Images, math.MaxUint32))
	}
	return n, err
}

// Count returns the number of stored states.
func Count(t *backsolve.Table) uint64 { return survey.StoredStates(t.Probe()) }

// ParseBoard returns the game and the size of a board that is named in one word: quixo:4.
func ParseBoard(word string) (name string, size int, err error) {
	if err := examples.Add(); err != nil {
		return "", 0, err
	}
	name, size, named, err := games.Named(word)
	switch {
	case err != nil:
		return "", 0, Inputf("%v", err)
	case !named:
		return "", 0, Inputf("%.40q names no board; give a game and a size, as in quixo:4", word)
	}
	return name, size, nil
}

// errStopped is the error of a solve that its progress function has stopped.
var errStopped = errors.New("the solve was stopped; it resumes when it is started again")

// Solve is backsolve.Solve of a board that is named in one word. Until it returns, it calls
// progress, unless nil, about ten times a second from another thread, and stops when that returns
// false.
func Solve(dir, word string, o backsolve.Options, progress func(done, total uint64) (more bool)) (*backsolve.Table, error) {
	name, size, err := ParseBoard(word)
	if err != nil {
		return nil, err
	}
	if progress == nil {
		return backsolve.Solve(context.Background(), dir, name, size, o)
	}
	ctx, stop := context.WithCancelCause(context.Background())
	var last atomic.Pointer[[2]uint64]
	last.Store(new([2]uint64))
	o.Progress = func(done, total uint64) { last.Store(&[2]uint64{done, total}) }
	var reporting sync.WaitGroup
	reporting.Go(func() {
		for ended := false; ; ended = ctx.Err() != nil { // a last report is that of the end
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
	return backsolve.Solve(ctx, dir, name, size, o)
}
