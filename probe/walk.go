package probe

import (
	"context"
	"iter"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"sync"

	"backsolve/game"
	"backsolve/partition"
	"backsolve/tablebase"
)

// Stratum is the states of a class whose index has the same number of one-bits.
// In all of them the board has the same number of marked cells.
type Stratum struct {
	Class, Weight int
	// Marked is the number of marked cells of the board.
	Marked int
	Counts
}

// Strata returns the strata of the table, the fullest class first and in it by
// ascending weight.
func (t *Table) Strata() (strata []Stratum) {
	for _, c := range t.stored.Classes() {
		for weight, tally := range c.Counts.ByWeight {
			mover, other := t.space.Stones(c.Class, weight)
			s := Stratum{Class: c.Class, Weight: weight, Marked: mover + other}
			s.add(tally)
			strata = append(strata, s)
		}
	}
	return strata
}

// Visit is a state that a walk has come to.
type Visit struct {
	// Stratum is the number of its stratum in Strata.
	Stratum int
	// Times is the number of states of the whole game that it stands for: those
	// that are stored as one, or 1 where states are drawn.
	Times uint64
	// Position is the state, X to move.
	Position game.Position
	Value
	// Terminal says that the game is over; there are no moves then.
	Terminal bool
	// Moves are all legal moves, ordered by their text, with what each is worth.
	Moves []Ranked
}

// WalkOptions say which states a walk comes to.
type WalkOptions struct {
	// Sample is the number of random states that are drawn of each stratum, each
	// of its states with the same probability and possibly more than once. A
	// stratum that has no more states is visited whole, each state once. 0 is for
	// every stored state once.
	Sample uint64
	// Seed chooses the sample.
	Seed uint64
	// Threads is the number of threads, 0 for all cores.
	Threads int
	// Progress, unless nil, is told how many of the states are done, by one
	// goroutine at a time.
	Progress func(done, total uint64)
}

// Walk goes through the states of a table with the values of their moves. Work is
// called several times by each of the threads; together, the calls are given every
// state, in no order that they could rely on. A visit is valid until the next one.
//
// The error is that of work, of reading the table, or the cause of ctx. A table
// whose moves do not lead to the stored values is damaged.
func (t *Table) Walk(ctx context.Context, o WalkOptions, work func(visits iter.Seq[*Visit]) error) error {
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	w := &walk{Table: t, WalkOptions: o, work: work, strata: t.Strata()}
	if o.Sample > 0 {
		return w.draw(ctx)
	}
	return w.every(ctx)
}

// walk is a walk in work. The lock guards what it tells.
type walk struct {
	*Table
	WalkOptions
	work   func(visits iter.Seq[*Visit]) error
	strata []Stratum
	total  uint64 // states to come to

	lock sync.Mutex
	done uint64
}

// tell takes note of states that are done.
func (w *walk) tell(states uint64) {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.done += states
	if w.Progress != nil {
		w.Progress(w.done, w.total)
	}
}

// every comes to every stored state.
func (w *walk) every(ctx context.Context) error {
	for _, c := range w.stored.Classes() {
		w.total += storedStates(c)
	}
	s := &states{Table: w.Table, threads: w.Threads, limit: maxHeld, tell: w.tell}
	first := 0 // stratum of the class
	return s.eachClass(func(c tablebase.ClassInfo) error {
		images := s.cut.Class(c.Class).Images
		err := s.eachState(ctx, c, func(states iter.Seq2[int, uint32]) error {
			v := visitor{Table: w.Table, value: s.value}
			return v.hand(w.work, func(yield func() bool) error {
				for block, index := range states {
					v.Stratum, v.Times = first+bits.OnesCount32(index), uint64(images[block])
					err := v.come(s.position(c.Class, block, index))
					if err != nil || !yield() {
						return err
					}
				}
				return nil
			})
		})
		first += c.IndexBits + 1
		return err
	})
}

