package generic

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"sync/atomic"

	"backsolve/internal/memory"
)

// ErrMemory is the cause when a tier with loops does not fit into the memory allowed.
var ErrMemory = errors.New("a tier with loops needs more memory than allowed")

// loops solves a tier whose moves may stay in it, ply by ply: all states with a value of k
// plies are known before those of k + 1. What a move out of the tier is worth is known at
// the start, and counts when its ply comes.
type loops struct {
	s *solver
	t int
	// state has the score of each state in the upper half, 0 where it is not known yet, and
	// in the lower half the number of moves that keep it from being lost: those within the
	// tier that are not known to lose, and those out of it that win or draw.
	state []uint32
	// waits has the score that a state is lost with at the earliest, for moves out of the
	// tier that lose late.
	waits []score
	// The states with a move within the tier to state i are
	// parents[starts[i]:starts[i+1]]; one with several such moves is there as often.
	starts  []uint32
	parents []uint32
	// won and lost are, by plies, states that are so at that ply if they have no score yet.
	won, lost [][]uint32
	found     []growing // by goroutine
}

// growing is what a goroutine has found: states that become won and lost, by plies.
type growing struct{ won, lost [][]uint32 }

func at(states *[][]uint32, plies int, state uint32) {
	for len(*states) <= plies {
		*states = append(*states, nil)
	}
	(*states)[plies] = append((*states)[plies], state)
}

// solveLoops writes the values of a tier whose moves may stay in it.
func solveLoops(ctx context.Context, s *solver, t int, out *os.File) (err error) {
	n := s.keys[t].len()
	if uint64(n) >= math.MaxUint32 {
		return fmt.Errorf("%w: tier %d has %d states", ErrMemory, t, n)
	}
	l := &loops{s: s, t: t, found: make([]growing, s.threads)}
	defer func() {
		memory.FreeArray(l.state)
		memory.FreeArray(l.waits)
		memory.FreeArray(l.starts)
		memory.FreeArray(l.parents)
	}()
	if err := l.allowed(0); err != nil {
		return err
	}
	for _, make := range []func() error{
		func() (err error) { l.state, err = memory.NewArray[uint32](n); return },
		func() (err error) { l.waits, err = memory.NewArray[score](n); return },
		func() (err error) { l.starts, err = memory.NewArray[uint32](n + 2); return },
		func() error { return l.count(ctx) },
		func() (err error) { l.parents, err = memory.NewArray[uint32](int(l.starts[n+1])); return },
		func() error { return l.link(ctx) },
		func() error { return l.label(ctx) },
	} {
		if err := make(); err != nil {
			return err
		}
	}
	scores := l.waits // they are not needed any more
	for i, v := range l.state {
		if scores[i] = score(v >> 16); scores[i] == 0 {
			scores[i] = drawn
		}
	}
	_, err = out.Write(bytesOf(scores))
	return err
}

// allowed reports whether the arrays, with so many moves, fit into the memory allowed.
func (l *loops) allowed(moves uint64) error {
	need := int64(10*l.s.keys[l.t].len()) + int64(4*moves)
	if l.s.o.Memory > 0 && need > l.s.o.Memory {
		return fmt.Errorf("%w: tier %d of %d states takes %d bytes of %d", ErrMemory, l.t, l.s.keys[l.t].len(), need, l.s.o.Memory)
	}
	return nil
}

