package bitslice

// tile is how the words of a fold are taken up: in tiles of at most 64 words
// that hold all that trades among itself, and the tiles one after the other. A tile is
// taken as rows of eight words, or as part of one. Its words are numbered in the order of
// one side, and where they are moved in between in that of the other side then.
type tile struct {
	src, dst    side
	size        int // words of a tile
	rows, lanes int // rows of a tile, and words of a row
	outer       int // there are 2^outer tiles
	// Carried out on each tile: swaps of two index bits inside the words, then
	// trades, then moves of whole words.
	exchanges     [2*WordBits - 1 + laneBits]exchange
	exchangeCount int
	// Where some of a tile's words are not for the destination: whose these rows and
	// lanes are.
	filtered            bool
	wantsRow, wantsLane [rowWords]bool
	// The bits of a row's words that are written, where the row is wanted at all: bit r of
	// rowSet is for row r.
	keep   [rowWords]uint64
	rowSet uint64
}

// side is where a tile's words lie in the source, or in the destination.
type side struct {
	base      uint32           // of the first tile
	row, lane [rowWords]uint32 // offsets of a tile's rows, and of the words in a row
	straight  bool             // there are whole rows, of words that follow one another
	step      [MaxIndexBits - WordBits]uint32
	// Groups of 64 words that a tile's words lie in, relative to its base.
	groups [tileWords]uint32
	span   int // how many of them
}

// exchange swaps an index bit inside the words with another, or with a bit of
// the tile's word number. The layout is known to the assembly.
type exchange [3]uint64

func swapInside(low, high uint8) exchange {
	// Positions where bit low is set and high is clear trade places with their
	// partners, shift higher.
	return exchange{^lowHalf[low] & lowHalf[high], 1<<high - 1<<low, noDim}
}

func tradeAcross(low uint8, dim int) exchange {
	return exchange{lowHalf[low], 1 << low, uint64(dim)}
}

// moveWords swaps two bits of the tile's word number, the first of them that of a lane.
func moveWords(lane, place int) exchange {
	kind := lane + place - 1 // of two lanes: 0 and 1, 0 and 2, 1 and 2
	if place >= laneBits {
		kind = (lane+1)*laneBits + place - laneBits
	}
	return exchange{uint64(lane), uint64(place), moveDim + uint64(kind)}
}

func (s exchange) mask() uint64 { return s[0] }
func (s exchange) shift() uint  { return uint(s[1]) & 63 }
func (s exchange) dim() uint64  { return s[2] }

// noDim marks an exchange inside the words.
const noDim = tileBits

// moveDim is where the numbers begin that mark moves of words.
const moveDim = noDim + 1

// live reports whether any destination word of a tile is not zero. Where some of a row's
// words are not for the destination, they may be taken for such.
func (t *tile) live(dst []uint64, base uint32, guard []uint64) bool {
	if guard != nil && !anyGroup(guard, base, t.dst.groups[:t.dst.span]) {
		return false
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
		for i, o := range t.dst.lane[:t.lanes] {
			if dst[row|o] != 0 && (!t.filtered || t.wantsLane[i]) {
				return true
			}
		}
	}
	return false
}

// highest returns the offset of the last word of a tile, which has all bits.
func (t *tile) highest(s *side) uint32 {
	return s.row[t.rows-1] | s.lane[t.lanes-1]
}

// news reports whether the summary has anything for a tile's source words.
func (t *tile) news(base uint32, news []uint64) bool {
	return anyGroup(news, base, t.src.groups[:t.src.span])
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

// mark sets the summary bits of a tile's destination words. Where some of the
// words are not for the destination, it may set bits of groups not written to.
func (t *tile) mark(base uint32, touched []uint64) {
	for _, g := range t.dst.groups[:t.dst.span] {
		g |= base >> GroupBits
		touched[g>>6] |= 1 << (g & 63)
	}
}
