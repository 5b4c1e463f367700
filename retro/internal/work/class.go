package work

import (
	"errors"
	"fmt"
	"slices"

	"backsolve/internal/bitslice"
	"backsolve/partition"
	"backsolve/tablebase"
)

// Class is a class in work.
type Class struct {
	*partition.Class
	Cut  *partition.Cut
	Pool *Pool
}

// NewClass returns a class of a cut.
func NewClass(cut *partition.Cut, class int, pool *Pool) *Class {
	return &Class{cut.Class(class), cut, pool}
}

// ResetCounts clears the counts of all workers.
func (c *Class) ResetCounts(digits int) {
	for _, w := range c.Pool.Workers {
		w.Counts.Reset(c.IndexBits, digits)
	}
}

// Sum adds up the workers' counts.
func (c *Class) Sum() *StateCounts {
	sum := new(StateCounts)
	sum.Reset(c.IndexBits, 0)
	for _, w := range c.Pool.Workers {
		sum.Add(&w.Counts)
	}
	return sum
}

// CountBlocks counts the states of solved blocks, and their numbers, if any. lose is nil for fixed slices.
func (c *Class) CountBlocks(first int, win, lose []uint64, numbers bitslice.Numbers, numbered bool) (*StateCounts, error) {
	c.ResetCounts(len(numbers))
	u := WholeBlocks(c.Class)
	err := c.Pool.Run(0, len(win)/u.Words, func(w *Worker, i int) {
		block, of := first+i, make(bitslice.Numbers, len(numbers))
		for d, plane := range numbers {
			of[d] = u.Of(plane, i)
		}
		win, lost := u.Of(win, i), []uint64(nil)
		if lose != nil {
			lost = u.Of(lose, i)
		}
		w.Count(u, block, c.Images[block], win, lost, c.Terminals(w, block, w.Buffer(WonBuffer, u.Words), bitslice.Whole(u.K)))
		if numbered {
			w.CountSteps(u, c.Images[block], win, lost, of)
		}
	}, nil)
	return c.Sum(), err
}

// Counts returns the counts of the class as a table stores them, or an error if the class cannot have
// them. numbers says whether there are steps or nimbers.
func (c *Class) Counts(sum *StateCounts, numbers tablebase.Shape) (tablebase.Counts, error) {
	whole := new(StateCounts)
	whole.Reset(c.IndexBits, 0) // sum may come from another process
	whole.Add(sum)
	counts := whole.TableCounts(c.Class, c.Cut.Kind != partition.FixedSlice, numbers.Steps || numbers.Nimbers)
	return counts, CheckCounts(&c.Cut.Facts, c.Class, counts, numbers)
}

// Terminals are the terminal states of a unit in the order of the index. Each is in one of
// the vectors.
type Terminals struct {
	Won         []uint64
	Lost, Drawn []uint64 // nil where the block has none
}

// Terminals finds the terminal states of a part of a block. won must be zero; the others are
// buffers of the worker.
func (c *Class) Terminals(w *Worker, block int, won []uint64, part bitslice.Segment) Terminals {
	t := Terminals{Won: won}
	if !c.List(w, block) {
		return t
	}
	fill := func(dst []uint64, cubes []bitslice.Cube) {
		for i := range cubes {
			cubes[i].Fill(dst, part, c.IndexBits)
		}
	}
	without := func(buffer int, cubes []bitslice.Cube, others ...[]uint64) []uint64 {
		if len(cubes) == 0 {
			return nil
		}
		dst := w.Buffer(buffer, len(won))
		fill(dst, cubes)
		for _, other := range others {
			for i, x := range other {
				dst[i] &^= x
			}
		}
		return dst
	}
	fill(t.Won, w.Cubes.Win)
	if c.Cut.Both == partition.BothWon || len(w.Cubes.Win)*len(w.Cubes.Lose) == 0 {
		t.Lost = without(lostBuffer, w.Cubes.Lose, t.Won)
		t.Drawn = without(drawnBuffer, w.Cubes.Draw, t.Won, t.Lost)
		return t
	}
	t.Lost = without(lostBuffer, w.Cubes.Lose)
	if c.Cut.Both == partition.BothDrawn {
		t.Drawn = w.Buffer(drawnBuffer, len(won))
	}
	for i, lost := range t.Lost {
		if both := t.Won[i] & lost; t.Drawn != nil {
			t.Drawn[i], t.Lost[i] = both, lost&^both
		}
		t.Won[i] &^= lost
	}
	return t
}

// List lists the terminal states of a block in the worker's cubes. It returns false, and fails
// the solve, where they contradict the space.
func (c *Class) List(w *Worker, block int) bool {
	w.Cubes.Reset()
	c.Cut.Terminals(c.Masks[block], &w.Cubes)
	err := c.Cut.CheckTerminals(&w.Cubes)
	if err != nil {
		c.Pool.Fail(c.contradiction(block, err))
	}
	return err == nil
}

func (c *Class) contradiction(block int, cause error) error {
	return fmt.Errorf("the space of %s, class %d, mask %#x: %w: this is a bug; please report it",
		c.Cut.Board(), c.Class.Class, c.Masks[block], cause)
}

var errStuck = errors.New("a state without a move is not terminal")

// ListLinks lists the links of a block of fixed slices. Without any, it checks the block after List.
func (c *Class) ListLinks(w *Worker, block int) {
	var err error
	w.Links, w.Moves, err = c.Cut.Links(c.Class.Class, block, w.Links[:0], w.Moves)
	c.Pool.Fail(err)
	if len(w.Links) == 0 {
		c.CheckEnd(w, block)
	}
}

// CheckEnd is CheckMovable for a fixed slice without links, after List. Only its last state can
// be without a move, and it is in a cube whose bits are all set.
func (c *Class) CheckEnd(w *Worker, block int) {
	last := func(cube bitslice.Cube) bool { return cube.Value == cube.Care }
	if !slices.ContainsFunc(w.Cubes.Win, last) && !slices.ContainsFunc(w.Cubes.Lose, last) {
		c.Pool.Fail(c.contradiction(block, errStuck))
	}
}

// CheckNoneLost fails the solve where a terminal state is lost.
func (c *Class) CheckNoneLost(block int, t Terminals) {
	if bitslice.Any(t.Lost) {
		c.Pool.Fail(c.contradiction(block, errors.New("a terminal state of a game with nimbers is lost")))
	}
}

// CheckMovable fails the solve where a state without a move is not terminal. The worker's
// Needs have, for each link of the block, the index bits that a state must have set to move.
// All states are in the order of reading.
func (c *Class) CheckMovable(w *Worker, block int, part bitslice.Segment, terminal []uint64) {
	if slices.Contains(w.Needs, 0) {
		return
	}
	movable := w.Buffer(scratchBuffer, len(terminal))
	for _, needs := range w.Needs {
		bitslice.Cube{Care: needs, Value: needs}.Fill(movable, part, c.IndexBits)
	}
	for i, x := range movable {
		if (x|terminal[i])&bitslice.Valid(c.IndexBits) != bitslice.Valid(c.IndexBits) {
			c.Pool.Fail(c.contradiction(block, errStuck))
			return
		}
	}
}
