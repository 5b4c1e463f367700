package generic

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"sync/atomic"

	"backsolve/game"
	"backsolve/internal/bitslice"
	"backsolve/internal/memory"
)

// ErrMemory is the cause when a tier with loops does not fit into the memory allowed.
var ErrMemory = errors.New("a tier with loops needs more memory than allowed; raise the limit")

// loops solves a tier whose moves may stay in it, ply by ply: all states with a value of k
// plies are known before those of k + 1. What a move out of the tier is worth is known at
// the start, and counts when its ply comes. Each ply is a pass over all states that are not
// known yet until the moves between those that are left fit into memory.
type loops struct {
	s *Solution
	t int
	// state has the score of each state in the upper half, 0 where it is not known yet, and
	// in the lower half the number of moves that keep it from being lost: those within the
	// tier that are not known to lose, and those that draw or leave the tier and win.
	state []uint32
	// passed means that passes have found the states that are over, and perhaps more. What
	// they know is fixed while moves are counted and linked.
	passed bool
	// waits has the score that a state is lost with at the earliest, for moves known from
	// the start to lose late.
	waits []score
	// The states with a move within the tier to state i are
	// parents[starts[i]:starts[i+1]]; one with several such moves is there as often.
	starts  []uint32
	parents []uint32
	// won and lost are, by plies, states that are so at that ply if they have no score yet.
	won, lost [][]uint32
	found     []growing // by goroutine
	share     float64   // of the states, which passes have not found
}

// looking is the part of the time of a propagation in which the moves of all states are looked at, which
// is done twice.
const looking = 0.48

// growing is what a goroutine has found: states that become won and lost, by plies.
type growing struct {
	won, lost [][]uint32
	open      []uint32 // by parent, the moves that keep it from being lost
	best      []score  // by parent, the best known move
}

func addAt(states *[][]uint32, plies int, state uint32) {
	for len(*states) <= plies {
		*states = append(*states, nil)
	}
	(*states)[plies] = append((*states)[plies], state)
}

type rest struct {
	states, moves uint64 // that are not known, and the moves between them
	next          int    // the ply of the next pass, −1 if all that is left is drawn
}

func solveLoops(ctx context.Context, s *Solution, t int, out *os.File) (err error) {
	n := s.keys[t].len()
	l := &loops{s: s, t: t, found: make([]growing, s.threads)}
	defer func() {
		memory.FreeArray(l.state)
		memory.FreeArray(l.waits)
		memory.FreeArray(l.starts)
		memory.FreeArray(l.parents)
	}()
	if need := 6 * int64(n); s.o.Memory > 0 && need > s.o.Memory {
		return fmt.Errorf("%w: tier %d of %d states takes at least %d bytes of %d", ErrMemory, t, n, need, s.o.Memory)
	}
	if l.state, err = memory.NewArray[uint32](n); err != nil {
		return err
	}
	for left := (rest{states: uint64(n), moves: math.MaxUint64}); left.next >= 0; {
		if l.share = float64(left.states) / float64(n); l.fits(left) {
			if err := l.propagateAll(ctx); err != nil {
				return err
			}
			break
		}
		before := left.states
		if left, err = l.pass(ctx, left.next); err != nil {
			return err
		}
		s.advance(int(before - left.states))
	}
	var scores []score
	for states := range slices.Chunk(l.state, 1<<16) {
		scores = scores[:0]
		for _, v := range states {
			if v >>= 16; v == 0 {
				v = uint32(drawn)
			}
			scores = append(scores, score(v))
		}
		if _, err := out.Write(bitslice.Bytes(scores)); err != nil {
			return err
		}
	}
	return nil
}

// fits reports whether all moves between the states that are left fit into memory.
func (l *loops) fits(left rest) bool {
	n := uint64(l.s.keys[l.t].len())
	if l.s.o.Memory == 0 {
		return n < math.MaxUint32 && (!l.passed || left.moves < math.MaxUint32)
	}
	return n < math.MaxUint32 && left.moves < math.MaxUint32 && 10*n+8*left.states+4*left.moves <= uint64(l.s.o.Memory-l.s.o.Memory/4)
}

// pass finds the states whose value takes the given number of plies. All with fewer are known.
func (l *loops) pass(ctx context.Context, plies int) (rest, error) {
	if plies > mostSteps && !l.s.o.Outcomes {
		return rest{}, errTooLong
	}
	l.passed = true
	lefts := make([]rest, l.s.threads)
	for i := range lefts {
		lefts[i].next = math.MaxInt
	}
	err := l.each(ctx, func(worker int, f *family, base int) error {
		g, left := &l.found[worker], &lefts[worker]
		g.clear(len(f.scores))
		for tier := range f.edges {
			err := l.s.rank(f, tier, func(parent uint32, rank int) {
				v := l.child(tier, rank)
				if v == 0 {
					g.open[parent]++
					v = drawn
				}
				g.best[parent] = max(g.best[parent], v.before())
			})
			if err != nil {
				return err
			}
		}
		for i, v := range f.scores {
			if l.known(base + i) {
				continue
			}
			if v == 0 {
				v = g.best[i]
			} else if v == drawn {
				atomic.StoreUint32(&l.state[base+i], uint32(v)<<16)
				continue
			}
			switch steps := v.value().Steps; {
			case steps == plies, steps > mostSteps && plies > mostSteps:
				atomic.StoreUint32(&l.state[base+i], uint32(v.capped())<<16)
				left.next = plies + 1
			default:
				left.states++
				left.moves += uint64(g.open[i])
				if steps > plies {
					left.next = min(left.next, steps)
				}
			}
		}
		return nil
	})
	all := rest{next: math.MaxInt}
	for _, left := range lefts {
		all = rest{all.states + left.states, all.moves + left.moves, min(all.next, left.next)}
	}
	if all.next == math.MaxInt {
		all.next = -1
	}
	return all, err
}

