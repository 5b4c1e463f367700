package reader

import (
	"cmp"
	"runtime"
	"slices"
	"sort"

	"backsolve/game"
	"backsolve/internal/parallel"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// directReader looks up in a table that is packed, not mapped, or checked at every lookup: it
// reads into memory of its own. It serves one call; release it.
type directReader struct {
	*contents
	allCores bool // to unpack
	// The chunk that was read last, where the table is not packed.
	buffer      *[]byte
	record      *format.Record
	part, chunk int
	bytes       []byte
}

func (d *directReader) release() {
	if d.buffer != nil {
		format.ChunkBuffers.Put(d.buffer)
	}
}

// words reads a word of each column of a part, checked; dst has room for all columns.
func (d *directReader) words(l *class, part int, word uint64, dst []uint64) (err error) {
	if d.IsClosed() {
		return d.Closed()
	}
	first := word * uint64(len(dst))
	if d.Frames != nil {
		if err := d.checkOnce(l, part, word); err != nil {
			return err
		}
		err = d.Frames.ReadWords(l.firstFrame[part], first, dst)
	} else {
		for i := range dst {
			if dst[i], err = d.element(l.Record, part, int(first)+i); err != nil {
				break
			}
		}
	}
	if err != nil {
		return d.classError(l.Record, &format.PartError{Part: part, Cause: err})
	}
	return nil
}

func (d *directReader) element(r *format.Record, part, n int) (word uint64, err error) {
	const perChunk = format.ChunkSize / 8
	if chunk := n / perChunk; d.record != r || d.part != part || d.chunk != chunk {
		if d.buffer == nil {
			d.buffer = format.ChunkBuffers.Get().(*[]byte)
		}
		d.record = nil // the buffer changes
		if d.bytes, err = r.ReadChunk(d.Data, part, chunk, *d.buffer); err != nil {
			return 0, err
		}
		d.record, d.part, d.chunk = r, part, chunk
	}
	return le.Uint64(d.bytes[n%perChunk*8:]), nil
}

func (d *directReader) findAll(keys []Key, places []Place) (found int, err error) {
	for i, k := range keys {
		l := d.class(k.Class)
		if l == nil {
			return i, nil
		}
		block, is, err := d.find(l, k.Mask, k.Hint)
		if err != nil || !is {
			return i, err
		}
		places[i] = Place{k.Class, block, k.Index}
	}
	return len(keys), nil
}

// find searches a class for the block with a mask, the hint first.
func (d *directReader) find(l *class, mask uint64, hint int) (block int, found bool, err error) {
	if d.Storage != nil || d.Frames != nil {
		if err := d.fetchMasks(l); err != nil {
			return 0, false, err
		}
	}
	var m [1]uint64
	if uint(hint) < uint(l.Blocks) {
		if err := d.words(l, format.Masks, uint64(hint), m[:]); err != nil || m[0] == mask {
			return hint, err == nil, err
		}
	}
	block, found = sort.Find(l.Blocks, func(b int) int {
		if err != nil {
			return 0 // it ends the search
		}
		err = d.words(l, format.Masks, uint64(b), m[:])
		return cmp.Compare(mask, m[0])
	})
	return block, found && err == nil, err
}

func (d *directReader) lookupAll(places []Place, entries []tablebase.Entry) error {
	if err := d.readEntries(places, entries); err != nil || d.archive == nil {
		return err
	}
	return d.deriveEntries(places, entries)
}

func (d *directReader) readEntries(places []Place, entries []tablebase.Entry) error {
	for _, p := range places {
		if _, err := d.locate(p); err != nil {
			return err
		}
	}
	if d.Storage != nil {
		if err := d.fetchPlaces(format.Outcomes, places, nil); err != nil {
			return err
		}
	}
	d.unpackAll(format.Outcomes, places, nil)
	for i, p := range places {
		l := d.class(p.Class)
		bits, err := d.bits(l, format.Outcomes, p)
		if err != nil {
			return err
		}
		outcome := game.Outcome(bits)
		if l.Parts[format.Outcomes].Columns == 1 {
			outcome = game.Lose - outcome
		}
		if outcome > game.Lose {
			return d.bothWonAndLost(p)
		}
		entries[i] = tablebase.Entry{Outcome: outcome, Steps: -1, Nimber: -1}
	}
	if !d.header.Shape.Numbered() {
		return nil
	}
	if d.Storage != nil && d.archive != nil {
		if err := d.fetchPlaces(format.Steps, places, entries); err != nil {
			return err
		}
	}
	d.unpackAll(format.Steps, places, entries)
	for i, p := range places {
		if !d.class(p.Class).hasNumber(entries[i].Outcome) {
			continue
		}
		number, err := d.bits(d.class(p.Class), format.Steps, p)
		if err != nil {
			return err
		}
		entries[i] = newEntry(d.header.Shape, entries[i].Outcome, int(number))
	}
	return nil
}

// hasNumber reports whether steps or nimbers of states with an outcome are stored.
func (l *class) hasNumber(o game.Outcome) bool {
	return o == game.Lose || o == game.Win && !l.derived
}

// bits reads the bits of a state in the columns of a part as a binary number, the first column lowest.
func (d *directReader) bits(l *class, part int, p Place) (digits uint64, err error) {
	var words [format.MaxDigits]uint64
	columns := words[:l.Parts[part].Columns]
	if len(columns) == 0 {
		return 0, nil
	}
	word, bit := p.word(l)
	if err := d.words(l, part, word, columns); err != nil {
		return 0, err
	}
	for column, w := range columns {
		digits |= w >> bit & 1 << column
	}
	return digits, nil
}

// maxCold is how many places are unpacked for at once.
const maxCold = 64

// unpackAll unpacks on all cores what lookups in a part will read and the cache lacks, as unpacking a frame takes longer
// than all else in a lookup; with entries, only for states that are not drawn. What fails fails again when it is read.
func (d *directReader) unpackAll(part int, places []Place, entries []tablebase.Entry) {
	if !d.allCores || d.Frames == nil || d.Storage != nil || d.IsClosed() {
		return
	}
	var cold [maxCold]Place // a copy, so that the caller's places stay on the stack
	n := 0
	for i, p := range places {
		if n < maxCold && (entries == nil || d.class(p.Class).hasNumber(entries[i].Outcome)) && d.isCold(part, p) {
			cold[n] = p
			n++
		}
	}
	if n > 1 && d.fetchPlaces(part, cold[:n], nil) == nil {
		unpackCold(d.contents, part, slices.Clone(cold[:n]))
	}
}

// isCold reports whether a state's chunk has not been checked, or its frame is not in the cache.
func (d *directReader) isCold(part int, p Place) bool {
	l := d.class(p.Class)
	columns := uint64(l.Parts[part].Columns)
	if columns == 0 {
		return false
	}
	word, _ := p.word(l)
	return !d.isChecked(l, part, int(word*columns*8/format.ChunkSize)) || !d.Frames.Holds(l.frame(part, word*columns))
}

func unpackCold(c *contents, part int, cold []Place) {
	// A frame that cannot be unpacked is an error of the lookup that needs it.
	_ = parallel.Each(len(cold), min(len(cold), runtime.GOMAXPROCS(0)), func(next func() (int, bool)) error {
		for i, more := next(); more; i, more = next() {
			l := c.class(cold[i].Class)
			word, _ := cold[i].word(l)
			if c.checkOnce(l, part, word) == nil {
				c.Frames.Warm(l.frame(part, word*uint64(l.Parts[part].Columns)))
			}
		}
		return nil
	})
}

func (l *class) frame(part int, element uint64) int {
	return l.firstFrame[part] + int(element*8/format.FrameSize)
}

// fetchPlaces brings what looking up these states reads in a part; with entries, only for those
// with a number. Steps come together with the outcomes, though drawn states have none. In an
// archive most have none, so they come later.
func (d *directReader) fetchPlaces(part int, places []Place, entries []tablebase.Entry) error {
	parts := []int{part, format.Steps}
	if part == format.Steps || d.archive != nil {
		parts = parts[:1]
	}
	var wanted []format.Extent
	for i, p := range places {
		l := d.class(p.Class)
		if entries != nil && !l.hasNumber(entries[i].Outcome) {
			continue
		}
		word, _ := p.word(l)
		for _, part := range parts {
			wanted = d.appendWanted(wanted, l, part, word)
		}
	}
	return d.fetch(wanted)
}

// appendWanted appends what a word of each column needs: its chunks, or the words alone of packed
// chunks that were checked.
func (d *directReader) appendWanted(wanted []format.Extent, l *class, part int, word uint64) []format.Extent {
	p := l.Parts[part]
	if p.Columns == 0 {
		return wanted
	}
	stride := uint64(p.Columns) * 8
	first, last := int(word*stride/format.ChunkSize), int(((word+1)*stride-1)/format.ChunkSize)
	for chunk := first; chunk <= last; chunk++ {
		offset, length := p.Chunk(chunk)
		if d.Frames != nil && d.isChecked(l, part, chunk) {
			from, to := int64(p.WordOffset(word)), int64(p.WordOffset(word+1))
			from, to = max(from, offset), min(to, offset+length)
			offset, length = from, to-from
		}
		wanted = append(wanted, format.Extent{Offset: offset, Length: length})
	}
	return wanted
}

// maxMasks bounds the bytes of masks of a class that are fetched together from a Storage. Of more,
// the search reads a chunk here and there.
const maxMasks = 4 * format.ChunkSize

// fetchMasks brings the masks of a class, those on a Storage where they are few.
func (d *directReader) fetchMasks(l *class) error {
	p := l.Parts[format.Masks]
	if d.Storage != nil && p.Padded() > maxMasks || l.fetched.Load() {
		return nil
	}
	if err := d.fetch([]format.Extent{{Offset: p.Offset, Length: p.Padded()}}); err != nil {
		return err
	}
	l.fetched.Store(true)
	return nil
}