// draw comes to random states of each stratum.
func (w *walk) draw(ctx context.Context) error {
	perStratum := (w.Sample + sampleTask - 1) / sampleTask
	for _, s := range w.strata {
		w.total += min(w.Sample, s.States)
	}
	return share(ctx, w.Threads, perStratum*uint64(len(w.strata)), func(tasks iter.Seq[uint64]) error {
		v := visitor{Table: w.Table, value: w.value}
		return v.hand(w.work, func(yield func() bool) error {
			for task := range tasks {
				stratum := &w.strata[task/perStratum]
				first := task % perStratum * sampleTask
				end := min(first+sampleTask, w.Sample, stratum.States)
				if first >= end {
					continue // the stratum has fewer states
				}
				v.Stratum, v.Times = int(task/perStratum), 1
				for p := range w.drawn(stratum, first, end, rand.New(rand.NewPCG(w.Seed, task))) {
					if err := v.come(p); err != nil || !yield() {
						return err
					}
				}
				w.tell(end - first)
			}
			return nil
		})
	})
}

// drawn returns states of a stratum: those of the given numbers where it is
// visited whole, else so many random ones.
func (w *walk) drawn(s *Stratum, first, end uint64, r *rand.Rand) iter.Seq[game.Position] {
	bits, indexBits := w.space.MaskBits, w.space.IndexBits[s.Class]
	indices := choose(indexBits, s.Weight)
	return func(yield func(game.Position) bool) {
		for i := first; i < end; i++ {
			mask, index := randomMask(bits, s.Class, r), randomMask(indexBits, s.Weight, r)
			if s.States <= w.Sample {
				mask, index = nthMask(bits, s.Class, i/indices), nthMask(indexBits, s.Weight, i%indices)
			}
			if !yield(w.space.Position(partition.State{Class: s.Class, Mask: mask, Index: uint32(index)})) {
				return
			}
		}
	}
}

// choose returns the number of masks of n bits of which so many are set.
func choose(n, set int) uint64 {
	c := uint64(1)
	for i := range set {
		c = c * uint64(n-i) / uint64(i+1)
	}
	return c
}

// nthMask returns the mask with a number, from 0 on, of those of n bits of which
// so many are set, in ascending order.
func nthMask(n, set int, number uint64) (mask uint64) {
	for bit := n - 1; set > 0; bit-- {
		if below := choose(bit, set); number >= below {
			mask |= 1 << uint(bit)
			number -= below
			set--
		}
	}
	return mask
}

// visitor comes to one state after the other.
type visitor struct {
	*Table
	value func(p game.Position) (Value, error) // as stored
	moves []game.Move
	Visit
}

// hand gives work the states that come comes to; it yields after each.
func (v *visitor) hand(work func(visits iter.Seq[*Visit]) error, come func(yield func() bool) error) error {
	var failed error
	err := work(func(yield func(*Visit) bool) {
		failed = come(func() bool { return yield(&v.Visit) })
	})
	if failed != nil {
		return failed
	}
	return err
}

// come fills in what is known of a position.
func (v *visitor) come(p game.Position) (err error) {
	v.Position, v.Moves = p, v.Moves[:0]
	if v.Value, err = v.value(p); err != nil {
		return err
	}
	var best Value
	outcome, over := v.rules.Terminal(p)
	if v.Terminal = over; over {
		best = v.terminalValue(outcome)
	}
	v.moves = v.rules.Moves(v.moves[:0], p)
	for i, m := range v.moves {
		child := v.rules.Play(p, m)
		worth, err := v.value(child)
		if err != nil {
			return err
		}
		worth = worth.before()
		v.Moves = append(v.Moves, Ranked{m, worth, child})
		if i == 0 || worth.Compare(best) < 0 {
			best = worth
		}
	}
	if best != v.Value {
		return v.damaged("%s is stored as %v, but the rules lead to %v", v.rules.Format(p), v.Value, best)
	}
	return nil
}
