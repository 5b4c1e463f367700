package survey

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"math/rand/v2"
	"slices"

	"backsolve/game"
	"backsolve/partition"
	"backsolve/probe"
	"backsolve/tablebase"
)

// Selection says which states of a table are wanted; the zero value wants every stored
// one.
type Selection struct {
	Filter
	// Class is the only class that is wanted, nil for all.
	Class *int
	// AllImages asks for all symmetric images of a stored state, instead of for one that
	// stands for them.
	AllImages bool
	// Sample is how many of the wanted states are drawn, each state of the whole game
	// with the same probability and possibly more than once; 0 is for all of them.
	Sample uint64
	// Seed chooses the sample.
	Seed uint64
	// Moves asks for the values of the moves, too.
	Moves bool
	// Threads is the number of threads, 0 for all cores.
	Threads int
	// Progress, unless nil, is told how many of the wanted states are done.
	Progress func(done, total uint64)
}

// Selected is a state that was wanted.
type Selected struct {
	// Position is the state, X to move.
	Position game.Position
	probe.Value
	// Terminal says that the game is over; there are no moves then.
	Terminal bool
	// Images is the number of states of the whole game that it stands for: those that are
	// stored as one, or 1 where the images are asked for and in a sample.
	Images uint64
	// Moves are the legal moves, the best first, as Table.Rank orders them, where they
	// are asked for. Of an opening table those that lead beyond it are left out.
	Moves []probe.Ranked
}

// selectedAtOnce is how many states are handed over at once, but for the last ones.
const selectedAtOnce = 1 << 12

// Select hands the wanted states of a table over, run by run in the order of the table,
// those of a sample too. A run is valid until the next one. The error is that of hand,
// of reading the table, ErrNoSteps, the cause of ctx, or ErrNoSuchState where a class is
// wanted that the table has not.
func Select(ctx context.Context, t *probe.Table, s Selection, hand func(states []Selected) error) error {
	if s.Steps != nil && !t.HasSteps() {
		return noSteps(t)
	}
	s.Threads = orAllCores(s.Threads)
	c := &collection{ctx: ctx, table: t, selection: s, hand: hand}
	classes := t.Stored().Classes()
	if s.Class != nil {
		if !slices.ContainsFunc(classes, func(c tablebase.ClassInfo) bool { return c.Class == *s.Class }) {
			return fmt.Errorf("%w: %s has no class %d, only the classes %d to 0", ErrNoSuchState, t.Board(), *s.Class, classes[0].Class)
		}
	}
	for i, class := range classes {
		if s.Class == nil || *s.Class == class.Class {
			c.classes = append(c.classes, i)
			c.wanted += s.count(class)
		}
	}
	c.total = c.wanted
	if s.Sample > 0 {
		c.total = s.Sample
		if c.wanted == 0 {
			return fmt.Errorf("%w: %s has none of %v", ErrNoSuchState, t.Board(), s.Filter)
		}
		c.drawNumbers()
	}
	for _, i := range c.classes {
		if err := c.class(i); err != nil {
			return err
		}
	}
	return c.flush()
}

// collection is a selection in work.
type collection struct {
	ctx       context.Context
	table     *probe.Table
	selection Selection
	hand      func(states []Selected) error
	classes   []int  // their numbers in the table
	wanted    uint64 // states, of the whole game
	total     uint64 // of them that are handed over
	done      uint64
	numbers   []uint64 // of the drawn states among the wanted ones, ascending
	passed    uint64   // wanted states of the blocks before
	states    []Selected
}

// drawNumbers draws the numbers of the sample.
func (c *collection) drawNumbers() {
	r := rand.New(rand.NewPCG(c.selection.Seed, 0))
	c.numbers = make([]uint64, c.selection.Sample)
	for i := range c.numbers {
		c.numbers[i] = r.Uint64N(c.wanted)
	}
	slices.Sort(c.numbers)
}

// class collects the wanted states of the i-th class of the table.
func (c *collection) class(i int) error {
	info := c.table.Stored().Classes()[i]
	count := c.selection.count(info)
	if count == 0 || c.selection.Sample > 0 && (len(c.numbers) == 0 || c.numbers[0] >= c.passed+count) {
		c.passed += count
		return c.ctx.Err()
	}
	return eachRun(c.ctx, c.table, i, func(r *run) (bool, error) {
		for b, mask := range r.masks {
			times, err := images(c.table, info.Class, mask)
			if err != nil {
				return false, err
			}
			if c.selection.Sample > 0 {
				err = c.drawn(r, b, mask, times)
			} else {
				err = c.every(r, b, mask, times)
			}
			if err != nil {
				return false, err
			}
		}
		return c.selection.Sample == 0 || len(c.numbers) > 0, nil
	})
}

