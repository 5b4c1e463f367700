package probe

import (
	"slices"
	"sync"

	"backsolve/game"
	"backsolve/tablebase"
)

// Ranked is a legal move with what it is worth to the player who makes it,
// counted from the position before it.
type Ranked struct {
	Move game.Move
	Value
	// Position is the one after the move.
	Position game.Position
	// Nimber is that of the position after the move, where the table was asked for it.
	Nimber Nimber
}

// Rank returns the value of a position and appends its legal moves to buf, the
// best first: by Value.Compare, equal ones by the text of the move. A position
// that is over has no moves. The values of the moves must lead to the value
// stored for the position, or the table is damaged; other errors are those of
// Lookup. Of an opening table, moves that lead beyond it are left out where others
// win; where none of the others does, the error is a *OutOfTableError.
func (t *Table) Rank(p game.Position, buf []Ranked) (Value, []Ranked, error) {
	return t.rank(p, buf, batched{})
}

// rank is Rank of a position of which a batch, if any, has the lookups.
func (t *Table) rank(p game.Position, buf []Ranked, from batched) (Value, []Ranked, error) {
	w := rankings.Get().(*ranking)
	defer rankings.Put(w)
	outcome, over := t.rules.Terminal(p)
	first := len(buf)
	buf, known := w.expand(t, p, buf)
	value, ok := from.values(buf[first : first+known])
	err := error(nil)
	if !ok {
		value, err = w.values(t, p, buf[first:first+known])
	}
	if err == nil {
		known, err = t.settle(value, buf[first:], known)
		buf = buf[:first+known]
	}
	switch {
	case err != nil:
	case over && value != t.TerminalValue(outcome):
		err = t.damaged("%s is over with %v, but stored is %v", t.rules.Format(p), t.TerminalValue(outcome), value)
	case over:
	default:
		w.sort(buf[first:])
		if len(buf) == first || buf[first].Value != value {
			err = t.damaged("%s is stored as %v, which its moves do not lead to", t.rules.Format(p), value)
		}
	}
	if err != nil {
		return Value{}, buf[:first], err
	}
	return value, buf, nil
}

// ranking is memory for ranking the moves of a position.
type ranking struct {
	moves   []game.Move
	lookups []tablebase.Key
	places  []tablebase.Place
	entries []tablebase.Entry
	keys    []int
	sorted  []Ranked
}

var rankings = sync.Pool{New: func() any { return new(ranking) }}

// expand appends the moves of a position to buf, those first whose positions the table
// has, and returns how many these are.
func (w *ranking) expand(t *Table, p game.Position, buf []Ranked) (all []Ranked, known int) {
	first := len(buf)
	w.moves = t.rules.Moves(w.moves[:0], p)
	for _, m := range w.moves {
		buf = append(buf, Ranked{Move: m, Position: t.rules.Play(p, m)})
	}
	return buf, t.knownFirst(buf[first:])
}

// find finds where a position and those after its moves lie, in this order.
func (w *ranking) find(t *Table, p game.Position, moves []Ranked) error {
	s, err := t.seek(p)
	if err != nil {
		return err
	}
	if t.placed && t.stored.Trusting() {
		return w.place(t, s, moves)
	}
	w.lookups = append(w.lookups[:0], s)
	for i := range moves {
		if s, err = t.locate(moves[i].Position); err != nil {
			return err
		}
		w.lookups = append(w.lookups, s)
	}
	w.places = slices.Grow(w.places[:0], len(w.lookups))[:len(w.lookups)]
	found, err := t.stored.FindAll(w.lookups, w.places)
	if err == nil && found < len(w.lookups) {
		err = t.noBlock(w.lookups[found])
	}
	return err
}

// place is find of a position that is a state, in a table whose blocks are known to be
// where they are numbered.
func (w *ranking) place(t *Table, s tablebase.Key, moves []Ranked) error {
	w.places = append(w.places[:0], tablebase.Place{Class: s.Class, Block: s.Hint, Index: s.Index})
	for i := range moves {
		s, block := t.numbering.Locate(moves[i].Position)
		if s.Class >= t.classes {
			return t.OutOfTable(s.Class)
		}
		w.places = append(w.places, tablebase.Place{Class: s.Class, Block: block, Index: uint64(s.Index)})
	}
	return nil
}

// lookUp looks up a position and those after its moves, in this order.
func (w *ranking) lookUp(t *Table, p game.Position, moves []Ranked) error {
	return t.stored.WithRevalidation(func() error {
		if err := w.find(t, p, moves); err != nil {
			return err
		}
		w.entries = slices.Grow(w.entries[:0], len(w.places))[:len(w.places)]
		return t.stored.LookupAll(w.places, w.entries)
	})
}

// values returns the value of a position and fills in those of its moves.
func (w *ranking) values(t *Table, p game.Position, moves []Ranked) (Value, error) {
	if err := w.lookUp(t, p, moves); err != nil {
		return Value{}, err
	}
	for i, e := range w.entries[1:] {
		moves[i].Value = Value{e.Outcome, e.Steps}.Before()
	}
	return Value{w.entries[0].Outcome, w.entries[0].Steps}, nil
}

// sort orders moves from the best to the worst. The rules give them by their text,
// which decides between equal ones.
func (w *ranking) sort(moves []Ranked) {
	const bits = 8 // of the number of a move
	w.keys, w.sorted = w.keys[:0], append(w.sorted[:0], moves...)
	for i := range moves {
		w.keys = append(w.keys, moves[i].place()<<bits|i)
	}
	sortShort(w.keys)
	for i, key := range w.keys {
		moves[i] = w.sorted[key&(1<<bits-1)]
	}
}

// sortShort sorts a few numbers, which a sort for many would take twice as long for.
func sortShort(keys []int) {
	for i, key := range keys {
		for ; i > 0 && keys[i-1] > key; i-- {
			keys[i] = keys[i-1]
		}
		keys[i] = key
	}
}
