package bitslice

import "math/bits"

// tile is how the words of a fold are taken up: in tiles of at most 64 words
// that hold all that trades among itself, numbered in the same order on both
// sides, and the tiles one after the other.
type tile struct {
	src, dst         [tileWords]uint32 // offsets of a tile's words
	size             int               // words of a tile
	srcRun, dstRun   bool              // the offsets are consecutive
	srcRows, dstRows bool              // those of each eight words are
	srcBase, dstBase uint32            // of the first tile
	outer            int               // there are 2^outer tiles
	srcStep, dstStep [MaxIndexBits - WordBits]uint32
	// Carried out on each tile: swaps of two index bits inside the words, then
	// trades.
	exchanges     [2*WordBits - 1]exchange
	exchangeCount int
	filtered      bool // some of a tile's words are not for the destination
	wanted        [tileWords]bool
	// Groups of 64 words that a tile's words lie in, relative to its base.
	srcGroups, dstGroups [tileWords]uint32
	srcSpan, dstSpan     int // how many of them
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
	t.srcBase, t.dstBase = p.srcBase, p.dstBase
	fixed := ^uint32(0) << uint(part.Bits) // address bits the part decides
	value := part.Value << uint(part.Bits)
	for i, k := range pairKey[:p.pairCount] {
		s, d := p.pairSrc[i], p.pairDst[i]
		if fixed>>d&1 == 1 {
			t.srcBase |= value >> d & 1 << s
			continue
		}
		at[k] = dim{s, d, 0, false}
		pairSet |= 1 << k
	}
	t.dstBase &^= fixed
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
		t.srcStep[t.outer], t.dstStep[t.outer] = src, dst
		t.outer++
	}
}

// layTile writes the offsets of a tile's words and the exchanges. Words of the
// destination that lie outside the part, or are not written at all, are marked.
func (t *tile) layTile(p *Plan, at *[MaxIndexBits]dim, set, fixed, value uint32) {
	t.size, t.exchangeCount = 1, 0
	t.src[0], t.dst[0] = 0, 0
	t.srcRun, t.dstRun = true, true
	t.srcRows, t.dstRows = false, false
	t.srcGroups[0], t.dstGroups[0] = 0, 0
	t.srcSpan, t.dstSpan = 1, 1
	for _, s := range p.swaps[:p.swapCount] {
		t.addExchange(swapInside(s&7, s>>3))
	}
	match, want := p.dstOne, p.dstOne
	for i := 0; set != 0; set &= set - 1 {
		d := at[bits.TrailingZeros32(set)]
		src, dst := uint32(1)<<d.src, uint32(1)<<d.dst
		t.srcRun = t.srcRun && int(src) == t.size
		t.dstRun = t.dstRun && int(dst) == t.size
		if t.size == rowWords/2 {
			t.srcRows, t.dstRows = t.srcRun, t.dstRun
		}
		if d.trade {
			t.addExchange(tradeAcross(d.low, i))
			match |= fixed & dst
		}
		for x := range t.size {
			t.src[t.size+x] = t.src[x] | src
			t.dst[t.size+x] = t.dst[x] | dst
		}
		t.srcSpan = spread(&t.srcGroups, t.srcSpan, src>>GroupBits)
		t.dstSpan = spread(&t.dstGroups, t.dstSpan, dst&^fixed>>GroupBits)
		t.size *= 2
		i++
	}
	if t.filtered = match != 0; t.filtered {
		want |= value & match
		t.filter(match, want, ^fixed)
	}
}

func (t *tile) addExchange(s exchange) {
	t.exchanges[t.exchangeCount] = s
	t.exchangeCount++
}

// filter keeps the words whose destination address is want in the bits match.
func (t *tile) filter(match, want, within uint32) {
	t.dstRun, t.dstRows = false, false
	for x := range t.size {
		t.wanted[x] = t.dst[x]&match == want
		t.dst[x] &= within
	}
}

// spread adds a dimension to a list of groups.
func spread(groups *[tileWords]uint32, n int, bit uint32) int {
	if bit == 0 {
		return n
	}
	for i := range n {
		groups[n+i] = groups[i] | bit
	}
	return 2 * n
}

// live reports whether any destination word of a tile is not zero.
func (t *tile) live(dst []uint64, base uint32, guard []uint64) bool {
	if guard != nil && !anyGroup(guard, base, t.dstGroups[:t.dstSpan]) {
		return false
	}
	if t.dstRun {
		return Any(dst[base : int(base)+t.size])
	}
	for i, o := range t.dst[:t.size] {
		if dst[base|o] != 0 && (!t.filtered || t.wanted[i]) {
			return true
		}
	}
	return false
}

// news reports whether the summary has anything for a tile's source words.
func (t *tile) news(base uint32, news []uint64) bool {
	return anyGroup(news, base, t.srcGroups[:t.srcSpan])
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
	for _, g := range t.dstGroups[:t.dstSpan] {
		g |= base >> GroupBits
		touched[g>>6] |= 1 << (g & 63)
	}
}