func (g *growing) clear(n int) {
	g.open, g.best = slices.Grow(g.open[:0], n)[:n], slices.Grow(g.best[:0], n)[:n]
	clear(g.open)
	clear(g.best)
}

func (l *loops) known(state int) bool {
	return l.passed && atomic.LoadUint32(&l.state[state])>>16 != 0
}

// child returns the score of a state that a move leads to, 0 where it is not known.
func (l *loops) child(tier, rank int) score {
	switch {
	case tier != l.t:
		return l.s.values[tier][rank]
	case l.passed:
		return score(atomic.LoadUint32(&l.state[rank]) >> 16)
	}
	return 0
}

// propagateAll finds the values of the states that are left by counters and by the moves
// between them, and looks at each once.
func (l *loops) propagateAll(ctx context.Context) error {
	n := len(l.state)
	for _, step := range []func() error{
		func() (err error) { l.waits, err = memory.NewArray[score](n); return },
		func() (err error) { l.starts, err = memory.NewArray[uint32](n + 2); return },
		func() error { return l.count(ctx) },
		func() (err error) { l.parents, err = memory.NewArray[uint32](int(l.starts[n+1])); return },
		func() error { return l.link(ctx) },
		func() error { return l.label(ctx) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// count counts the moves from and to each state, and takes in those that leave the tier.
// starts[i+2] becomes the number of moves to state i, and then where its parents begin.
func (l *loops) count(ctx context.Context) error {
	var moves atomic.Uint64
	err := l.each(ctx, func(worker int, f *family, base int) error {
		defer l.advance(len(f.scores))
		g, within := &l.found[worker], uint64(0)
		g.clear(len(f.scores))
		for tier := range f.edges {
			err := l.s.rank(f, tier, func(parent uint32, rank int) {
				v := l.child(tier, rank)
				switch before := v.before(); {
				case v == 0:
					within++
					atomic.AddUint32(&l.starts[rank+2], 1)
					g.open[parent]++
				case before < drawn:
					l.waits[base+int(parent)] = max(l.waits[base+int(parent)], before)
				default:
					g.best[parent] = max(g.best[parent], before)
					g.open[parent]++ // it never goes
				}
			})
			if err != nil {
				return err
			}
		}
		moves.Add(within)
		for i, v := range f.scores {
			state := base + i
			switch best := g.best[i]; {
			case l.known(state):
			case v == drawn:
				l.state[state] = uint32(drawn) << 16
			case v > drawn:
				addAt(&g.won, 0, uint32(state))
			case v != 0:
				addAt(&g.lost, 0, uint32(state))
			case best > drawn:
				addAt(&g.won, best.value().Steps, uint32(state))
				fallthrough
			case g.open[i] > 0:
				atomic.StoreUint32(&l.state[state], g.open[i])
			default:
				addAt(&g.lost, l.waits[state].value().Steps, uint32(state))
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if moves.Load() > math.MaxUint32 {
		return fmt.Errorf("%w: tier %d has %d moves; with a memory limit it is solved by passes", ErrMemory, l.t, moves.Load())
	}
	for i := 2; i < len(l.starts); i++ {
		l.starts[i] += l.starts[i-1]
	}
	return nil
}

// link fills in the parents: afterwards starts[i] is where those of state i begin.
func (l *loops) link(ctx context.Context) error {
	return l.each(ctx, func(_ int, f *family, base int) error {
		defer l.advance(len(f.scores))
		return l.s.rank(f, l.t, func(parent uint32, rank int) {
			if !l.known(rank) {
				l.parents[atomic.AddUint32(&l.starts[rank+1], 1)-1] = uint32(base) + parent
			}
		})
	})
}

func (l *loops) advance(states int) { l.s.advance(int(looking * l.share * float64(states))) }

// each calls f for the families of all states that passes have not found.
func (l *loops) each(ctx context.Context, f func(worker int, family *family, base int) error) error {
	return l.s.families(ctx, l.t, l.known, f)
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
		if plies > mostSteps && !l.s.o.Outcomes {
			return errTooLong
		}
		for i, states := range [][][]uint32{l.won, l.lost} {
			if plies >= len(states) {
				continue
			}
			outcome := []game.Outcome{game.Win, game.Lose}[i]
			now := states[plies]
			states[plies] = nil
			tasks := (len(now) + labelled - 1) / labelled
			err := each(ctx, l.s.threads, tasks, func(worker, i int) error {
				l.propagate(&l.found[worker], now[i*labelled:min(len(now), (i+1)*labelled)], plies, outcome)
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
}

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
func (l *loops) propagate(g *growing, states []uint32, plies int, outcome game.Outcome) {
	v := scoreOf(outcome, min(plies, mostSteps))
	for _, state := range states {
		if !l.set(state, v) {
			continue
		}
		for _, parent := range l.parents[l.starts[state]:l.starts[state+1]] {
			switch {
			case outcome == game.Lose:
				if atomic.LoadUint32(&l.state[parent])>>16 == 0 {
					addAt(&g.won, plies+1, parent)
				}
			case atomic.AddUint32(&l.state[parent], ^uint32(0))&0xffff == 0:
				addAt(&g.lost, max(l.waits[parent].value().Steps, plies+1), parent)
			}
		}
	}
}

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
