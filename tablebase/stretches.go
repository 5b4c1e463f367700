package tablebase

import (
	"sync"
	"sync/atomic"
)

// Stretches is a class that is written stretch by stretch, in any order: its planes need not be
// in memory together.
type Stretches struct {
	w      *Writer
	class  Class
	record *record
	left   atomic.Int64 // words of a plane that have not been written
}

// StretchWords is what the first word of a stretch is a multiple of.
const StretchWords = chunkSize / 8

// TakesStretches reports whether classes of the table can be written so: there are no numbers,
// which do not come with the outcomes, and the table is not packed, which goes from one end to the
// other.
func (w *Writer) TakesStretches() bool { return w.packer == nil && !w.shape.numbered() }

// Begin begins a class behind the sealed ones. Until it is sealed it does not count: what is
// begun or sealed in its place takes it.
func (w *Writer) Begin(c Class) (*Stretches, error) {
	if w.lock == nil {
		return nil, w.closed()
	}
	if !w.TakesStretches() {
		return nil, input(w.path, "a table %v is not written stretch by stretch, nor is a packed one", w.shape)
	}
	r, err := w.place(c, 0)
	if err != nil {
		return nil, input(w.path, "%v", err)
	}
	s := &Stretches{w: w, class: c, record: r}
	r.sums[outcomes].held = make([]uint32, r.parts[outcomes].chunks())
	s.left.Store(r.parts[outcomes].words)
	return s, nil
}

// runBuffers are for a run of words of two planes.
var runBuffers = sync.Pool{New: func() any { b := make([]byte, 2*chunkSize); return &b }}

// Write writes the words from the given one on, a multiple of StretchWords: so many that the next
// one is, too, or all to the end. lose is nil in a table with one plane. It may be called by
// several goroutines at once, and is to be called once for each word.
func (s *Stretches) Write(first int, win, lose []uint64) error {
	p, n := s.record.parts[outcomes], int64(len(win))
	at := int64(first)
	if at < 0 || at%StretchWords != 0 || n < 1 || n > p.words-at || n%StretchWords != 0 && n != p.words-at {
		return input(s.w.path, "class %d has no stretch of %d words from %d on", s.class.Class, n, first)
	}
	planes := Planes{Win: win, Lose: lose}
	if err := planes.check(s.w.shape, s.class.IndexBits, n); err != nil {
		return input(s.w.path, "class %d: %v", s.class.Class, err)
	}
	buf := runBuffers.Get().(*[]byte)
	defer runBuffers.Put(buf)
	from, stride := held(planes.outcomes()), int64(p.lanes)*8
	run, lanes := from.run(), make([][]uint64, p.lanes)
	for i := int64(0); i < n; i += run {
		words, err := from.take(i, min(run, n-i), lanes)
		if err != nil {
			return err
		}
		offset := (at + i) * stride
		b := (*buf)[:min(run*stride, p.padded()-offset)]
		interleave(b, words)
		p.sum(s.record.sums[outcomes].held, b, offset)
		if _, err := s.w.partial.WriteAt(b, p.offset+offset); err != nil {
			return s.w.writeError(s.w.partialPath(), err)
		}
	}
	s.left.Add(-n)
	return nil
}

// Seal is Writer.Seal, when all words are written.
func (s *Stretches) Seal(n Counts) error {
	w, r := s.w, s.record
	if w.lock == nil {
		return w.closed()
	}
	if left := s.left.Load(); left != 0 || r.parts[outcomes].offset != w.end() {
		return input(w.path, "class %d cannot be sealed: %d words of its planes are missing, or another class has taken its place", s.class.Class, left)
	}
	err := n.Check(w.shape, s.class.IndexBits, len(s.class.Masks))
	if err == nil {
		err = w.count(r, n)
	}
	if err != nil {
		return input(w.path, "class %d: %v", s.class.Class, err)
	}
	if r.sums[masks].held, err = r.parts[masks].write(w.partial, held([][]uint64{s.class.Masks})); err != nil {
		return w.writeError(w.partialPath(), err)
	}
	return w.list(r, nil)
}
