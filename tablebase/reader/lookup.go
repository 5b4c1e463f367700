package reader

import (
	"backsolve/game"
	"backsolve/tablebase"
)

// Key is a state by its class, the canonical mask of its block, and its index in the slice.
type Key struct {
	Class       int
	Mask, Index uint64
	// Hint is the likely number of the block, which is tried first, −1 if unknown.
	Hint int
}

// Place is where a state lies in a table: in the class with that many marked cells, in
// block 0 ≤ Block < Blocks, at 0 ≤ Index < 2^IndexBits in the slice.
type Place struct {
	Class, Block int
	Index        uint64
}

func (p Place) word(l *class) (word, bit uint64) {
	return uint64(p.Block)*l.words + p.Index/64, p.Index % 64
}

// Find returns the number of the block with a canonical mask in the class with that many marked
// cells; found is false where the table lacks it. It does not allocate unless it fails.
func (t *Table) Find(class int, mask uint64) (block int, found bool, err error) {
	keys, places := [1]Key{{Class: class, Mask: mask, Hint: -1}}, [1]Place{}
	n, err := t.FindAll(keys[:], places[:])
	if err != nil || n == 0 {
		return 0, false, err
	}
	return places[0].Block, true, nil
}

// FindAll sets places[i] to the place of keys[i]. found is how many places it has set: fewer
// than all where the block of keys[found] is not in the table. It is faster than as many
// calls of Find, and does not allocate unless it fails.
func (t *Table) FindAll(keys []Key, places []Place) (found int, err error) {
	if m := t.mapping(); m != nil {
		return m.findAll(keys, places)
	}
	d := directReader{contents: t.contents}
	defer d.release()
	return d.findAll(keys, places)
}

// Lookup returns what the table knows of a state. Errors come from LookupAll.
func (t *Table) Lookup(class, block int, index uint64) (tablebase.Entry, error) {
	places, entries := [1]Place{{class, block, index}}, [1]tablebase.Entry{}
	if err := t.LookupAll(places[:], entries[:]); err != nil {
		return tablebase.Entry{}, err
	}
	return entries[0], nil
}

// LookupAll sets entries[i] to what the table knows of the state at places[i]. It waits for the
// memory of all states at once, and does not allocate, unless it fails or in an archive. After an
// error the entries are undefined: ErrInput for no such state, ErrDamaged, ErrTruncated, ErrClosed.
func (t *Table) LookupAll(places []Place, entries []tablebase.Entry) error {
	return t.lookupAll(places, entries, true)
}

// lookupAll is LookupAll; it may unpack frames on all cores.
func (t *Table) lookupAll(places []Place, entries []tablebase.Entry, allCores bool) error {
	if m := t.mapping(); m != nil {
		return m.lookupAll(places, entries)
	}
	d := directReader{contents: t.contents, allCores: allCores}
	defer d.release()
	return d.lookupAll(places, entries)
}

// NewBatch returns a batch of n states, numbered from 0; Set says where they are.
func (t *Table) NewBatch(n int) *Batch {
	return &Batch{table: t, queries: make([]query, n), results: make([]uint32, n)}
}

func newEntry(s tablebase.Shape, outcome game.Outcome, number int) tablebase.Entry {
	switch {
	case s.Steps:
		return tablebase.Entry{Outcome: outcome, Steps: number, Nimber: -1}
	case s.Nimbers && (outcome == game.Lose || number > 0):
		return tablebase.Entry{Outcome: outcome, Steps: -1, Nimber: number}
	}
	return tablebase.Entry{Outcome: outcome, Steps: -1, Nimber: -1}
}
