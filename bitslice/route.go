package bitslice

import "math/bits"

// Route is an index map for single states: where each goes, and where from it
// comes.
type Route struct {
	up, down         [32]uint32 // by bit of the source, of the destination: its place on the other side
	upNeeds, upSets  uint32     // bits of the source that must be set; of the destination that are
	downNeeds, downs uint32
}

// Route returns the plan's map for single states.
func (p *Plan) Route() (r Route) {
	if p.dstBits < WordBits {
		for i, d := range p.pairDst[:p.pairCount] {
			r.pair(p, d, p.pairSrc[i], p.dstBase>>d&1 == 1)
		}
		return r
	}
	from := [WordBits]uint8{0, 1, 2, 3, 4, 5}
	for _, s := range p.swaps[:p.swapCount] {
		low, high := s&7, s>>3
		from[low], from[high] = from[high], from[low]
	}
	for i, low := range p.tradeLow[:p.tradeCount] {
		d := p.tradeDst[i]
		r.pair(p, d+WordBits, from[low], p.dstOne>>d&1 == 1)
		from[low] = p.tradeSrc[i] + WordBits
	}
	for d, s := range from {
		r.pair(p, uint8(d), s, p.keep&lowHalf[d] == 0)
	}
	for i, d := range p.pairDst[:p.pairCount] {
		r.pair(p, d+WordBits, p.pairSrc[i]+WordBits, false)
	}
	r.upNeeds |= p.srcBase << WordBits
	r.downs |= p.srcBase << WordBits
	r.upSets |= p.dstBase << WordBits
	r.downNeeds |= p.dstBase << WordBits
	return r
}

// pair notes that bit d of the destination is bit s of the source; both are always
// set where one says so.
func (r *Route) pair(p *Plan, d, s uint8, one bool) {
	switch {
	case !one:
		r.up[s], r.down[d] = 1<<d, 1<<s
	case d < p.dstBits:
		r.upSets |= 1 << d
		r.downNeeds |= 1 << d
		fallthrough
	default:
		r.upNeeds |= 1 << s
		r.downs |= 1 << s
	}
}

// Up returns the state of the destination that reads a state of the source, and
// whether there is one.
func (r *Route) Up(src uint32) (dst uint32, ok bool) {
	if src&r.upNeeds != r.upNeeds {
		return 0, false
	}
	dst = r.upSets
	for ; src != 0; src &= src - 1 {
		dst |= r.up[bits.TrailingZeros32(src)&31]
	}
	return dst, true
}

// Down returns the state of the source that a state of the destination reads, and
// whether it reads any.
func (r *Route) Down(dst uint32) (src uint32, ok bool) {
	if dst&r.downNeeds != r.downNeeds {
		return 0, false
	}
	src = r.downs
	for ; dst != 0; dst &= dst - 1 {
		src |= r.down[bits.TrailingZeros32(dst)&31]
	}
	return src, true
}
