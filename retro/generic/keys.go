package generic

import (
	"encoding/binary"
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

// keysIn appends the keys from low up to but not including high, or all from low on
// where last.
func (s *segment) keysIn(dst []uint64, low, high uint64, last bool) []uint64 {
	for b := max(s.find(low), 0); b < len(s.first) && (last || s.first[b] < high); b++ {
		from := len(dst)
		dst = s.block(dst, b)
		if dst[from] < low {
			skip, _ := slices.BinarySearch(dst[from:], low)
			dst = slices.Delete(dst, from, from+skip)
		}
		if !last && len(dst) > from && dst[len(dst)-1] >= high {
			end, _ := slices.BinarySearch(dst[from:], high)
			dst = dst[:from+end]
		}
	}
	return dst
}

// tierKeys are the keys of a tier in segments, each in a file. Those of a finished tier
// ascend over all segments.
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

// cut returns bounds between which all segments together have about n keys: it looks at
// the first key of each block. The first range begins at 0, the last one has no end.
func cut(segments []segment, n int) (bounds []uint64) {
	var firsts []uint64
	for i := range segments {
		firsts = append(firsts, segments[i].first...)
	}
	slices.Sort(firsts)
	bounds = []uint64{0}
	step := max(n/blockKeys, 1)
	for i := step; i < len(firsts); i += step {
		if firsts[i] > bounds[len(bounds)-1] {
			bounds = append(bounds, firsts[i])
		}
	}
	return bounds
}
