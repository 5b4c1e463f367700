package survey

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/tablebase"
)

// Selection says which states of a table to select; the zero value selects all stored ones.
type Selection struct {
	Filter
	// Class is the only class to select from, nil for all.
	Class *int
	// AllImages asks for all symmetric images of a stored state instead of one.
	AllImages bool
	// Sample is how many matching states of the whole game are drawn, with replacement; 0 selects all.
	Sample uint64
	// Seed chooses the sample.
	Seed uint64
	// Moves asks for the values of the moves, too.
	Moves bool
	// Threads is the number of threads, 0 for all cores.
	Threads int
	// Progress, unless nil, gets the number of selected states so far.
	Progress func(tablebase.Event)
}

// Selected is a selected state.
type Selected struct {
	// State is the state, X to move.
	State game.State
	probe.Value
	// Terminal says that the game is over; there are no moves then.
	Terminal bool
	// Images is how many states of the whole game it represents: 1 with AllImages or in a sample.
	Images uint64
	// Moves are the legal moves on request, as Table.Rate orders them, inside an opening table.
	Moves []probe.Rated
}

const selectRun = 1 << 12

// Select calls emit with the selected states, run by run in the order of the table; a run is valid until the next one.
// The error is that of emit or of reading, ErrNoSteps, the cause of ctx, or ErrNoSuchState if there is no such class.
func Select(ctx context.Context, t Table, s Selection, emit func(states []Selected) error) error {
	if s.Steps != nil && !t.HasSteps() {
		return fmt.Errorf("%w: %w", ErrNoSteps, t.NoSteps())
	}
	s.Threads = threadsOrAll(s.Threads)
	c := &selector{ctx: ctx, table: t, source: sourceOf(t), selection: s, emit: emit}
	c.rules = c.source.rules()
	classes := c.source.classes()
	for i, class := range classes {
		if s.Class == nil || *s.Class == class.Class {
			c.classes = append(c.classes, i)
			c.matching += s.count(class)
		}
	}
	if len(c.classes) == 0 {
		return fmt.Errorf("%w: %s has no class %d, only the classes %d to %d", ErrNoSuchState, t.Board(), *s.Class, classes[0].Class, classes[len(classes)-1].Class)
	}
	c.total = c.matching
	if s.Sample > 0 {
		c.total = s.Sample
		if c.matching == 0 {
			return fmt.Errorf("%w: %s has none of %v", ErrNoSuchState, t.Board(), s.Filter)
		}
		r := rand.New(rand.NewPCG(s.Seed, 0))
		c.numbers = make([]uint64, s.Sample)
		for i := range c.numbers {
			c.numbers[i] = r.Uint64N(c.matching)
		}
		slices.Sort(c.numbers)
	}
	for _, i := range c.classes {
		if err := c.addClass(i); err != nil {
			return err
		}
	}
	return c.flush()
}

type selector struct {
	ctx       context.Context
	table     Table
	source    source
	rules     game.Rules
	selection Selection
	emit      func(states []Selected) error
	classes   []int  // their numbers in the table
	matching  uint64 // states, of the whole game
	total     uint64 // to emit
	done      uint64
	numbers   []uint64 // of the drawn states among the matching ones, ascending
	seen      uint64   // matching states of the blocks before
	states    []Selected
}

func (c *selector) addClass(i int) error {
	count := c.selection.count(c.source.classes()[i])
	if count == 0 || c.selection.Sample > 0 && (len(c.numbers) == 0 || c.numbers[0] >= c.seen+count) {
		c.seen += count
		return c.ctx.Err()
	}
	return c.source.scan(c.ctx, i, 1, func(r run) (bool, error) {
		for b := range r.blocks() {
			times, err := r.times(b)
			if err != nil {
				return false, err
			}
			if c.selection.Sample > 0 {
				err = c.addDrawn(r, b, times)
			} else {
				err = c.addAll(r, b, times)
			}
			if err != nil {
				return false, err
			}
		}
		return c.selection.Sample == 0 || len(c.numbers) > 0, nil
	})
}

func (c *selector) addAll(r run, b int, times uint64) error {
	symmetries := []int{0}
	if c.selection.AllImages {
		times = 1
	}
	for index := range r.matching(b, c.selection.Filter) {
		if c.selection.AllImages {
			symmetries = r.images(b, index)
		}
		for _, g := range symmetries {
			if err := c.add(r, b, index, g, times); err != nil {
				return err
			}
		}
	}
	return nil
}

// addDrawn adds the drawn states of a block. The images of a state have consecutive numbers.
func (c *selector) addDrawn(r run, b int, times uint64) error {
	_, here, _ := r.nth(b, c.selection.Filter, math.MaxUint64)
	first := c.seen
	c.seen += here * times
	for len(c.numbers) > 0 && c.numbers[0] < c.seen {
		number := c.numbers[0] - first
		index, _, found := r.nth(b, c.selection.Filter, number/times)
		if !found {
			return c.table.File().Damaged("a block has fewer states of %v than were counted in it", c.selection.Filter)
		}
		symmetry := 0
		if times > 1 {
			symmetry = r.images(b, index)[number%times]
		}
		if err := c.add(r, b, index, symmetry, 1); err != nil {
			return err
		}
		c.numbers = c.numbers[1:]
	}
	return nil
}

func (c *selector) add(r run, b int, index uint32, symmetry int, times uint64) error {
	at, err := r.state(b, index, symmetry)
	if err != nil {
		return err
	}
	if len(c.states) < cap(c.states) { // reuses the memory of the moves
		c.states = c.states[:len(c.states)+1]
	} else {
		c.states = append(c.states, Selected{})
	}
	s := &c.states[len(c.states)-1]
	s.State, s.Value, s.Images = at, r.value(b, index), times
	if len(c.states) < selectRun {
		return nil
	}
	return c.flush()
}

func (c *selector) flush() error {
	const task = 1 << 6
	n := uint64(len(c.states))
	err := eachTask(c.ctx, c.selection.Threads, (n+task-1)/task, func(tasks iter.Seq[uint64]) error {
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
		if err := c.emit(c.states); err != nil {
			return err
		}
	}
	for i := range c.states {
		c.done += c.states[i].Images
	}
	tablebase.Tell(c.selection.Progress, tablebase.Event{Stage: "export", Unit: "states", Done: min(c.done, c.total), Total: c.total})
	c.states = c.states[:0]
	return nil
}

// complete leaves a state without moves if the best one leaves an opening table.
func (c *selector) complete(s *Selected) error {
	_, s.Terminal = c.rules.Terminal(s.State)
	s.Moves = s.Moves[:0]
	if !c.selection.Moves {
		return nil
	}
	_, moves, err := c.table.Rate(c.rules, s.State, s.Moves)
	if s.Moves = moves; errors.Is(err, probe.ErrOutOfTable) {
		return nil
	}
	return err
}

// OptimalMoves counts the first moves, which keep the outcome, and of these those with the best steps.
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
