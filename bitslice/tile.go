package bitslice

import "math/bits"

// tile is how the words of a fold are taken up: in tiles of at most 64 words
// that hold all that trades among itself, numbered in the same order on both
// sides, and the tiles one after the other. A tile is taken as rows of eight words,
// or as part of one.
type tile struct {
	src, dst    side
	size        int // words of a tile
	rows, lanes int // rows of a tile, and words of a row
	outer       int // there are 2^outer tiles
	// Carried out on each tile: swaps of two index bits inside the words, then
	// trades.
	exchanges     [2*WordBits - 1]exchange
	exchangeCount int
	// Where some of a tile's words are not for the destination: whose these rows and
	// lanes are.
	filtered            bool
	wantsRow, wantsLane [rowWords]bool
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

func (s exchange) mask() uint64 { return s[0] }
func (s exchange) shift() uint  { return uint(s[1]) & 63 }
func (s exchange) dim() uint64  { return s[2] }

// noDim marks an exchange inside the words.
const noDim = tileBits

// dim is a bit of a tile's word number: address bits on both sides, and whether
// it trades with index bit low of the words.
type dim struct {
	src, dst, low uint8
	trade         bool
}

// lay lays the tiles out: the trades, filled up with the pairs of lowest address
// on the side that the keys name, in ascending order on that side, so that memory
// is read or written in order there. The remaining pairs count through the tiles.
func (t *tile) lay(p *Plan, part Part, tradeKey, pairKey []uint8) {
	var at [MaxIndexBits]dim
	var tradeSet, pairSet uint32
	for i, k := range tradeKey[:p.tradeCount] {
		at[k] = dim{p.tradeSrc[i], p.tradeDst[i], p.tradeLow[i], true}
		tradeSet |= 1 << k
	}
	t.src.base, t.dst.base = p.srcBase, p.dstBase
	fixed := ^uint32(0) << uint(part.Bits) // address bits the part decides
	value := part.Value << uint(part.Bits)
	for i, k := range pairKey[:p.pairCount] {
		s, d := p.pairSrc[i], p.pairDst[i]
		if fixed>>d&1 == 1 {
			t.src.base |= value >> d & 1 << s
			continue
		}
		at[k] = dim{s, d, 0, false}
		pairSet |= 1 << k
	}
	t.dst.base &^= fixed
	inTile, room := tradeSet, min(tileBits, int(p.dstBits)-WordBits)-int(p.tradeCount)
	for ; room > 0 && pairSet != 0; room-- {
		inTile |= pairSet & -pairSet
		pairSet &= pairSet - 1
	}
	t.count(&at, pairSet)
	t.layTile(p, &at, inTile, fixed, value)
}

// count lets the given bits count through the tiles.
func (t *tile) count(at *[MaxIndexBits]dim, set uint32) {
	t.outer = 0
	var src, dst uint32
	for ; set != 0; set &= set - 1 {
		d := at[bits.TrailingZeros32(set)]
		// Counting up flips the bits 0..i of the tile's number at once.
		src |= 1 << d.src
		dst |= 1 << d.dst
		t.src.step[t.outer], t.dst.step[t.outer] = src, dst
		t.outer++
	}
}

// layTile writes the offsets of a tile's words and the exchanges. Words of the
// destination that lie outside the part, or are not written at all, are marked.
func (t *tile) layTile(p *Plan, at *[MaxIndexBits]dim, set, fixed, value uint32) {
	t.exchangeCount = 0
	for _, s := range p.swaps[:p.swapCount] {
		t.addExchange(swapInside(s&7, s>>3))
	}
	t.src.begin()
	t.dst.begin()
	match, n := p.dstOne, 0
	for ; set != 0; set &= set - 1 {
		d := at[bits.TrailingZeros32(set)]
		if d.trade {
			t.addExchange(tradeAcross(d.low, n))
			match |= fixed & (1 << d.dst)
		}
		t.src.add(n, 1<<d.src, ^uint32(0))
		t.dst.add(n, 1<<d.dst, ^fixed)
		n++
	}
	t.size = 1 << n
	t.rows, t.lanes = max(t.size/rowWords, 1), min(t.size, rowWords)
	if t.lanes < rowWords {
		t.src.straight, t.dst.straight = false, false
	}
	if t.filtered = match != 0; t.filtered {
		t.filter(match, p.dstOne|value&match, ^fixed)
	}
}

// begin begins with a tile of one word.
func (s *side) begin() {
	s.row[0], s.lane[0], s.groups[0] = 0, 0, 0
	s.straight, s.span = true, 1
}

// add makes the tile twice as large by its n-th bit. Groups are told by those bits that
// are within.
func (s *side) add(n int, bit, within uint32) {
	words := 1 << n
	s.straight = s.straight && (words >= rowWords || int(bit) == words)
	table := &s.lane
	if words >= rowWords {
		table, words = &s.row, words/rowWords
	}
	for i, x := range table[:words] {
		table[words+i] = x | bit
	}
	s.spread(bit & within >> GroupBits)
}

// highest returns the offset of the last word of a tile, which has all bits.
func (t *tile) highest(s *side) uint32 {
	return s.row[t.rows-1] | s.lane[t.lanes-1]
}

func (t *tile) addExchange(s exchange) {
	t.exchanges[t.exchangeCount] = s
	t.exchangeCount++
}

// filter keeps the words whose destination address is want in the bits match: each of
// them tells rows apart, or lanes.
func (t *tile) filter(match, want, within uint32) {
	filter := func(wants *[rowWords]bool, at *[rowWords]uint32, n int) {
		own := match & at[n-1]
		for i, o := range at[:n] {
			wants[i] = o&own == want&own
			at[i] = o & within
		}
	}
	filter(&t.wantsRow, &t.dst.row, t.rows)
	filter(&t.wantsLane, &t.dst.lane, t.lanes)
	t.dst.straight = false
}

// spread adds a dimension to the groups.
func (s *side) spread(bit uint32) {
	if bit == 0 {
		return
	}
	for i := range s.span {
		s.groups[s.span+i] = s.groups[i] | bit
	}
	s.span *= 2
}

// live reports whether any destination word of a tile is not zero.
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