// wantedIn returns the indices of the wanted states of the b-th block of a run.
func (c *collection) wantedIn(r *run, b int) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		words := r.class.Words()
		for w := range words {
			for these := c.selection.in(r, b*words+w); these != 0; these &= these - 1 {
				if !yield(uint32(w*64 + bits.TrailingZeros64(these))) {
					return
				}
			}
		}
	}
}

// every collects all wanted states of a block.
func (c *collection) every(r *run, b int, mask, times uint64) error {
	carriers := []int{0}
	if c.selection.AllImages {
		carriers, times = c.carriers(mask), 1
	}
	for index := range c.wantedIn(r, b) {
		for _, g := range carriers {
			if err := c.add(r, b, index, g, times); err != nil {
				return err
			}
		}
	}
	return nil
}

// drawn collects the drawn states of a block, whose images stand side by side.
func (c *collection) drawn(r *run, b int, mask, times uint64) error {
	words, here := r.class.Words(), uint64(0)
	for w := range words {
		here += uint64(bits.OnesCount64(c.selection.in(r, b*words+w)))
	}
	first := c.passed
	c.passed += here * times
	if len(c.numbers) == 0 || c.numbers[0] >= c.passed {
		return nil
	}
	carriers := c.carriers(mask)
	for len(c.numbers) > 0 && c.numbers[0] < c.passed {
		number := c.numbers[0] - first
		index, _, found := nth(r, b, c.selection.Filter, number/times)
		if !found {
			return damaged(c.table, "a block of class %d has fewer states of %v than were counted in it", r.class.Class, c.selection.Filter)
		}
		if err := c.add(r, b, index, carriers[number%times], 1); err != nil {
			return err
		}
		c.numbers = c.numbers[1:]
	}
	return nil
}

// carriers returns for each image of a mask a symmetry that makes it.
func (c *collection) carriers(mask uint64) (carriers []int) {
	group := c.table.Space().Symmetries
	var seen []uint64
	for g := range group.Len() {
		if image := group.Image(g, mask); !slices.Contains(seen, image) {
			seen = append(seen, image)
			carriers = append(carriers, g)
		}
	}
	return carriers
}

// add collects a state of the b-th block of a run, carried by symmetry g.
func (c *collection) add(r *run, b int, index uint32, g int, times uint64) error {
	space, mask := c.table.Space(), r.masks[b]
	p := space.Position(partition.State{Class: r.class.Class, Mask: space.Symmetries.Image(g, mask), Index: space.Carry(mask, index, g)})
	if len(c.states) < cap(c.states) { // keeps the memory of the moves
		c.states = c.states[:len(c.states)+1]
	} else {
		c.states = append(c.states, Selected{})
	}
	s := &c.states[len(c.states)-1]
	s.Position, s.Value, s.Images = p, r.value(c.table, b, index), times
	if len(c.states) < selectedAtOnce {
		return nil
	}
	return c.flush()
}

// flush finds what else is wanted of the states that are collected, and hands them over.
func (c *collection) flush() error {
	const task = 1 << 6
	n := uint64(len(c.states))
	err := share(c.ctx, c.selection.Threads, (n+task-1)/task, func(tasks iter.Seq[uint64]) error {
		for i := range tasks {
			for at := i * task; at < min((i+1)*task, n); at++ {
				if err := c.complete(&c.states[at]); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if n > 0 {
		if err := c.hand(c.states); err != nil {
			return err
		}
	}
	for i := range c.states {
		c.done += c.states[i].Images
	}
	if c.selection.Progress != nil {
		c.selection.Progress(c.done, c.total)
	}
	c.states = c.states[:0]
	return nil
}

// complete finds whether the game is over in a state, and its moves if they are asked
// for. Where they lead beyond an opening table, there are none.
func (c *collection) complete(s *Selected) error {
	_, s.Terminal = c.table.Rules().Terminal(s.Position)
	s.Moves = s.Moves[:0]
	if !c.selection.Moves {
		return nil
	}
	_, moves, err := c.table.Rank(s.Position, s.Moves)
	if s.Moves = moves; errors.Is(err, probe.ErrOutOfTable) {
		return nil
	}
	return err
}

// OptimalMoves returns how many of the moves, the first ones, keep the outcome, and how many
// of these also win as soon or lose as late as can be, where steps are known.
func (s *Selected) OptimalMoves() (lenient, strict int) {
	for _, m := range s.Moves {
		if m.Outcome == s.Outcome {
			lenient++
			if m.Steps == s.Steps {
				strict++
			}
		}
	}
	return lenient, strict
}
