package reader

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime/debug"

	"backsolve/game"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// Find returns the number of the block with a canonical mask in the class with
// that many marked cells; found is false where the class or the mask is not in
// the table. It does not allocate unless it fails.
func (t *Table) Find(class int, mask uint64) (block int, found bool, err error) {
	m, l := t.mapped.Load(), t.located(class)
	if l == nil {
		return 0, false, nil
	}
	if m == nil || t.always.Load() {
		return t.findUnmapped(l, mask, nowhere)
	}
	defer t.recoverFault(debug.SetPanicOnFault(true), &err)
	at, is, failure := t.search(m, l, mask, nowhere)
	switch {
	case failure != nil:
		return 0, false, failure
	case !m.whole(): // which may fault as well
		return 0, false, t.shrunk()
	case !is:
		return 0, false, nil
	}
	return at, true, nil
}

// Key is a state by its class, the canonical mask of its block, and its index there.
type Key struct {
	Class       int
	Mask, Index uint64
	// Hint is the likely number of the block, −1 if unknown: it is
	// looked at first, and if another block is there, the mask is searched for.
	Hint int
}

// nowhere is Key.Hint of a block without a hint.
const nowhere = -1

// FindAll finds where states lie: places[i] becomes the place of sought[i]. found is
// how many it has found: fewer than all where the block of sought[found] is not in the
// table. It is faster than as many calls of Find and does not allocate unless it fails.
func (t *Table) FindAll(sought []Key, places []Place) (found int, err error) {
	m := t.mapped.Load()
	if m == nil || t.always.Load() {
		return t.findEach(sought, places)
	}
	defer t.recoverFault(debug.SetPanicOnFault(true), &err)
	for ; found < len(sought); found++ {
		s, l := &sought[found], t.located(sought[found].Class)
		if l == nil {
			break
		}
		block, is, err := t.search(m, l, s.Mask, s.Hint)
		if err != nil {
			return found, err
		}
		if !is {
			break
		}
		places[found] = Place{s.Class, block, s.Index}
	}
	if !m.whole() {
		return 0, t.shrunk()
	}
	return found, nil
}

// findEach is FindAll without the mapping.
func (t *Table) findEach(sought []Key, places []Place) (found int, err error) {
	for i, s := range sought {
		l := t.located(s.Class)
		if l == nil {
			return i, nil
		}
		block, is, err := t.findUnmapped(l, s.Mask, s.Hint)
		if err != nil || !is {
			return i, err
		}
		places[i] = Place{s.Class, block, s.Index}
	}
	return len(sought), nil
}

// search searches the masks of a class for that of a block, starting at the hint.
func (t *Table) search(m *mapping, l *located, mask uint64, hint int) (block int, found bool, err error) {
	if uint(hint) < uint(l.Blocks) {
		if err := t.touch(l, format.Masks, uint64(hint)); err != nil {
			return 0, false, err
		}
		if m.element(l.Parts[format.Masks], uint64(hint), 0) == mask {
			return hint, true, nil
		}
	}
	// The block is among the n from low on: nothing is known of the one at low,
	// those behind the n have greater masks. The branch on a comparison, which
	// nobody can foretell, is one that compilers make a conditional move.
	part, checked, low := l.Parts[format.Masks], -1, 0
	for n := l.Blocks; n > 0; {
		middle := low + n/2
		if chunk := middle / (format.ChunkSize / 8); chunk != checked {
			if err := t.touch(l, format.Masks, uint64(middle)); err != nil {
				return 0, false, err
			}
			checked = chunk
		}
		if n == 1 {
			break
		}
		if m.element(part, uint64(middle), 0) <= mask {
			low = middle
		}
		n -= n / 2
	}
	return low, l.Blocks > 0 && m.element(part, uint64(low), 0) == mask, nil
}

// Place is where a state lies in a table: its index, 0 ≤ Index < 2^IndexBits, in
// the slice of a block, 0 ≤ Block < Blocks, of the class with that many marked
// cells.
type Place struct {
	Class, Block int
	Index        uint64
}

