package bitslice

// chunkBits is how many bits of a state are looked up at once: few enough that a route is
// cheap to make.
const chunkBits = 5

// Route takes single states along an index map, one way.
type Route struct {
	// to has, for each chunk of a state's bits, what it becomes on the other side.
	to     [(MaxIndexBits + chunkBits - 1) / chunkBits][1 << chunkBits]uint32
	chunks int    // of the states of this side
	needs  uint32 // bits that must be set
	sets   uint32 // bits that are set on the other side
}

// Through returns the state on the other side, and whether there is one.
func (r *Route) Through(state uint32) (other uint32, ok bool) {
	if state&r.needs != r.needs {
		return 0, false
	}
	other = r.sets
	for i := range r.to[:r.chunks] {
		other |= r.to[i][state&(1<<chunkBits-1)]
		state >>= chunkBits
	}
	return other, true
}

// fill makes the tables for states of so many bits, each of which goes to the given ones.
func (r *Route) fill(to *[32]uint32, bits uint8) {
	r.chunks = (int(bits) + chunkBits - 1) / chunkBits
	for i := range r.to[:r.chunks] {
		table := &r.to[i]
		for b, bit := range to[i*chunkBits:][:min(chunkBits, 32-i*chunkBits)] {
			low := table[:1<<b]
			for j, x := range low {
				table[len(low)+j] = x | bit
			}
		}
	}
}

// Up makes r the way from states of the source to those of the destination that read
// them.
func (p *Plan) Up(r *Route) { p.route(r, false) }

// Down makes r the way from states of the destination to those of the source that they
// read.
func (p *Plan) Down(r *Route) { p.route(r, true) }

func (p *Plan) route(r *Route, down bool) {
	var src, dst uint32 // bits that are always set, of the source and of the destination
	if p.dstBits >= WordBits {
		src, dst = p.srcBase<<WordBits, p.dstBase<<WordBits
	}
	var to [32]uint32 // by bit: its place on the other side, 0 where it is fixed
	p.eachPair(func(d, s uint8, one bool) {
		switch {
		case one:
			src |= 1 << (s & 31)
			if d < p.dstBits {
				dst |= 1 << (d & 31)
			}
		case down:
			to[d&31] = 1 << (s & 31)
		default:
			to[s&31] = 1 << (d & 31)
		}
	})
	bits := p.srcBits
	if down {
		src, dst, bits = dst, src, p.dstBits
	}
	r.fill(&to, bits)
	r.needs, r.sets = src, dst
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
