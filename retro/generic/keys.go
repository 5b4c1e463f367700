package generic

import (
	"encoding/binary"
	"math"
	"slices"
	"sort"
)

// blockKeys is how many keys a block has: one in the index, the others as differences.
const blockKeys = 128

// segment is an ascending list of keys, at most segmentKeys, in blocks. It lies in a
// work file that is mapped.
type segment struct {
	n      int
	first  []uint64 // of each block
	offset []uint32 // of each block's differences in data
	data   []byte   // of each key but a block's first, its difference to the one before, as a varint
}

func encode(s segment, keys []uint64) segment {
	s = segment{len(keys), s.first[:0], s.offset[:0], s.data[:0]}
	for i, k := range keys {
		if i%blockKeys == 0 {
			s.first, s.offset = append(s.first, k), append(s.offset, uint32(len(s.data)))
		} else {
			s.data = binary.AppendUvarint(s.data, k-keys[i-1])
		}
	}
	return s
}

func (s *segment) block(dst []uint64, b int) []uint64 {
	k := s.first[b]
	dst = append(dst, k)
	data := s.data[s.offset[b]:]
	for range min(blockKeys, s.n-b*blockKeys) - 1 {
		d, n := uint64(data[0]), 1
		if d >= 0x80 {
			d, n = binary.Uvarint(data)
		}
		k += d
		dst, data = append(dst, k), data[n:]
	}
	return dst
}

// find returns the block in which a key is if it is anywhere, −1 if it is below all.
func (s *segment) find(key uint64) int {
	return sort.Search(len(s.first), func(b int) bool { return s.first[b] > key }) - 1
}

// keyRange is the keys from low up to high.
type keyRange struct{ low, high uint64 }

func (s *segment) keysIn(dst []uint64, r keyRange) []uint64 {
	for b := max(s.find(r.low), 0); b < len(s.first) && s.first[b] <= r.high; b++ {
		from := len(dst)
		dst = s.block(dst, b)
		if dst[from] < r.low {
			skip, _ := slices.BinarySearch(dst[from:], r.low)
			dst = slices.Delete(dst, from, from+skip)
		}
		if len(dst) > from && dst[len(dst)-1] > r.high {
			end, _ := slices.BinarySearch(dst[from:], r.high+1)
			dst = dst[:from+end]
		}
	}
	return dst
}

// tierKeys are the keys of a tier in segments, each in a file. In a finished tier they ascend over all segments.
type tierKeys struct {
	files    []file
	segments []segment
	base     []int // how many keys are in the segments before each
}

func (k *tierKeys) len() int {
	if len(k.segments) == 0 {
		return 0
	}
	last := len(k.segments) - 1
	return k.base[last] + k.segments[last].n
}

type blocks struct {
	of         *segment
	base       int // the number of the segment's first key in the tier
	first, end int
}

func (b *blocks) keys() int { return min(b.of.n, b.end*blockKeys) - b.first*blockKeys }

// tasks cuts all keys into runs of at most n blocks.
func (k *tierKeys) tasks(n int) (tasks []blocks) {
	for i := range k.segments {
		s := &k.segments[i]
		for b := 0; b < len(s.first); b += n {
			tasks = append(tasks, blocks{s, k.base[i], b, min(b+n, len(s.first))})
		}
	}
	return tasks
}

// cut returns ranges of all keys, in each of which all segments together have about n: it looks at
// the first key of each block.
func cut(segments []segment, n int) (ranges []keyRange) {
	var firsts []uint64
	for i := range segments {
		firsts = append(firsts, segments[i].first...)
	}
	slices.Sort(firsts)
	low, step := uint64(0), max(n/blockKeys, 1)
	for i := step; i < len(firsts); i += step {
		if first := firsts[i]; first > low {
			ranges, low = append(ranges, keyRange{low, first - 1}), first
		}
	}
	return append(ranges, keyRange{low, math.MaxUint64})
}