// word returns where the bit of a state is in each column of its class.
func (p Place) word(l *located) (word, bit uint64) {
	return uint64(p.Block)*l.words + p.Index/64, p.Index % 64
}

// Lookup returns what the table knows of a state, like LookupAll.
func (t *Table) Lookup(class, block int, index uint64) (tablebase.Entry, error) {
	places, entries := [1]Place{{class, block, index}}, [1]tablebase.Entry{}
	if err := t.LookupAll(places[:], entries[:]); err != nil {
		return tablebase.Entry{}, err
	}
	return entries[0], nil
}

// LookupAll looks up states: entries[i] becomes what the table knows of the state
// at places[i]. It is faster than to take one after the other, since it waits for
// the memory of all of them at once. It does not allocate unless it fails, and then
// the entries are undefined. Errors: ErrInput for a state that is not in the table,
// ErrDamaged, ErrTruncated, ErrClosed.
func (t *Table) LookupAll(places []Place, entries []tablebase.Entry) error {
	m := t.mapped.Load()
	mapped := m != nil && !t.always.Load()
	if mapped {
		if done, err := t.lookupAllChecked(m, places, entries); done || err != nil {
			return err
		}
	}
	for _, p := range places {
		if _, err := t.locate(p); err != nil {
			return err
		}
	}
	if mapped {
		return t.lookupAllMapped(m, places, entries)
	}
	return t.lookupAllUnmapped(places, entries)
}

// entry is what is known of a state that is not drawn, by its outcome and its digits.
func newEntry(s tablebase.Shape, outcome game.Outcome, number int) tablebase.Entry {
	switch {
	case s.Steps:
		return tablebase.Entry{Outcome: outcome, Steps: number, Nimber: -1}
	case s.Nimbers && (outcome == game.Lose || number > 0):
		return tablebase.Entry{Outcome: outcome, Steps: -1, Nimber: number}
	}
	return tablebase.Entry{Outcome: outcome, Steps: -1, Nimber: -1}
}

// checkOutcomes refuses a code that no state has.
func (t *Table) checkOutcomes(places []Place, entries []tablebase.Entry) error {
	for i, e := range entries[:len(places)] {
		if p := places[i]; e.Outcome > game.Lose {
			return t.bothWonAndLost(p.Class, p.Block, p.Index)
		}
	}
	return nil
}

// locate returns the class of a place; ErrInput where that is none of the table's.
func (t *Table) locate(p Place) (*located, error) {
	l := t.located(p.Class)
	if l == nil || uint(p.Block) >= uint(l.Blocks) || p.Index>>l.IndexBits != 0 {
		return nil, tablebase.Inputf(t.path, "there is no state %d in block %d of class %d", p.Index, p.Block, p.Class)
	}
	return l, nil
}

// located returns a class by its number of marked cells, nil for none.
func (t *Table) located(class int) *located {
	if uint(class) >= uint(len(t.byClass)) {
		return nil
	}
	return t.byClass[class]
}

// outcome reads a state's two-bit code, 3 where the file contradicts itself.
func (m *mapping) outcome(l *located, word, bit uint64) game.Outcome {
	p := l.Parts[format.Outcomes]
	win := m.element(p, word, 0) >> bit & 1
	if p.Columns == 1 {
		return game.Lose - game.Outcome(win)
	}
	return game.Outcome(win | m.element(p, word, 1)>>bit&1<<1)
}

// number reads a state's digits.
func (m *mapping) number(l *located, word, bit uint64) int {
	n := uint64(0)
	for d := range l.Digits {
		n |= m.element(l.Parts[format.Steps], word, d) >> bit & 1 << d
	}
	return int(n)
}

// element reads a word of a column.
func (m *mapping) element(p format.Part, word uint64, column int) uint64 {
	at := uint64(p.Offset) + (word*uint64(p.Columns)+uint64(column))*8
	return le.Uint64(m.bytes[at:])
}

