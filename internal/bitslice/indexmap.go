// Package bitslice is vectors of states, 64 in a word: the maps by which the bits of
// their index are permuted, the folds of one slice into another along such a map,
// numbers with a plane for each binary digit, and the kernels that do the work. It
// knows neither boards nor games.
package bitslice

import "encoding/binary"

// WordBits is the number of index bits inside a word: 64 states a word.
const WordBits = 6

// MaxIndexBits bounds the index bits of a slice.
const MaxIndexBits = 31

// Words returns the number of words of a slice of 2^k states: one at least.
func Words(k int) int {
	return 1 << max(k-WordBits, 0)
}

// Valid returns the bits of a slice's words that stand for states: all of them
// but for slices of fewer than six index bits.
func Valid(k int) uint64 {
	if k >= WordBits {
		return ^uint64(0)
	}
	return 1<<(1<<uint(k)) - 1
}

// IndexMap says where a destination slice's states are found in a source slice:
// bit d of the destination index is bit From[d] of the source index. Only
// destination states whose bits One are set have a source; the others are left
// alone by a fold.
//
// A source slice may have one index bit more than the destination. The map is
// then over the source's bits, the destination's missing top bit counts as set,
// and One includes it.
type IndexMap struct {
	Src, Dst int // index bits of the slices, Dst ≤ Src ≤ Dst+1
	From     [MaxIndexBits]uint8
	One      uint32
}

// Index returns the source index of a destination index, and whether there is one.
func (m *IndexMap) Index(dst uint32) (uint32, bool) {
	if m.Dst < m.Src {
		dst |= 1 << uint(m.Dst)
	}
	if dst&m.One != m.One {
		return 0, false
	}
	var src uint32
	for d := range m.Src {
		src |= dst >> uint(d) & 1 << m.From[d]
	}
	return src, true
}

// Hash returns a hash of the map. Equal maps have equal hashes if From is 0 beyond Src.
func (m *IndexMap) Hash() uint64 {
	h := uint64(m.One)<<16 | uint64(m.Dst)<<8 | uint64(m.Src)
	for _, at := range [...]int{0, 8, 16, len(m.From) - 8} {
		h = (h ^ binary.LittleEndian.Uint64(m.From[at:])) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

// Identity returns the map of slices of k index bits that leaves every state where it is.
func Identity(k int) IndexMap {
	m := IndexMap{Src: k, Dst: k}
	for d := range k {
		m.From[d] = uint8(d)
	}
	return m
}
