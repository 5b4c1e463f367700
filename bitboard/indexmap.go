package bitboard

import "math/bits"

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

// Index returns the source index of a destination index, and whether there is
// one.
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

// Plan is an index map made ready for folding. Index bits 0..5 lie inside a
// word, the others address words. What is done to each word is a list of
// exchanges of two index bits; a destination bit inside the word whose source
// addresses words is traded across a tile of words.
type Plan struct {
	srcBits, dstBits uint8
	swapCount        uint8
	tradeCount       uint8
	pairCount        uint8
	swaps            [5]uint8 // of two index bits inside the word: low | high<<3
	// Trades: bit tradeLow[i] inside the destination word comes from word
	// address bit tradeSrc[i], and goes to word address bit tradeDst[i].
	tradeLow, tradeSrc, tradeDst [WordBits]uint8
	// Pairs of word address bits that only change place, by destination.
	pairDst, pairSrc [MaxIndexBits - WordBits]uint8
	keep             uint64 // bits of a destination word that are written
	dstBase, srcBase uint32 // word address bits that are always set
	dstOne           uint32 // word address bits of trades that must be set
}

// NewPlan compiles an index map.
func NewPlan(m *IndexMap) Plan {
	p := Plan{srcBits: uint8(m.Src), dstBits: uint8(m.Dst), keep: ^uint64(0)}
	if m.Dst < WordBits {
		p.compileSmall(m)
		return p
	}
	var inWord [WordBits]uint8 // inWord[d]: the source bit that must come to d
	var fromHigh, toHigh uint32
	for d := range m.Src {
		s := m.From[d]
		switch {
		case d < WordBits && s < WordBits:
			inWord[d] = s
		case d < WordBits:
			fromHigh |= 1 << s
		case s < WordBits:
			toHigh |= 1 << uint(d)
		default:
			p.addPair(m, d, s)
		}
		if d < WordBits && m.One>>uint(d)&1 == 1 {
			p.keep &= lowHalf[d] << (1 << uint(d))
		}
	}
	// Both sides of the trades in ascending order, so that a tile's words are
	// numbered alike on both.
	var lowOf [MaxIndexBits]uint8
	for d := range WordBits {
		lowOf[m.From[d]] = uint8(d)
	}
	for ; fromHigh != 0; fromHigh &= fromHigh - 1 {
		s := bits.TrailingZeros32(fromHigh)
		h := bits.TrailingZeros32(toHigh)
		toHigh &= toHigh - 1
		d, i := lowOf[s], p.tradeCount
		p.tradeLow[i], p.tradeSrc[i], p.tradeDst[i] = d, uint8(s-WordBits), uint8(h-WordBits)
		if m.One>>uint(h)&1 == 1 {
			p.dstOne |= 1 << (h - WordBits)
		}
		inWord[d] = m.From[h]
		p.tradeCount++
	}
	p.compileSwaps(inWord)
	return p
}

func (p *Plan) addPair(m *IndexMap, d int, s uint8) {
	if m.One>>uint(d)&1 == 1 {
		p.srcBase |= 1 << (s - WordBits)
		if d < m.Dst {
			p.dstBase |= 1 << uint(d-WordBits)
		}
		return
	}
	p.pairDst[p.pairCount], p.pairSrc[p.pairCount] = uint8(d-WordBits), s-WordBits
	p.pairCount++
}

// compileSwaps writes the permutation d ← inWord[d] as exchanges of two bits.
func (p *Plan) compileSwaps(inWord [WordBits]uint8) {
	at := [WordBits]uint8{0, 1, 2, 3, 4, 5} // at[d]: the source bit now at d
	for d := range uint8(WordBits) {
		for e := d + 1; e < WordBits && at[d] != inWord[d]; e++ {
			if at[e] == inWord[d] {
				at[d], at[e] = at[e], at[d]
				p.swaps[p.swapCount] = d | e<<3
				p.swapCount++
			}
		}
	}
}

// compileSmall keeps the map of a slice that is part of one word as pairs of
// index bits.
func (p *Plan) compileSmall(m *IndexMap) {
	p.pairCount = uint8(m.Src)
	p.dstBase = m.One
	for d := range m.Src {
		p.pairDst[d], p.pairSrc[d] = uint8(d), m.From[d]
	}
}

// lowHalf[i] has the positions in a word whose index bit i is clear.
var lowHalf = [WordBits]uint64{
	0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
	0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff,
}

// swapStep exchanges two index bits of a word: positions where bit low is set
// and bit high is clear trade places with their partners, shift higher.
type swapStep struct {
	mask  uint64
	shift uint8
}

var swapSteps [64]swapStep

func init() {
	for high := range uint8(WordBits) {
		for low := range high {
			swapSteps[low|high<<3] = swapStep{
				mask:  ^lowHalf[low] & lowHalf[high],
				shift: 1<<high - 1<<low,
			}
		}
	}
}
