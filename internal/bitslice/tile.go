package bitslice

import "math/bits"

// tile says how a fold goes through words: in tiles of at most 64 words, each of which holds
// all that trades among itself. A tile is some rows of eight words, or part of a row. Its
// words are numbered in the order of one side; moves change that to the order of the other.
type tile struct {
	src, dst      side
	size          int // words of a tile
	rows, columns int // rows of a tile, and words of a row
	outer         int // there are 2^outer tiles
	// What is done to each tile: swaps of two index bits inside the words, then
	// trades, then moves of whole words.
	exchanges     [2*WordBits - 1 + columnBits]exchange
	exchangeCount int
	// If filtered, only these rows and columns of a tile are written.
	filtered              bool
	wantsRow, wantsColumn [rowWords]bool
	kept                  uint64 // bits of these words that are written
	// The same for whole rows: the bits of their words, if bit r of rowSet is set for row r.
	keep   [rowWords]uint64
	rowSet uint64
}

// side says where a tile's words are in the source or the destination.
type side struct {
	base        uint32           // of the first tile
	row, column [rowWords]uint32 // offsets of a tile's rows, and of the words in a row
	straight    bool             // rows are whole and contiguous
	step        [MaxIndexBits - WordBits]uint32
	// The groups of 64 words that a tile's words are in, relative to its base.
	groups [tileWords]uint32
	span   int // number of groups
}

// exchange swaps an index bit inside the words with another, or with a bit of
// the tile's word number. The layout is known to the assembly.
type exchange [3]uint64

func swapInside(low, high uint8) exchange {
	// Positions with bit low set and bit high clear swap with those shift higher.
	return exchange{^lowHalf[low] & lowHalf[high], 1<<high - 1<<low, noDim}
}

// moveWords swaps two bits of the tile's word number. The first selects a column.
func moveWords(column, place int) exchange {
	kind := column + place - 1 // of two columns: 0 and 1, 0 and 2, 1 and 2
	if place >= columnBits {
		kind = (column+1)*columnBits + place - columnBits
	}
	return exchange{uint64(column), uint64(place), moveDim + uint64(kind)}
}

func (s exchange) mask() uint64 { return s[0] }
func (s exchange) shift() uint  { return uint(s[1]) & 63 }
func (s exchange) dim() uint64  { return s[2] }

// noDim marks an exchange inside the words.
const noDim = tileBits

// moveDim is where the numbers begin that mark moves of words.
const moveDim = noDim + 1

// after returns the bases of the tile after the n-th, with the bases s and d, or says that it was the last.
func (t *tile) after(n, s, d uint32) (nextS, nextD uint32, last bool) {
	if n == 1<<uint(t.outer) {
		return s, d, true
	}
	i := bits.TrailingZeros32(n)
	return s ^ t.src.step[i], d ^ t.dst.step[i], false
}

// live reports whether any destination word of a tile is not zero. It may count words that are not written.
func (t *tile) live(dst []uint64, base uint32, guard []uint64) bool {
	if guard != nil && !anyGroup(guard, base, t.dst.groups[:t.dst.span]) {
		return false
	}
	if t.size == tileWords && t.dst.straight && vectors() {
		_ = dst[base|t.highest(&t.dst)]
		return liveVector(&dst[base], &t.dst.row, t.rowSet)
	}
	for r, row := range t.dst.row[:t.rows] {
		if t.filtered && !t.wantsRow[r] {
			continue
		}
		row |= base
		if t.dst.straight {
			if Any(dst[row : int(row)+rowWords]) {
				return true
			}
			continue
		}
		for i, o := range t.dst.column[:t.columns] {
			if dst[row|o] != 0 && (!t.filtered || t.wantsColumn[i]) {
				return true
			}
		}
	}
	return false
}

// highest returns the offset of the last word of a tile, which has all bits.
func (t *tile) highest(s *side) uint32 {
	return s.row[t.rows-1] | s.column[t.columns-1]
}

// changed reports whether delta has a bit for any of a tile's source words.
func (t *tile) changed(base uint32, delta []uint64) bool {
	return anyGroup(delta, base, t.src.groups[:t.src.span])
}

func anyGroup(summary []uint64, base uint32, groups []uint32) bool {
	for _, g := range groups {
		g |= base >> GroupBits
		if summary[g>>6]>>(g&63)&1 == 1 {
			return true
		}
	}
	return false
}

// mark sets the summary bits of a tile's destination words, perhaps more than are written to.
func (t *tile) mark(base uint32, touched []uint64) {
	for _, g := range t.dst.groups[:t.dst.span] {
		g |= base >> GroupBits
		touched[g>>6] |= 1 << (g & 63)
	}
}
