package reader

import (
	"cmp"
	"sort"

	"backsolve/game"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// What lookups do in a packed table, in one that is not mapped, and in one that is
// checked at every lookup: the same as in a mapped one, but word by word, out of memory
// that nobody else writes to.

// CheckAlways makes every lookup read what it needs from the file and check it, also
// where that was checked before. So what another process writes to the file while
// it is open is noticed and never answered from; a lookup takes as long as reading
// and checking some chunks of 64 KiB. A packed table works like this in any case. It
// is to be called before the first lookup.
func (t *Table) CheckAlways() { t.always.Store(true) }

// Trusting reports whether what has been checked of the table once is not checked again:
// neither CheckAlways was called, nor has WithRevalidation found that somebody writes to the file.
func (t *Table) Trusting() bool { return !t.always.Load() }

// findUnmapped is Find without the mapping, starting at a hint.
func (t *Table) findUnmapped(l *located, mask uint64, hint int) (block int, found bool, err error) {
	if t.far || t.packed.Load() != nil {
		if err := t.fetchMasks(l); err != nil {
			return 0, false, err
		}
	}
	read := t.readMask
	if t.packed.Load() == nil {
		chunk := heldChunk{number: -1, buffer: format.ChunkBuffers.Get().(*[]byte)}
		defer format.ChunkBuffers.Put(chunk.buffer)
		read = func(l *located, block int) (uint64, error) { return t.readHeldMask(l, block, &chunk) }
	}
	if uint(hint) < uint(l.Blocks) {
		switch there, err := read(l, hint); {
		case err != nil:
			return 0, false, err
		case there == mask:
			return hint, true, nil
		}
	}
	block, found = sort.Find(l.Blocks, func(b int) int {
		if err != nil {
			return 0 // it ends the search
		}
		var m uint64
		m, err = read(l, b)
		return cmp.Compare(mask, m)
	})
	if err != nil || !found {
		return 0, false, err
	}
	return block, true, nil
}

// readMask reads the mask of a block.
func (t *Table) readMask(l *located, block int) (uint64, error) {
	var m [1]uint64
	err := t.readWord(l, format.Masks, uint64(block), m[:])
	return m[0], err
}

// heldChunk is the chunk of masks that a search has read last: its last steps are
// all in the same one.
type heldChunk struct {
	number int
	bytes  []byte
	buffer *[]byte
}

// readHeldMask is readMask of a table that is not packed, with the chunk held.
func (t *Table) readHeldMask(l *located, block int, held *heldChunk) (m uint64, err error) {
	if t.isClosed() {
		return 0, t.closed()
	}
	const perChunk = format.ChunkSize / 8
	if number := block / perChunk; number != held.number {
		if held.bytes, err = l.ReadChunk(t.data, format.Masks, number, *held.buffer); err != nil {
			return 0, t.readError(l.Record, &format.PartError{Part: format.Masks, Cause: err})
		}
		held.number = number
	}
	return le.Uint64(held.bytes[block%perChunk*8:]), nil
}

// lookupAllUnmapped is LookupAll without the mapping, of states that are there.
func (t *Table) lookupAllUnmapped(places []Place, entries []tablebase.Entry) (err error) {
	if t.far {
		if err := t.fetchPlaces(places); err != nil {
			return err
		}
	}
	t.unpackAll(format.Outcomes, places, nil)
	for i, p := range places {
		if entries[i], err = t.outcomeUnmapped(t.located(p.Class), p); err != nil {
			return err
		}
	}
	if !t.header.Shape.Numbered() {
		return nil
	}
	t.unpackAll(format.Steps, places, entries)
	for i, p := range places {
		if entries[i].Outcome == game.Draw {
			continue
		}
		l := t.located(p.Class)
		word, bit := p.word(l)
		number, err := t.gather(l, format.Steps, word, bit)
		if err != nil {
			return err
		}
		entries[i] = newEntry(t.header.Shape, entries[i].Outcome, int(number))
	}
	return nil
}

// outcomeUnmapped looks up the outcome of one state.
func (t *Table) outcomeUnmapped(l *located, p Place) (tablebase.Entry, error) {
	word, bit := p.word(l)
	code, err := t.gather(l, format.Outcomes, word, bit)
	if err != nil {
		return tablebase.Entry{}, err
	}
	outcome := game.Outcome(code)
	if l.Parts[format.Outcomes].Columns == 1 {
		outcome = game.Lose - outcome
	}
	if outcome > game.Lose {
		return tablebase.Entry{}, t.bothWonAndLost(p.Class, p.Block, p.Index)
	}
	return tablebase.Entry{Outcome: outcome, Steps: -1, Nimber: -1}, nil
}

// gather reads one bit of each column of a part, column l's as the binary digit l.
func (t *Table) gather(l *located, part int, word, bit uint64) (digits uint64, err error) {
	var words [format.MaxDigits]uint64
	columns := words[:l.Parts[part].Columns]
	if len(columns) == 0 {
		return 0, nil
	}
	if err := t.readWord(l, part, word, columns); err != nil {
		return 0, err
	}
	for column, w := range columns {
		digits |= w >> bit & 1 << column
	}
	return digits, nil
}

// readWord reads a word of each column of a part, checked.
func (t *Table) readWord(l *located, part int, word uint64, dst []uint64) (err error) {
	f := t.packed.Load()
	switch {
	case f != nil:
		if err := t.touch(l, part, word); err != nil {
			return err
		}
		err = f.ReadWords(l.firstFrame[part], word*uint64(len(dst)), dst)
	case t.isClosed():
		return t.closed()
	default:
		err = l.ReadWord(t.data, part, word, dst)
	}
	if err != nil {
		return t.readError(l.Record, &format.PartError{Part: part, Cause: err})
	}
	return nil
}
