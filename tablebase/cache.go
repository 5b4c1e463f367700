package tablebase

import (
	"math/bits"
	"slices"
	"sync"
)

const (
	// cacheBytes bounds the decoded frames that a packed table keeps.
	cacheBytes = 64 << 20
	// ways is how many frames compete for a place in the cache with each other
	// only; of them the one that was not asked for the longest gives way.
	ways = 8
)

// frameCache keeps decoded frames. Each set of places has a lock of its own: a
// frame is read and decoded under it, so that whoever else wants the same frame
// waits for it instead of decoding it, too.
type frameCache struct{ sets []frameSet }

type frameSet struct {
	lock  sync.Mutex
	clock uint64
	used  [ways]uint64 // the clock when a frame was last asked for
	held  [ways]int    // 1 + the number of the frame, 0 for none
	data  [ways][]byte
}

// init makes room for that many frames; each takes memory once it is held.
func (c *frameCache) init(frames int) { c.sets = make([]frameSet, frames/ways) }

// set returns the set where a frame has its place. Neighbours are far apart, and
// so are frames at regular distances.
func (c *frameCache) set(frame int) *frameSet {
	const golden = 0x9e3779b97f4a7c15
	i, _ := bits.Mul64(uint64(frame)*golden, uint64(len(c.sets)))
	return &c.sets[i]
}

// has reports whether a frame is held.
func (c *frameCache) has(frame int) bool {
	s := c.set(frame)
	s.lock.Lock()
	defer s.lock.Unlock()
	return slices.Contains(s.held[:], frame+1)
}

// tryHold is hold for who does not wait: it returns nothing where the frame is not held,
// or its set is locked.
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

// hold returns a decoded frame and the set that it is in, which is locked: the
// caller reads and unlocks it.
func (f *frames) hold(frame int) (*frameSet, []byte, error) {
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
		s.data[oldest] = make([]byte, frameSize)
	}
	s.held[oldest], s.used[oldest] = 0, 0
	s.data[oldest] = s.data[oldest][:f.lengthOf(frame)]
	if err := f.decode(frame, s.data[oldest]); err != nil {
		s.lock.Unlock()
		return nil, nil, err
	}
	s.held[oldest], s.used[oldest] = frame+1, s.clock
	return s, s.data[oldest], nil
}
