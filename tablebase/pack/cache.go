package pack

import (
	"io"
	"math/bits"
	"slices"
	"sync"

	"backsolve/tablebase/format"
)

// ways is the associativity of the cache: a frame replaces the least recently used of that number of places.
const ways = 8

// frameCache keeps unpacked frames. Each set of places has its own lock. A frame is read and
// unpacked under that lock, so that others who want the same frame wait for it.
type frameCache struct{ sets []frameSet }

type frameSet struct {
	lock  sync.Mutex
	clock uint64
	used  [ways]uint64 // the clock when the frame was used last
	held  [ways]int    // 1 + the number of the frame, 0 for none
	data  [ways][]byte
}

// init makes room for frames. Each takes memory once it is used.
func (c *frameCache) init(frames int) { c.sets = make([]frameSet, frames/ways) }

// set returns the set of a frame. Neighbours, and frames at regular distances, have different ones.
func (c *frameCache) set(frame int) *frameSet {
	const golden = 0x9e3779b97f4a7c15
	i, _ := bits.Mul64(uint64(frame)*golden, uint64(len(c.sets)))
	return &c.sets[i]
}

// Holds reports whether a frame is in the cache.
func (f *Frames) Holds(frame int) bool {
	s := f.cache.set(frame)
	s.lock.Lock()
	defer s.lock.Unlock()
	return slices.Contains(s.held[:], frame+1)
}

// tryHold is hold without waiting: nil if the frame is not in the cache or its set is locked.
func (c *frameCache) tryHold(frame int) (*frameSet, []byte) {
	if len(c.sets) == 0 {
		return nil, nil
	}
	s := c.set(frame)
	if !s.lock.TryLock() {
		return nil, nil
	}
	if way := slices.Index(s.held[:], frame+1); way >= 0 {
		return s, s.data[way]
	}
	s.lock.Unlock()
	return nil, nil
}

// hold returns an unpacked frame and its set, which is locked: the caller reads and unlocks it.
func (f *Frames) hold(frame int) (*frameSet, []byte, error) {
	s := f.cache.set(frame)
	s.lock.Lock()
	s.clock++
	oldest := 0
	for way, held := range s.held {
		if held == frame+1 {
			s.used[way] = s.clock
			return s, s.data[way], nil
		}
		if s.used[way] < s.used[oldest] {
			oldest = way
		}
	}
	if s.data[oldest] == nil {
		s.data[oldest] = make([]byte, format.FrameSize)
	}
	s.held[oldest], s.used[oldest] = 0, 0
	s.data[oldest] = s.data[oldest][:f.lengthOf(frame)]
	if err := f.Decode(frame, s.data[oldest]); err != nil {
		s.lock.Unlock()
		return nil, nil, err
	}
	s.held[oldest], s.used[oldest] = frame+1, s.clock
	return s, s.data[oldest], nil
}

// ThroughCache returns a reader of the unpacked table that goes through the cache.
func (f *Frames) ThroughCache() io.ReaderAt { return cachedReader{f} }

type cachedReader struct{ *Frames }

func (f cachedReader) ReadAt(b []byte, offset int64) (n int, err error) {
	return f.readFrames(b, offset, func(frame int, skip, _ int64, dst []byte) (int, error) {
		set, data, err := f.hold(frame)
		if err != nil {
			return 0, err
		}
		defer set.lock.Unlock()
		return copy(dst, data[skip:]), nil
	})
}

// Warm brings a frame into the cache. It ignores errors: reading the frame gives them again.
func (f *Frames) Warm(frame int) {
	if set, _, err := f.hold(frame); err == nil {
		set.lock.Unlock()
	}
}

// ReadWords reads neighbouring elements of a part, whose first frame is first, through the cache.
func (f *Frames) ReadWords(first int, element uint64, dst []uint64) error {
	for n := 0; n < len(dst); {
		offset := (element + uint64(n)) * 8
		set, data, err := f.hold(first + int(offset/format.FrameSize))
		if err != nil {
			return err
		}
		for at := int(offset % format.FrameSize); n < len(dst) && at < len(data); at += 8 {
			dst[n] = le.Uint64(data[at:])
			n++
		}
		set.lock.Unlock()
	}
	return nil
}

// CheckChunk checks a chunk of a part, whose first frame is first, through the cache: it is likely
// to be read next. The error is a *format.BadChunk, format.ErrPadding or that of Decode.
func (f *Frames) CheckChunk(r *format.Record, part, first, chunk int) error {
	const perChunk = format.ChunkSize / format.FrameSize
	p := r.Parts[part]
	offset, length := p.Chunk(chunk)
	first += chunk * perChunk
	sum, padded := uint32(0), true
	for at := int64(0); at < length; at += format.FrameSize {
		set, data, err := f.hold(first + int(at/format.FrameSize))
		if err != nil {
			return err
		}
		sum = format.UpdateChecksum(sum, data)
		padded = padded && p.IsPadded(data, offset-p.Offset+at)
		set.lock.Unlock()
	}
	switch {
	case sum != r.Sums[part][chunk]:
		return &format.BadChunk{Chunk: chunk}
	case !padded:
		return format.ErrPadding
	}
	return nil
}
