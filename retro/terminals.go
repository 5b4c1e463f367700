package retro

import (
	"errors"
	"fmt"

	"backsolve/bitslice"
	"backsolve/partition"
)

// terminals are the terminal states of a unit, each in one of the vectors, in the
// order of the index.
type terminals struct {
	won         []uint64
	lost, drawn []uint64 // nil where there are none
}

// terminals finds the terminal states of a part of a block, the won ones in a
// zeroed vector, the others in buffers of the worker's.
func (e *engine) terminals(w *worker, block int, won []uint64, part bitslice.Part) terminals {
	t := terminals{won: won}
	w.cubes.Reset()
	e.cut.Terminals(e.class.Masks[block], &w.cubes)
	if err := e.cut.CheckTerminals(&w.cubes); err != nil {
		e.crew.fail(e.contradiction(block, err))
		return t
	}
	fill := func(dst []uint64, cubes []bitslice.Cube) {
		for i := range cubes {
			cubes[i].Fill(dst, part, e.class.IndexBits)
		}
	}
	fill(t.won, w.cubes.Win)
	if len(w.cubes.Lose) > 0 {
		t.lost = w.buffer(terminalLoseBuffer, len(won))
		fill(t.lost, w.cubes.Lose)
		for i, x := range t.won {
			t.lost[i] &^= x
		}
	}
	if len(w.cubes.Draw) > 0 {
		t.drawn = w.buffer(terminalDrawBuffer, len(won))
		fill(t.drawn, w.cubes.Draw)
		for i, x := range t.won {
			t.drawn[i] &^= x
		}
		for i, x := range t.lost {
			t.drawn[i] &^= x
		}
	}
	return t
}

// contradiction is the error of a space that is not what it says.
func (e *engine) contradiction(block int, cause error) error {
	return fmt.Errorf("the space of %s %d×%d, class %d, mask %#x: %w; this is a mistake in the program, please report it",
		e.cut.Game, e.cut.Size, e.cut.Size, e.class.Class, e.class.Masks[block], cause)
}

var errStuck = errors.New("a state without a move is not terminal")

// checkEnd is checkMovable for a whole slice of a space with fixed slices: only
// its last state can be without a move.
func (e *engine) checkEnd(block int, t terminals) {
	last := uint64(1) << (1<<uint(min(e.class.IndexBits, bitslice.WordBits)) - 1)
	over := t.won[len(t.won)-1]
	if t.lost != nil {
		over |= t.lost[len(t.lost)-1]
	}
	if over&last == 0 {
		e.crew.fail(e.contradiction(block, errStuck))
	}
}

// checkMovable finds a state without a move that is not terminal. What can be
// moved in a unit's states is said by the given links, all of a block. States are
// in the order of reading, the terminal ones too.
func (e *engine) checkMovable(w *worker, block int, part bitslice.Part, terminal []uint64, links ...[]partition.Link) {
	for _, ls := range links {
		for i := range ls {
			if ls[i].Needs == 0 {
				return
			}
		}
	}
	movable := w.buffer(countBuffer, len(terminal))
	for _, ls := range links {
		for i := range ls {
			bitslice.Cube{Care: ls[i].Needs, Value: ls[i].Needs}.Fill(movable, part, e.class.IndexBits)
		}
	}
	for i, x := range movable {
		if (x|terminal[i])&bitslice.Valid(e.class.IndexBits) != bitslice.Valid(e.class.IndexBits) {
			e.crew.fail(e.contradiction(block, errStuck))
			return
		}
	}
}
