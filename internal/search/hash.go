package search

import (
	"math/bits"
	"sync/atomic"
	"unsafe"
)

// bounds are the least and the greatest score of a state; best is the best move, as a number.
type bounds struct {
	low, high int8
	best      uint8
	left      uint8 // empty cells, 0 where nothing is known
}

// add narrows the bounds by the result of a search with a null window at alpha.
func (b *bounds) add(score, alpha int) {
	if score > alpha {
		b.low = int8(score)
	} else {
		b.high = int8(score)
	}
}

// bucket has states with more empty cells first. The last place takes those with too few.
type bucket[S comparable] struct {
	lock   atomic.Uint32
	bounds [3]bounds
	states [3]S
}

// hash has bounds of states. It is safe for concurrent use.
type hash[S comparable] struct {
	buckets []bucket[S]
	shift   uint // of a hash value to a bucket
}

// newHash returns a hash of at most some bytes, but of one bucket at least.
func newHash[S comparable](bytes int64) hash[S] {
	log := bits.Len64(uint64(max(bytes/int64(unsafe.Sizeof(bucket[S]{})), 1))) - 1
	return hash[S]{make([]bucket[S], 1<<log), uint(64 - log)}
}

func (h *hash[S]) bucketOf(value uint64) *bucket[S] { return &h.buckets[value>>h.shift] }

func (b *bucket[S]) acquire() {
	for !b.lock.CompareAndSwap(0, 1) {
	}
}

func (b *bucket[S]) find(s S) (found bounds, ok bool) {
	b.acquire()
	for i := range b.states {
		if b.states[i] == s && b.bounds[i].left > 0 {
			found, ok = b.bounds[i], true
			break
		}
	}
	b.lock.Store(0)
	return found, ok
}

func (b *bucket[S]) keep(s S, new bounds) {
	b.acquire()
	defer b.lock.Store(0)
	last := len(b.states) - 1
	for i := range b.states {
		if b.states[i] == s && b.bounds[i].left > 0 {
			// Another thread may have found more.
			new.low, new.high = max(new.low, b.bounds[i].low), min(new.high, b.bounds[i].high)
			b.bounds[i] = new
			return
		}
	}
	for i := range b.states {
		if new.left >= b.bounds[i].left || i == last {
			copy(b.states[i+1:], b.states[i:last])
			copy(b.bounds[i+1:], b.bounds[i:last])
			b.states[i], b.bounds[i] = s, new
			return
		}
	}
}