// count counts the moves from and to each state, and takes in those that leave the tier.
// starts[i+2] becomes the number of moves to state i, and then where its parents begin.
func (l *loops) count(ctx context.Context) error {
	var moves atomic.Uint64
	err := l.each(ctx, func(worker int, f *family, base int) error {
		g := &l.found[worker]
		for i, v := range f.scores {
			if v != 0 { // it is over, and has no move
				l.over(g, uint32(base+i), v)
			}
		}
		best := make([]score, len(f.scores))
		for tier := range f.edges {
			err := l.s.keys[tier].rank(f, tier, func(parent uint32, rank int) {
				p := base + int(parent)
				if tier == l.t {
					l.state[p]++
					moves.Add(1)
					atomic.AddUint32(&l.starts[rank+2], 1)
					return
				}
				switch v := l.s.values[tier][rank].before(); {
				case v < drawn:
					l.waits[p] = max(l.waits[p], v)
				case v > drawn:
					best[parent] = max(best[parent], v)
					fallthrough
				default:
					l.state[p]++ // it never goes
				}
			})
			if err != nil {
				return err
			}
		}
		for i, v := range best {
			if v > 0 {
				at(&g.won, v.value().Steps, uint32(base+i))
			}
			if v == 0 && f.scores[i] == 0 && l.state[base+i] == 0 {
				at(&g.lost, l.waits[base+i].value().Steps, uint32(base+i))
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if moves.Load() > math.MaxUint32 {
		return fmt.Errorf("%w: tier %d has %d moves", ErrMemory, l.t, moves.Load())
	}
	for i := 2; i < len(l.starts); i++ {
		l.starts[i] += l.starts[i-1]
	}
	return l.allowed(moves.Load())
}

// over takes in a state that is over.
func (l *loops) over(g *growing, state uint32, v score) {
	switch {
	case v > drawn:
		at(&g.won, 0, state)
	case v < drawn:
		at(&g.lost, 0, state)
	default:
		l.state[state] = uint32(drawn) << 16
	}
}

// link fills in the parents: afterwards starts[i] is where those of state i begin.
func (l *loops) link(ctx context.Context) error {
	return l.each(ctx, func(_ int, f *family, base int) error {
		return l.s.keys[l.t].rank(f, l.t, func(parent uint32, rank int) {
			l.parents[atomic.AddUint32(&l.starts[rank+1], 1)-1] = uint32(base) + parent
		})
	})
}

// each calls f for the families of the whole tier, base being the number of the first
// parent.
func (l *loops) each(ctx context.Context, f func(worker int, family *family, base int) error) error {
	tasks := l.s.keys[l.t].tasks(parentBlocks)
	families := make([]family, l.s.threads)
	return each(ctx, l.s.threads, len(tasks), func(worker, i int) error {
		if err := l.s.children(&families[worker], l.t, tasks[i]); err != nil {
			return err
		}
		return f(worker, &families[worker], tasks[i].base+tasks[i].first*blockKeys)
	})
}

// labelled is how many states a task labels. Tests make it small.
var labelled = 1 << 13

// label gives all states their scores but those that are drawn.
func (l *loops) label(ctx context.Context) error {
	for plies := 0; ; plies++ {
		for i := range l.found {
			g := &l.found[i]
			l.won, g.won = moved(l.won, g.won)
			l.lost, g.lost = moved(l.lost, g.lost)
		}
		if plies >= len(l.won) && plies >= len(l.lost) {
			return nil
		}
		if plies > mostSteps {
			return errTooLong
		}
		for _, won := range []bool{true, false} {
			states := l.lost
			if won {
				states = l.won
			}
			if plies >= len(states) {
				continue
			}
			now := states[plies]
			states[plies] = nil
			tasks := (len(now) + labelled - 1) / labelled
			err := each(ctx, l.s.threads, tasks, func(worker, i int) error {
				l.propagate(&l.found[worker], now[i*labelled:min(len(now), (i+1)*labelled)], plies, won)
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
}

// moved appends what a goroutine has found to what all have.
func moved(all, found [][]uint32) (both, none [][]uint32) {
	for len(all) < len(found) {
		all = append(all, nil)
	}
	for plies := range found {
		all[plies] = append(all[plies], found[plies]...)
	}
	return all, found[:0]
}

// propagate gives states their score where they have none yet, and finds what that makes
// of their parents.
func (l *loops) propagate(g *growing, states []uint32, plies int, won bool) {
	v := 1 + score(plies)
	if won {
		v = 0xffff - score(plies)
	}
	for _, state := range states {
		if !l.set(state, v) {
			continue
		}
		for _, parent := range l.parents[l.starts[state]:l.starts[state+1]] {
			switch {
			case !won:
				if atomic.LoadUint32(&l.state[parent])>>16 == 0 {
					at(&g.won, plies+1, parent)
				}
			case atomic.AddUint32(&l.state[parent], ^uint32(0))&0xffff == 0:
				at(&g.lost, max(l.waits[parent], v.before()).value().Steps, parent)
			}
		}
	}
}

// set gives a state its score, and reports whether it had none.
func (l *loops) set(state uint32, v score) bool {
	for {
		old := atomic.LoadUint32(&l.state[state])
		if old>>16 != 0 {
			return false
		}
		if atomic.CompareAndSwapUint32(&l.state[state], old, old|uint32(v)<<16) {
			return true
		}
	}
}
