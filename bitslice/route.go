package bitslice

import (
	"math/bits"
	"slices"
)

const (
	// chunkBits is how many bits of a state are looked up at once.
	chunkBits = 5
	// manyStates is from how many states on tables for that are worth their making.
	manyStates = 64
)

// Route takes single states along an index map, one way.
type Route struct {
	to    [32]uint32 // by bit: its place on the other side, 0 where it is fixed
	needs uint32     // bits that must be set
	sets  uint32     // bits that are set on the other side
	// tables has, for each chunk of a state's bits, what they become; the first so many
	// have been made.
	tables [(32 + chunkBits - 1) / chunkBits][1 << chunkBits]uint32
	made   int
}

// Through returns the state on the other side, and whether there is one.
func (r *Route) Through(state uint32) (other uint32, ok bool) {
	if r.lacks(state) == 1 {
		return 0, false
	}
	return r.through(state), true
}

// AppendThrough appends the states on the other side of those that have one. There is no
// branch that depends on a state, so that many are on their way at once.
func (r *Route) AppendThrough(to, states []uint32) []uint32 {
	n := len(to)
	to = slices.Grow(to, len(states))[:n+len(states)]
	for _, s := range states {
		to[n] = r.through(s)
		n += int(r.lacks(s) ^ 1)
	}
	return to[:n]
}

// All sets to to the states on the other side, where there is none to Absent. There is no
// branch as in AppendThrough.
func (r *Route) All(to, states []uint32) {
	for i, s := range states {
		lacks := r.lacks(s)
		to[i] = r.through(s)&(lacks-1) | lacks<<31
	}
}

// lacks is 1 for a state that does not go through, else 0.
func (r *Route) lacks(state uint32) uint32 {
	x := state&r.needs ^ r.needs
	return (x | -x) >> 31
}

// through is what becomes of the bits of a state.
func (r *Route) through(state uint32) (other uint32) {
	other = r.sets
	if r.made == 0 {
		for ; state != 0; state &= state - 1 {
			other |= r.to[bits.TrailingZeros32(state)&31]
		}
		return other
	}
	for i := range r.tables[:r.made] {
		other |= r.tables[i][state&(1<<chunkBits-1)]
		state >>= chunkBits
	}
	return other
}

// makeTables makes the tables for states of so many bits.
func (r *Route) makeTables(bits uint8) {
	r.made = (int(bits) + chunkBits - 1) / chunkBits
	for i := range r.tables[:r.made] {
		table := &r.tables[i]
		for b, bit := range r.to[i*chunkBits : min((i+1)*chunkBits, int(bits))] {
			low := table[:1<<b]
			for j, x := range low {
				table[len(low)+j] = x | bit
			}
		}
	}
}

// Up makes r the way from states of the source to those of the destination that read
// them, made for so many states.
func (p *Plan) Up(r *Route, states int) { p.route(r, false, states) }

// Down makes r the way from states of the destination to those of the source that they
// read, made for so many states.
func (p *Plan) Down(r *Route, states int) { p.route(r, true, states) }

func (p *Plan) route(r *Route, down bool, states int) {
	var src, dst uint32 // bits that are always set, of the source and of the destination
	if p.dstBits >= WordBits {
		src, dst = p.srcBase<<WordBits, p.dstBase<<WordBits
	}
	r.to, r.made = [32]uint32{}, 0
	p.eachPair(func(d, s uint8, one bool) {
		switch {
		case one:
			src |= 1 << (s & 31)
			if d < p.dstBits {
				dst |= 1 << (d & 31)
			}
		case down:
			r.to[d&31] = 1 << (s & 31)
		default:
			r.to[s&31] = 1 << (d & 31)
		}
	})
	bits := p.srcBits
	if down {
		src, dst, bits = dst, src, p.dstBits
	}
	r.needs, r.sets = src, dst
	if states >= manyStates {
		r.makeTables(bits)
	}
}

// eachPair calls do with each bit of the destination and that of the source that it is;
// one says that both are always set. Word address bits that are always set are left out.
func (p *Plan) eachPair(do func(d, s uint8, one bool)) {
	if p.dstBits < WordBits {
		for i, d := range p.pairDst[:p.pairCount] {
			do(d, p.pairSrc[i], p.dstBase>>d&1 == 1)
		}
		return
	}
	from := [WordBits]uint8{0, 1, 2, 3, 4, 5}
	for _, s := range p.swaps[:p.swapCount] {
		low, high := s&7, s>>3
		from[low], from[high] = from[high], from[low]
	}
	for i, low := range p.tradeLow[:p.tradeCount] {
		d := p.tradeDst[i]
		do(d+WordBits, from[low], p.dstOne>>d&1 == 1)
		from[low] = p.tradeSrc[i] + WordBits
	}
	for d, s := range from {
		do(uint8(d), s, p.keep&lowHalf[d] == 0)
	}
	for i, d := range p.pairDst[:p.pairCount] {
		do(d+WordBits, p.pairSrc[i]+WordBits, false)
	}
}
