package tablebase

import (
	"cmp"
	"io"
	"sort"

	"backsolve/game"
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
		chunk := heldChunk{number: -1, buffer: chunkBuffers.Get().(*[]byte)}
		defer chunkBuffers.Put(chunk.buffer)
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
	err := t.readWord(l, masks, uint64(block), m[:])
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
	const perChunk = chunkSize / 8
	if number := block / perChunk; number != held.number {
		if held.bytes, err = l.readChunk(t.data, masks, number, *held.buffer); err != nil {
			return 0, t.readError(l.record, &partError{masks, err})
		}
		held.number = number
	}
	return le.Uint64(held.bytes[block%perChunk*8:]), nil
}

// lookupAllUnmapped is LookupAll without the mapping, of states that are there.
func (t *Table) lookupAllUnmapped(places []Place, entries []Entry) (err error) {
	if t.far {
		if err := t.fetchPlaces(places); err != nil {
			return err
		}
	}
	t.unpackAll(outcomes, places, nil)
	for i, p := range places {
		if entries[i], err = t.outcomeUnmapped(t.located(p.Class), p); err != nil {
			return err
		}
	}
	if !t.header.shape.numbered() {
		return nil
	}
	t.unpackAll(steps, places, entries)
	for i, p := range places {
		if entries[i].Outcome == game.Draw {
			continue
		}
		l := t.located(p.Class)
		word, bit := p.word(l)
		number, err := t.gather(l, steps, word, bit)
		if err != nil {
			return err
		}
		entries[i] = t.header.shape.entry(entries[i].Outcome, int(number))
	}
	return nil
}

// outcomeUnmapped looks up the outcome of one state.
func (t *Table) outcomeUnmapped(l *located, p Place) (Entry, error) {
	word, bit := p.word(l)
	code, err := t.gather(l, outcomes, word, bit)
	if err != nil {
		return Entry{}, err
	}
	outcome := game.Outcome(code)
	if l.parts[outcomes].columns == 1 {
		outcome = game.Lose - outcome
	}
	if outcome > game.Lose {
		return Entry{}, t.bothWonAndLost(p.Class, p.Block, p.Index)
	}
	return Entry{outcome, -1, -1}, nil
}

// gather reads one bit of each column of a part, column l's as the binary digit l.
func (t *Table) gather(l *located, part int, word, bit uint64) (digits uint64, err error) {
	var words [maxDigits]uint64
	columns := words[:l.parts[part].columns]
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
		err = f.readWord(l, part, word, dst)
	case t.isClosed():
		return t.closed()
	default:
		err = l.readWord(t.data, part, word, dst)
	}
	if err != nil {
		return t.readError(l.record, &partError{part, err})
	}
	return nil
}

// readWord reads a word of each column of a part, with all of the chunks that it lies
// in.
func (r *record) readWord(f io.ReaderAt, part int, word uint64, dst []uint64) error {
	buffer := chunkBuffers.Get().(*[]byte)
	defer chunkBuffers.Put(buffer)
	at := word * uint64(len(dst)) * 8
	for column := 0; column < len(dst); {
		chunk, err := r.readChunk(f, part, int(at/chunkSize), *buffer)
		if err != nil {
			return err
		}
		for in := at % chunkSize; column < len(dst) && in < uint64(len(chunk)); in += 8 {
			dst[column] = le.Uint64(chunk[in:])
			column++
			at += 8
		}
	}
	return nil
}
