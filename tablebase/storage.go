package tablebase

import "io"

// Storage has the bytes of a table that is no file of this machine. Reading from it
// takes long, so it is told beforehand what will be read. Its methods may be called
// from many goroutines at once; after Close they return errors that wrap
// fs.ErrClosed. An error that is an *Error is handed on as it is.
type Storage interface {
	io.ReaderAt
	io.Closer
	// Size returns how many bytes there are.
	Size() int64
	// Fetch brings what will be read next, all of it at once.
	Fetch(wanted []Extent) error
	// Question begins an answer: all that is read until done is called has one deadline.
	// Answers that are begun meanwhile move it on.
	Question() (done func())
}

// Extent is a run of bytes.
type Extent struct{ Offset, Length int64 }

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
func OpenStorage(name string, s Storage) (*Table, error) {
	size := s.Size()
	tail := max(0, size-fetchedTail)
	err := s.Fetch([]Extent{{0, min(size, fetchedHead)}, {tail, size - tail}})
	if err != nil {
		s.Close()
		return nil, failed(name, "open the table", err, "")
	}
	return openSource(name, storedFar{s})
}

// storedFar is a Storage as the source of a table.
type storedFar struct{ Storage }

func (s storedFar) size() (int64, error)        { return s.Size(), nil }
func (s storedFar) fetch(wanted []Extent) error { return s.Fetch(wanted) }

// isFar reports whether a source is a Storage, or packed in one.
func isFar(s source) bool {
	if f, packed := s.(*frames); packed {
		s = f.source
	}
	_, far := s.(storedFar)
	return far
}

// Question begins an answer from the table: until done is called, all that is read of it has the
// one deadline of its Storage. It does nothing for a table on this machine, and does not allocate
// then.
func (t *Table) Question() (done func()) {
	if !t.far {
		return func() {}
	}
	s := t.data
	if f, packed := s.(*frames); packed {
		s = f.source
	}
	return s.(storedFar).Question()
}

// fetch brings the frames that have these bytes of the unpacked table, but for those
// that are held.
func (f *frames) fetch(wanted []Extent) error {
	var cold []int
	for _, w := range wanted {
		for at := w.Offset; at < w.Offset+w.Length; {
			frame, begin, length, err := f.at(at)
			if err != nil {
				break // who reads it will be told
			}
			at = begin + length
			for _, frame := range f.outcomeFrames([]int{frame}, frame) {
				if !f.cache.has(frame) {
					cold = append(cold, frame)
				}
			}
		}
	}
	if len(cold) == 0 {
		return nil
	}
	if s, ok := f.table.(*seekTable); ok {
		if err := f.source.fetch(s.unread(cold)); err != nil {
			return err
		}
	}
	packed := make([]Extent, len(cold))
	for i, frame := range cold {
		e, err := f.table.frame(frame)
		if err != nil {
			return err
		}
		packed[i] = Extent{e.offset, e.packed}
	}
	return f.source.fetch(packed)
}

// fetchPlaces brings what looking up these states reads. Whether one is drawn, and has
// no steps, is not known yet.
func (t *Table) fetchPlaces(places []Place) error {
	var wanted []Extent
	for _, p := range places {
		l := t.located(p.Class)
		word, _ := p.word(l)
		for _, part := range [...]int{outcomes, steps} {
			wanted = t.appendWanted(wanted, l, part, word)
		}
	}
	return t.fetch(wanted)
}

// appendWanted appends what is read for a word of each column of a part: the chunks that it
// lies in, or of chunks that were checked and are packed the words alone.
func (t *Table) appendWanted(wanted []Extent, l *located, part int, word uint64) []Extent {
	p := l.parts[part]
	if p.columns == 0 {
		return wanted
	}
	stride := uint64(p.columns) * 8
	first, last := int(word*stride/chunkSize), int(((word+1)*stride-1)/chunkSize)
	for c := first; c <= last; c++ {
		offset, length := p.chunk(c)
		if t.packed.Load() != nil && t.isChecked(l, part, c) {
			from, to := p.offset+int64(word*stride), p.offset+int64((word+1)*stride)
			from, to = max(from, offset), min(to, offset+length)
			offset, length = from, to-from
		}
		wanted = append(wanted, Extent{offset, length})
	}
	return wanted
}

// mostMasks is how long the masks of a class may be that are fetched together from afar
// when a block is first sought among them. Of longer ones the search reads a chunk here
// and there.
const mostMasks = 4 * chunkSize

// fetchMasks brings the masks of a class, from afar where they are few.
func (t *Table) fetchMasks(l *located) error {
	p := l.parts[masks]
	if t.far && p.padded() > mostMasks || l.fetched.Load() {
		return nil
	}
	if err := t.fetch([]Extent{{p.offset, p.padded()}}); err != nil {
		return err
	}
	l.fetched.Store(true)
	return nil
}

// fetch brings bytes of the table, unpacked, that will be read next.
func (t *Table) fetch(wanted []Extent) error {
	if t.isClosed() {
		return t.closed()
	}
	if err := t.data.fetch(wanted); err != nil {
		return t.lookupError(err)
	}
	return nil
}
