package backsolve

import (
	"fmt"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/probe/survey"
	"backsolve/tablebase"
)

// Masks are a position of a board of at most 64 cells: X and O have the cells with each mark, bit row·n +
// column with row 0 on top and column 0 on the left, and OToMove says that the next mark is an O. If every
// mark is an X, O is 0 and OToMove false. Games defined by their positions have no masks: queried by masks,
// their tables return ErrPosition.
type Masks struct {
	X, O    uint64
	OToMove bool
}

func (m Masks) position() game.Position {
	p := game.Position{X: m.X, O: m.O}
	if m.OToMove {
		p.Mark = game.O
	}
	return p
}

func masksOf(p game.Position) Masks { return Masks{p.X, p.O, p.Mark == game.O} }

func (t *Table) noMasks() error {
	return tablebase.OfKind(fmt.Errorf("positions of %s have no masks; give their texts", t.table.Board()), ErrPosition)
}

// Masks returns the masks of the text of a position. Errors come from Ask.
func (t *Table) Masks(position string) (Masks, error) {
	if t.grid == nil {
		return Masks{}, t.noMasks()
	}
	p, err := t.grid.Parse(position)
	if err != nil {
		return Masks{}, Classify(err)
	}
	return masksOf(p), nil
}

// Lookup is Value for the masks of a position. It does not allocate unless it fails.
func (t *Table) Lookup(x, o uint64, oToMove bool) (Value, error) {
	if t.grid == nil {
		return Value{}, t.noMasks()
	}
	return valueOr(t.grid.Value(Masks{x, o, oToMove}.position()))
}

// atOnce positions are looked up together. The more, the fewer frames of a packed table are unpacked twice.
const atOnce = 1 << 16

// LookupAll looks positions up together, which is faster than one by one, and returns how many
// have their value: all, or with an error those before the wrong one.
func (t *Table) LookupAll(of []Masks, values []Value) (n int, err error) {
	if t.grid == nil {
		return 0, t.noMasks()
	}
	positions, found := make([]game.Position, min(atOnce, len(of))), make([]probe.Value, min(atOnce, len(of)))
	for n < len(of) && err == nil {
		some := of[n:min(n+atOnce, len(of))]
		for i, m := range some {
			positions[i] = m.position()
		}
		var known int
		known, err = t.grid.Values(positions[:len(some)], found)
		for i, v := range found[:known] {
			values[n+i] = newValue(v)
		}
		n += known
	}
	return n, Classify(err)
}

// Read reads the states that States iterates over, from the one with a number on, and returns how
// many there are, fewer than len(of) only at the end of the table. Images are as in State.
func (t *Table) Read(first uint64, of []Masks, values []Value, images []uint64) (n int, err error) {
	if t.grid == nil {
		return 0, t.noMasks()
	}
	stored := make([]survey.Stored, len(of))
	n, err = survey.Read(t.grid, first, stored)
	for i, s := range stored[:n] {
		of[i], values[i], images[i] = masksOf(s.Position), newValue(s.Value), s.Images
	}
	return n, Classify(err)
}
