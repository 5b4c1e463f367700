package bitslice

import (
	"bytes"
	"math/bits"
	"unsafe"
)

// Plan is an index map compiled for folding. Index bits 0 to 5 are inside a
// word, the others address words. Words undergo a list of
// exchanges of two index bits; a destination bit inside the word whose source
// addresses words is traded across a tile of words.
type Plan struct {
	srcBits, dstBits uint8
	swapCount        uint8
	tradeCount       uint8
	swaps            [WordBits - 1]uint8 // of two index bits inside the word: low | high<<3
	// Trades: index bit tradeLow[i] of the words is exchanged with the bit of the
	// tile that is address bit tradeSrc[i] on the side of the source and
	// tradeDst[i] on that of the destination.
	tradeLow, tradeSrc, tradeDst [WordBits]uint8
	keep                         uint64 // bits of a destination word that are written
	dstBase, srcBase             uint32 // word address bits that are always set
	dstOne                       uint32 // word address bits of trades that must be set
	// The map itself, for routes and pairs: the source's bit for each of the destination,
	// that of the destination's missing top bit, and the bits that a state needs.
	up                 [32]uint8
	top                uint8
	upNeeds, downNeeds uint32
	hash               uint64 // of the map, for the layout cache
	rows               rowMap // of short slices
}

// NewPlan compiles an index map.
func NewPlan(m *IndexMap) Plan {
	p := Plan{srcBits: uint8(m.Src), dstBits: uint8(m.Dst), keep: ^uint64(0)}
	p.keepRoutes(m)
	p.hash = m.Hash()
	if m.Dst < WordBits {
		p.dstBase = m.One
		return p
	}
	if vectors() {
		p.rows = newRowMap(m)
	}
	var inWord [WordBits]uint8 // inWord[d]: the source bit that must come to d
	var vacant uint32          // destination bits inside the word that come from outside
	for d := range WordBits {
		if inWord[d] = m.From[d]; m.From[d] >= WordBits {
			vacant |= 1 << uint(d)
		}
		if m.One>>uint(d)&1 == 1 {
			p.keep &^= lowHalf[d]
		}
	}
	for d := WordBits; d < m.Src; d++ {
		if m.From[d] >= WordBits {
			p.addOne(m, d)
		} else if s := m.From[d]; vacant>>s&1 == 1 {
			// A source bit that leaves from a vacant place needs no exchange.
			p.addTrade(m, d, int(s), &inWord)
			vacant &^= 1 << s
		}
	}
	for d := WordBits; d < m.Src; d++ {
		if m.From[d] < WordBits && !p.trades(d) {
			p.addTrade(m, d, bits.TrailingZeros32(vacant), &inWord)
			vacant &= vacant - 1
		}
	}
	p.compileSwaps(inWord)
	return p
}

// Is reports whether the plan was made for an index map.
func (p *Plan) Is(m *IndexMap) bool {
	if int(p.srcBits) != m.Src || int(p.dstBits) != m.Dst || p.downNeeds != m.One&(1<<uint(m.Dst)-1) {
		return false
	}
	return bytes.Equal(p.up[:m.Dst], m.From[:m.Dst]) && (m.Dst == m.Src || p.top == m.From[m.Dst])
}

// Needs returns the index bits that must be set in a destination state for it to have a source.
func (p *Plan) Needs() uint32 { return p.downNeeds }

// Straight reports whether the map is the identity.
func (p *Plan) Straight() bool {
	if p.srcBits != p.dstBits || p.swapCount+p.tradeCount != 0 || p.dstBase|p.srcBase|p.dstOne != 0 || p.keep != ^uint64(0) {
		return false
	}
	for d, s := range p.up[:p.dstBits] {
		if int(s) != d {
			return false
		}
	}
	return true
}

// Prefetch prefetches the plan.
func (p *Plan) Prefetch() {
	prefetchLines((*byte)(unsafe.Pointer(p)), (int(unsafe.Sizeof(*p))+lineBytes-1)/lineBytes)
}

// addTrade exchanges the source of destination bit d, of word addresses, with vacant bit low.
func (p *Plan) addTrade(m *IndexMap, d, low int, inWord *[WordBits]uint8) {
	i := p.tradeCount
	p.tradeLow[i], p.tradeSrc[i], p.tradeDst[i] = uint8(low), m.From[low]-WordBits, uint8(d-WordBits)
	p.tradeCount++
	inWord[low] = m.From[d]
	if m.One>>uint(d)&1 == 1 {
		p.dstOne |= 1 << uint(d-WordBits)
	}
}

func (p *Plan) trades(d int) bool {
	for _, t := range p.tradeDst[:p.tradeCount] {
		if int(t) == d-WordBits {
			return true
		}
	}
	return false
}

// addOne records that word address bit d must be set, if it must.
func (p *Plan) addOne(m *IndexMap, d int) {
	if m.One>>uint(d)&1 == 1 {
		p.srcBase |= 1 << (m.From[d] - WordBits)
		if d < m.Dst {
			p.dstBase |= 1 << uint(d-WordBits)
		}
	}
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

// lowHalf[i] has the positions in a word whose index bit i is clear.
var lowHalf = [WordBits]uint64{
	0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
	0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff,
}
