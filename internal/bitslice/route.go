package bitslice

import (
	"math/bits"
	"slices"
)

// A route has for each bit of the other side a bit of the state, or one of these.
const (
	zeroBit  = 61
	lacksBit = 62 // whether the state has no state on the other side
	oneBit   = 63
)

// Route takes single states along an index map, one way.
type Route struct {
	control [32]uint8
	needs   uint32 // bits that must be set
	// For the Go kernels: each bit's place on the other side, the bits that are always set
	// there, and tables of the images of chunks of a state's bits; the first made tables are valid.
	to     [32]uint32
	sets   uint32
	tables [(32 + chunkBits - 1) / chunkBits][1 << chunkBits]uint32
	made   int
}

const (
	// chunkBits is how many bits of a state are looked up at once.
	chunkBits = 5
	// manyStates is the number of states from which tables pay.
	manyStates = 64
)

// Absent marks a state without a state on the other side. No state has this number.
const Absent = 1 << 31

// AppendThrough appends the states on the other side of those that have one.
func (r *Route) AppendThrough(to, states []uint32) []uint32 {
	n := len(to)
	to = slices.Grow(to, len(states))[:n+len(states)]
	r.MapAll(to[n:], states)
	return to[:n+r.mapExisting(to[n:], states)]
}

// MapAll maps states to the other side, into to. A state without one becomes Absent plus an arbitrary number.
func (r *Route) MapAll(to, states []uint32) {
	to = to[:len(states)]
	switch {
	case len(states) == 0:
	case vectors():
		routeVector(to, states, r)
	default:
		for i, s := range states {
			lacks := r.lacks(s)
			to[i] = r.mapState(s&(lacks-1)) | lacks<<31
		}
	}
}

// mapExisting is MapAll without the states that have no other side; it returns the number of the rest.
func (r *Route) mapExisting(to, states []uint32) (n int) {
	if vectors() && len(states) > 0 {
		return routeKeptVector(to, states, r)
	}
	r.MapAll(to, states)
	for _, s := range to {
		to[n] = s
		n += int(^s >> 31)
	}
	return n
}

// lacks is 1 for a state without a state on the other side, else 0.
func (r *Route) lacks(state uint32) uint32 {
	x := state&r.needs ^ r.needs
	return (x | -x) >> 31
}

// mapState returns what the bits of a state become.
func (r *Route) mapState(state uint32) (other uint32) {
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

// Up sets r to the route from source states to the destination states that read them, for that many states.
func (p *Plan) Up(r *Route, states int) {
	r.control, r.needs = p.up, p.upNeeds
	r.ready(p.srcBits, states)
}

// Down sets r to the route from destination states to the source states that they read, for that many states.
func (p *Plan) Down(r *Route, states int) {
	r.control, r.needs = emptyControl, p.downNeeds
	for d, s := range p.up[:p.dstBits] {
		r.control[s&31] = uint8(d)
	}
	if p.dstBits < p.srcBits {
		r.control[p.top&31] = oneBit
	}
	r.ready(p.dstBits, states)
}

// emptyControl takes every state to 0.
var emptyControl = func() (control [32]uint8) {
	for i := range control {
		control[i] = zeroBit
	}
	control[31] = lacksBit
	return control
}()

func (p *Plan) keepRoutes(m *IndexMap) {
	p.up = emptyControl
	copy(p.up[:m.Dst], m.From[:m.Dst])
	if m.Dst < m.Src {
		p.top = m.From[m.Dst]
	}
	p.downNeeds = m.One & (1<<uint(m.Dst) - 1)
	for one := m.One; one != 0; one &= one - 1 {
		p.upNeeds |= 1 << m.From[bits.TrailingZeros32(one)]
	}
}

func (r *Route) ready(stateBits uint8, states int) {
	if vectors() {
		return
	}
	r.to, r.sets, r.made = [32]uint32{}, 0, 0
	for other, from := range r.control {
		switch {
		case from == oneBit:
			r.sets |= 1 << other
		case from < 32:
			r.to[from] |= 1 << other
		}
	}
	if states >= manyStates {
		r.makeTables(stateBits)
	}
}

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
