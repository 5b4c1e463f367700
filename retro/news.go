package retro

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"sync"

	"backsolve/bitslice"
	"backsolve/partition"
	"backsolve/retro/internal/work"
)

// News are the words of a plane of a class that are not zero, section by section:
//
//	4 bytes  the section
//	4 bytes  the length of what follows
//	         the words, as plylog packs them
//
// with numbers little-endian.
const newsHead = 4 + 4

var le = binary.LittleEndian

// sections are how a plane is cut: into stretches of equal length, but for the last.
type sections struct{ words, size int }

// sectionsOf cuts the planes of a class as its logs are.
func sectionsOf(c *partition.Class, o Options) sections {
	return sections{len(c.Masks) * c.Words(), 1 << uint(max(o.sectionBitsOf(c), bitslice.GroupBits))}
}

func (s sections) count() int { return (s.words + s.size - 1) / s.size }

// of returns the stretch that a section is: words [from, end).
func (s sections) of(section int) (from, end int) {
	return section * s.size, min((section+1)*s.size, s.words)
}

// markAny marks the groups of a stretch that have anything, and reports whether any has.
func markAny(words, marks []uint64) (any bool) {
	for from := 0; from < len(words); from += 1 << bitslice.GroupBits {
		if bitslice.Any(words[from:min(from+1<<bitslice.GroupBits, len(words))]) {
			mark(marks, from)
			any = true
		}
	}
	return any
}

// anyOf returns what marks the groups of a stretch of a plane that have anything.
func anyOf(plane []uint64) func(from, end int, marks []uint64) bool {
	return func(from, end int, marks []uint64) bool { return markAny(plane[from:end], marks) }
}

// pack returns what there is in a plane of the class, of which look marks the groups of a
// stretch that may have anything. It is good until the next call.
func (f *fixpoint) pack(plane []uint64, look func(from, end int, marks []uint64) bool) ([]byte, error) {
	s := sectionsOf(f.job.class.Class, f.job.o)
	f.packed = f.packed[:0]
	if first, end := f.job.team.Share(f.units.N); first == end || !f.job.team.Others() {
		return f.packed, nil // there are none, or there is nobody to be told
	}
	var lock sync.Mutex
	err := f.job.class.Pool.Run(s.count(), func(w *work.Worker, section int) {
		from, end := s.of(section)
		marks := w.FreshMarks(end - from)
		if !look(from, end, marks) {
			return
		}
		packed := w.Log.Pack(plane[from:end], marks)
		if len(packed) == 0 {
			return
		}
		lock.Lock()
		defer lock.Unlock()
		f.packed = le.AppendUint32(f.packed, uint32(section))
		f.packed = le.AppendUint32(f.packed, uint32(len(packed)))
		f.packed = append(f.packed, packed...)
	}, nil)
	return f.packed, err
}

// exchange gives the news of a phase to the team, and takes those of the others: each word
// by adopt, and into a frontier unless that is nil.
func (f *fixpoint) exchange(what string, states int64, news []byte, to *frontier, adopt func(word int, states uint64)) error {
	ctx := f.job.class.Pool.Context()
	what = fmt.Sprintf("%s, %d states", what, states)
	return f.job.team.Exchange(ctx, what, news, func(news []byte) error { return f.take(news, to, adopt) })
}

// take takes the news of another process.
func (f *fixpoint) take(news []byte, to *frontier, adopt func(word int, states uint64)) error {
	s, words := sectionsOf(f.job.class.Class, f.job.o), f.job.level.words
	chunks, err := s.split(news)
	if err != nil {
		return err
	}
	var failed work.FirstError // not one of the solve: the class may begin again
	err = f.job.class.Pool.Run(len(chunks), func(w *work.Worker, i int) {
		if err := w.Log.Unpack(chunks[i].packed); err != nil {
			failed.Set(err)
			return
		}
		from, end := s.of(chunks[i].section)
		count := 0
		for i, at := range w.Log.At {
			word, states := from+int(at), w.Log.Words[i]
			if word >= end {
				failed.Set(fmt.Errorf("a section of %d words has none with the number %d", end-from, at))
				return
			}
			adopt(word, states)
			if to != nil {
				to.set(word/words, word%words, states)
			}
			count += bits.OnesCount64(states)
		}
		if to != nil && count > 0 {
			to.any.Store(true)
			to.states.Add(int64(count))
		}
	}, nil)
	if err != nil {
		return err
	}
	return failed.Get()
}

// chunk is what news have of a section.
type chunk struct {
	section int
	packed  []byte
}

// split cuts news into chunks, of which no two are of the same section.
func (s sections) split(news []byte) (chunks []chunk, err error) {
	seen := make([]bool, s.count())
	for len(news) > 0 {
		if len(news) < newsHead {
			return nil, fmt.Errorf("news end with %d bytes that are not a chunk", len(news))
		}
		section, length := le.Uint32(news), le.Uint32(news[4:])
		news = news[newsHead:]
		if uint64(section) >= uint64(len(seen)) || seen[section] || uint64(length) > uint64(len(news)) {
			return nil, fmt.Errorf("news have %d bytes of section %d, which cannot be", length, section)
		}
		seen[section] = true
		chunks = append(chunks, chunk{int(section), news[:length]})
		news = news[length:]
	}
	return chunks, nil
}