// whole says whether the file still has its end. It is called after the data
// was read: bytes that are cut off read as zeros up to the end of their page and
// fault behind it, and in both cases the end mark goes first, since it never
// shares a page with data. It must not be inlined, or the compiler could read
// the mark before the data.
//
//go:noinline
func (m *mapping) whole() bool {
	return le.Uint64(m.bytes[len(m.bytes)-format.EndMarkSize:]) == m.endMark
}

// touch checks the chunks that hold a word of each column of a part, unless that
// was done before.
func (t *Table) touch(l *located, part int, word uint64) error {
	stride := uint64(l.Parts[part].Columns) * 8
	first := int(word * stride / format.ChunkSize)
	last := int(((word+1)*stride - 1) / format.ChunkSize)
	for c := first; c <= last; c++ {
		if !t.isChecked(l, part, c) {
			if err := t.checkChunk(l, part, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// isChecked reports whether the checksum of a chunk held once.
func (t *Table) isChecked(l *located, part, chunk int) bool {
	n := uint(l.firstChunk[part] + chunk)
	return t.checked[n/64].Load()>>(n%64)&1 != 0
}

// checkChunk checks a chunk for touch.
func (t *Table) checkChunk(l *located, part, chunk int) error {
	var err error
	if f := t.packed.Load(); f != nil {
		if offset, length := l.Parts[part].Chunk(chunk); t.far {
			err = t.fetch([]format.Extent{{Offset: offset, Length: length}})
		}
		if err == nil {
			err = f.CheckChunk(l.Record, part, l.firstFrame[part], chunk)
		}
	} else {
		buffer := format.ChunkBuffers.Get().(*[]byte)
		_, err = l.ReadChunk(t.data, part, chunk, *buffer)
		format.ChunkBuffers.Put(buffer)
	}
	if err != nil {
		return t.readError(l.Record, &format.PartError{Part: part, Cause: err})
	}
	t.setChecked(l, part, chunk)
	return nil
}

// setChecked notes that the checksum of a chunk held.
func (t *Table) setChecked(l *located, part, chunk int) {
	n := uint(l.firstChunk[part] + chunk)
	if bit := uint64(1) << (n % 64); t.checked[n/64].Or(bit)&bit == 0 && part != format.Masks {
		l.unchecked.Add(-1)
	}
}

// recoverFault, deferred, turns a fault of the mapping into an error and puts
// back how the goroutine took faults before.
func (t *Table) recoverFault(before bool, err *error) {
	debug.SetPanicOnFault(before)
	cause := recover()
	if cause == nil {
		return
	}
	if _, fault := cause.(interface{ Addr() uintptr }); !fault {
		panic(cause)
	}
	if *err = t.shrunk(); t.mapped.Load() != nil {
		if size, failure := t.data.Size(); failure == nil && size == t.header.Length {
			*err = tablebase.Failed(t.path, "read the table", fmt.Errorf("%v", cause), "see to the disk")
		}
	}
}

// shrunk is why the end mark is gone: somebody shortened the file, or this
// table was closed under the lookup.
func (t *Table) shrunk() error {
	if t.isClosed() {
		return t.closed()
	}
	return t.truncated("it was shortened or overwritten while it was in use")
}

// lookupError turns what went wrong while fetching for lookups into a sentence.
func (t *Table) lookupError(err error) error {
	if errors.Is(err, fs.ErrClosed) {
		return t.closed()
	}
	return t.headerError(err)
}

// readError turns what went wrong while reading a class into a sentence.
func (t *Table) readError(r *format.Record, err error) error {
	if errors.Is(err, fs.ErrClosed) {
		return t.closed()
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return t.shrunk()
	}
	return format.ReadError(t.path, r, err, t.remedy())
}

func (t *Table) bothWonAndLost(class, block int, index uint64) error {
	return t.damaged("class %d, block %d, state %d is both won and lost", class, block, index)
}
