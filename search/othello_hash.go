package search

import (
	"math/bits"
	"sync/atomic"
	"unsafe"
)

// bounds are what is known of a position's score: it is from low to high. best is the cell of
// the best move.
type bounds struct {
	low, high int8
	best      uint8
	left      uint8 // empty cells, 0 where nothing is known
}

// bucket is a cache line of the hash: positions with their bounds, those with more empty
// cells first. The last place takes what has too few for the others.
type bucket struct {
	lock   atomic.Uint32
	bounds [3]bounds
	discs  [3]discs
}

// discHash has bounds of positions. It is safe for concurrent use.
type discHash struct {
	buckets []bucket
	shift   uint // of a hash value to a bucket
}

const bucketBytes = int64(unsafe.Sizeof(bucket{}))

// newDiscHash returns a hash of at most some bytes, but of one bucket at least.
func newDiscHash(bytes int64) *discHash {
	log := bits.Len64(uint64(max(bytes/bucketBytes, 1))) - 1
	return &discHash{make([]bucket, 1<<log), uint(64 - log)}
}

// at returns the bucket of a position.
func (h *discHash) at(d discs) *bucket {
	mixed := (d.own*0x9e3779b97f4a7c15 ^ bits.RotateLeft64(d.other*0xc2b2ae3d27d4eb4f, 32)) * 0x9fb21c651e98df25
	return &h.buckets[(mixed^mixed>>29)*0x9e3779b97f4a7c15>>h.shift]
}

func (b *bucket) acquire() {
	for !b.lock.CompareAndSwap(0, 1) {
	}
}

// find returns the bounds of a position, false if there are none.
func (b *bucket) find(d discs) (found bounds, ok bool) {
	b.acquire()
	for i := range b.discs {
		if b.discs[i] == d && b.bounds[i].left > 0 {
			found, ok = b.bounds[i], true
			break
		}
	}
	b.lock.Store(0)
	return found, ok
}

// keep stores the bounds of a position in place of its earlier ones.
func (b *bucket) keep(d discs, new bounds) {
	b.acquire()
	defer b.lock.Store(0)
	last := len(b.discs) - 1
	for i := range b.discs {
		if b.discs[i] == d {
			// Another thread may have found more.
			new.low, new.high = max(new.low, b.bounds[i].low), min(new.high, b.bounds[i].high)
			b.bounds[i] = new
			return
		}
	}
	for i := range b.discs {
		if new.left >= b.bounds[i].left || i == last {
			copy(b.discs[i+1:], b.discs[i:last])
			copy(b.bounds[i+1:], b.bounds[i:last])
			b.discs[i], b.bounds[i] = d, new
			return
		}
	}
}
