package reader

import (
	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// How much of a table is fetched when it is opened: the header and the frame that it is
// packed in; and the end, where footer and seek table are in all but large tables. Of
// a footer that is not among that so much is fetched at once.
const (
	fetchedHead   = 8 << 10
	fetchedTail   = 64 << 10
	fetchedFooter = 8 << 20
)

// OpenStorage opens a finished table like Open, packed or not, and closes the storage
// where that fails. name is what messages call it.
func OpenStorage(name string, s format.Storage) (*Table, error) {
	size, err := s.Size()
	if err != nil {
		s.Close()
		return nil, tablebase.Failed(name, "open the table", err, "")
	}
	tail := max(0, size-fetchedTail)
	err = s.Fetch([]format.Extent{{Offset: 0, Length: min(size, fetchedHead)}, {Offset: tail, Length: size - tail}})
	if err != nil {
		s.Close()
		return nil, tablebase.Failed(name, "open the table", err, "")
	}
	return openSource(name, s)
}

// Question begins an answer from the table: until done is called, all that is read of it has the
// one deadline of its Storage. It does nothing for a table on this machine, and does not allocate
// then.
func (t *Table) Question() (done func()) {
	if t.storage == nil {
		return func() {}
	}
	return t.storage.Question()
}

// fetchPlaces brings what looking up these states reads. Whether one is drawn, and has
// no steps, is not known yet.
func (t *Table) fetchPlaces(places []Place) error {
	var wanted []format.Extent
	for _, p := range places {
		l := t.located(p.Class)
		word, _ := p.word(l)
		for _, part := range [...]int{format.Outcomes, format.Steps} {
			wanted = t.appendWanted(wanted, l, part, word)
		}
	}
	return t.fetch(wanted)
}

// appendWanted appends what is read for a word of each column of a part: the chunks that it
// lies in, or of chunks that were checked and are packed the words alone.
func (t *Table) appendWanted(wanted []format.Extent, l *located, part int, word uint64) []format.Extent {
	p := l.Parts[part]
	if p.Columns == 0 {
		return wanted
	}
	stride := uint64(p.Columns) * 8
	first, last := int(word*stride/format.ChunkSize), int(((word+1)*stride-1)/format.ChunkSize)
	for c := first; c <= last; c++ {
		offset, length := p.Chunk(c)
		if t.packed.Load() != nil && t.isChecked(l, part, c) {
			from, to := p.Offset+int64(word*stride), p.Offset+int64((word+1)*stride)
			from, to = max(from, offset), min(to, offset+length)
			offset, length = from, to-from
		}
		wanted = append(wanted, format.Extent{Offset: offset, Length: length})
	}
	return wanted
}

// mostMasks is how long the masks of a class may be that are fetched together from afar
// when a block is first sought among them. Of longer ones the search reads a chunk here
// and there.
const mostMasks = 4 * format.ChunkSize

// fetchMasks brings the masks of a class, from afar where they are few.
func (t *Table) fetchMasks(l *located) error {
	p := l.Parts[format.Masks]
	if t.far && p.Padded() > mostMasks || l.fetched.Load() {
		return nil
	}
	if err := t.fetch([]format.Extent{{Offset: p.Offset, Length: p.Padded()}}); err != nil {
		return err
	}
	l.fetched.Store(true)
	return nil
}

// fetch brings bytes of the table, unpacked, that will be read next.
func (t *Table) fetch(wanted []format.Extent) error {
	if t.isClosed() {
		return t.closed()
	}
	if err := t.data.Fetch(wanted); err != nil {
		return t.lookupError(err)
	}
	return nil
}
