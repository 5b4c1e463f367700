package bitboard

import "math/bits"

// Op is what a fold does with each destination state d and its source state s.
type Op uint8

// The operations of a fold.
const (
	Set   Op = iota // d = s
	Or              // d = d OR s
	OrNot           // d = d OR NOT s
	And             // d = d AND s
)

const (
	tileBits  = 6
	tileWords = 1 << tileBits
	// GroupBits: a summary has one bit for each 2^GroupBits words.
	GroupBits = 6
)

// SummaryWords returns the words of a summary of a plane of so many words: one
// bit for each 64 words.
func SummaryWords(words int) int {
	return (words + 1<<(GroupBits+6) - 1) >> (GroupBits + 6)
}

// Part is an aligned stretch of a destination slice: the words whose address
// has the value Value above its low Bits bits. A fold into a part is given the
// part's words alone.
type Part struct {
	Bits  int
	Value uint32
}

// Whole is the part that is all of a slice.
func Whole(k int) Part {
	return Part{Bits: max(k-WordBits, 0)}
}

// Folder folds slices. It holds the scratch memory of one worker, so it must
// not be shared. The zero value is ready.
type Folder struct {
	buf              [tileWords]uint64
	srcTile, dstTile [tileWords]uint32 // word offsets of a tile's words
	srcStep, dstStep [MaxIndexBits - WordBits]uint32
	srcBase, dstBase uint32
	size             int  // words of a tile
	outer            int  // the tiles are 2^outer
	srcRun           bool // a tile's source words are consecutive
	dstRun           bool
	filtered         bool // some of a tile's words are not for the destination
	keepTile         [tileWords]bool
	// Groups of 64 words that a tile's words lie in, relative to the tile's base.
	srcGroups, dstGroups [tileWords]uint32
	srcSpan, dstSpan     int // how many of them
}

// Fold folds src into the part of the destination slice held by dst: every
// destination state that has a source becomes op of the two. For And, groups of
// 64 words of dst whose bit in guard is clear are known to be zero and may be
// skipped; a nil guard skips nothing. For the other operations guard is nil.
func (f *Folder) Fold(op Op, p *Plan, dst []uint64, part Part, src []uint64, guard []uint64) {
	if p.dstBits < WordBits {
		dst[0] = p.foldSmall(op, dst[0], src[0])
		return
	}
	if !p.reaches(part) {
		return
	}
	f.layTiles(p, part, p.pairDst[:p.pairCount])
	s, d := f.srcBase, f.dstBase
	for t := uint32(1); ; t++ {
		if op != And || f.live(dst, d, guard) {
			f.load(p, src, s)
			f.store(op, dst, d, p.keep)
		}
		if t == 1<<uint(f.outer) {
			return
		}
		i := bits.TrailingZeros32(t)
		s ^= f.srcStep[i]
		d ^= f.dstStep[i]
	}
}

// Gather sets each of the destination planes, all states of which have a source,
// from the plane of src with the same number.
func (f *Folder) Gather(p *Plan, dst [][]uint64, part Part, src [][]uint64) {
	if p.dstBits < WordBits {
		for i := range dst {
			dst[i][0] = p.foldSmall(Set, 0, src[i][0])
		}
		return
	}
	f.layTiles(p, part, p.pairDst[:p.pairCount])
	s, d := f.srcBase, f.dstBase
	for t := uint32(1); ; t++ {
		for i := range dst {
			f.load(p, src[i], s)
			f.store(Set, dst[i], d, p.keep)
		}
		if t == 1<<uint(f.outer) {
			return
		}
		i := bits.TrailingZeros32(t)
		s ^= f.srcStep[i]
		d ^= f.dstStep[i]
	}
}

// Deliver ors src into the part of the destination slice held by dst, at the
// cost of what is new: groups of 64 words of src whose bit in news is clear are
// skipped. In touched it sets the bits of the groups of dst it wrote to.
func (f *Folder) Deliver(p *Plan, dst []uint64, part Part, src, news, touched []uint64) {
	if p.dstBits < WordBits {
		dst[0] = p.foldSmall(Or, dst[0], src[0])
		touched[0] |= 1
		return
	}
	if !p.reaches(part) {
		return
	}
	f.layTiles(p, part, p.pairSrc[:p.pairCount])
	s, d := f.srcBase, f.dstBase
	for t := uint32(1); ; t++ {
		if f.news(s, news) && f.load(p, src, s) {
			f.store(Or, dst, d, p.keep)
			f.mark(d, touched)
		}
		if t == 1<<uint(f.outer) {
			return
		}
		i := bits.TrailingZeros32(t)
		s ^= f.srcStep[i]
		d ^= f.dstStep[i]
	}
}

// reaches reports whether any word of the part has a source.
func (p *Plan) reaches(part Part) bool {
	inSlice := uint32(1)<<(p.dstBits-WordBits) - 1
	fixed := inSlice &^ (1<<uint(part.Bits) - 1)
	return (p.dstBase|p.dstOne)&fixed&^(part.Value<<uint(part.Bits)) == 0
}

// foldSmall folds slices that are part of one word, state by state.
func (p *Plan) foldSmall(op Op, dst, src uint64) uint64 {
	for i := range uint32(1) << p.dstBits {
		full := i
		if p.dstBits < p.srcBits {
			full |= 1 << p.dstBits
		}
		if full&p.dstBase != p.dstBase {
			continue
		}
		var j uint32
		for n := range p.pairCount {
			j |= full >> p.pairDst[n] & 1 << p.pairSrc[n]
		}
		s := src >> j & 1
		switch op {
		case Set:
			dst = dst&^(1<<i) | s<<i
		case Or:
			dst |= s << i
		case OrNot:
			dst |= (s ^ 1) << i
		case And:
			dst &^= (s ^ 1) << i
		}
	}
	return dst
}

// layTiles lays out the tiles: the trades first, filled up with the pairs of
// lowest address on the side that key names, so that memory is read or written
// in order; the remaining pairs count through the tiles.
func (f *Folder) layTiles(p *Plan, part Part, key []uint8) {
	f.srcBase, f.dstBase = p.srcBase, p.dstBase
	fixed := ^uint32(0) << uint(part.Bits) // address bits the part decides
	value := part.Value << uint(part.Bits)
	match, want := p.dstOne, p.dstOne
	dims := 0
	var dimSrc, dimDst [tileBits]uint8
	for i := range p.tradeCount {
		dimSrc[dims], dimDst[dims] = p.tradeSrc[i], p.tradeDst[i]
		match |= fixed & (1 << p.tradeDst[i])
		dims++
	}
	want |= value & match
	var order [MaxIndexBits - WordBits]uint8
	count := sortedPairs(key, &order)
	tile := min(tileBits, int(p.dstBits)-WordBits)
	f.outer = 0
	var srcSum, dstSum uint32
	for _, i := range order[:count] {
		s, d := p.pairSrc[i], p.pairDst[i]
		switch {
		case fixed>>d&1 == 1:
			f.srcBase |= value >> d & 1 << s
		case dims < tile:
			dimSrc[dims], dimDst[dims] = s, d
			dims++
		default:
			// Counting up flips the bits 0..i of the tile number at once.
			srcSum |= 1 << s
			dstSum |= 1 << d
			f.srcStep[f.outer], f.dstStep[f.outer] = srcSum, dstSum
			f.outer++
		}
	}
	f.dstBase &^= fixed
	f.layTile(dims, &dimSrc, &dimDst, match, want, ^fixed)
}

// sortedPairs writes the numbers of the pairs in ascending order of key.
func sortedPairs(key []uint8, order *[MaxIndexBits - WordBits]uint8) int {
	var at [MaxIndexBits]uint8
	var seen uint32
	for i, k := range key {
		at[k] = uint8(i)
		seen |= 1 << k
	}
	n := 0
	for ; seen != 0; seen &= seen - 1 {
		order[n] = at[bits.TrailingZeros32(seen)]
		n++
	}
	return n
}

// layTile writes the offsets of a tile's words. Words whose destination address
// differs from want in the bits match are not stored.
func (f *Folder) layTile(dims int, dimSrc, dimDst *[tileBits]uint8, match, want, within uint32) {
	f.size = 1 << uint(dims)
	f.srcTile[0], f.dstTile[0] = 0, 0
	f.srcRun, f.dstRun = true, true
	f.srcSpan = layGroups(&f.srcGroups, dimSrc[:dims], ^uint32(0))
	f.dstSpan = layGroups(&f.dstGroups, dimDst[:dims], within)
	for i := range dims {
		s, d := uint32(1)<<dimSrc[i], uint32(1)<<dimDst[i]
		half := 1 << uint(i)
		f.srcRun = f.srcRun && int(s) == half
		f.dstRun = f.dstRun && int(d) == half
		for x := range half {
			f.srcTile[half+x] = f.srcTile[x] | s
			f.dstTile[half+x] = f.dstTile[x] | d
		}
	}
	f.filtered = match != 0
	if !f.filtered {
		return
	}
	f.dstRun = false
	for x := range f.size {
		f.keepTile[x] = f.dstTile[x]&match == want
		f.dstTile[x] &= within
	}
}

// load brings a tile's source words into the buffer in destination order. It
// reports whether there is anything in them.
func (f *Folder) load(p *Plan, src []uint64, base uint32) bool {
	buf := f.buf[:f.size]
	var any uint64
	if f.srcRun {
		for i, w := range src[base : int(base)+len(buf)] {
			buf[i] = w
			any |= w
		}
	} else {
		for i, o := range f.srcTile[:len(buf)] {
			w := src[base|o]
			buf[i] = w
			any |= w
		}
	}
	if any == 0 {
		return false // any permutation leaves zeros as they are
	}
	i := uint8(0)
	for ; i+1 < p.swapCount; i += 2 {
		swapTwice(buf, swapSteps[p.swaps[i]], swapSteps[p.swaps[i+1]])
	}
	if i < p.swapCount {
		swapOnce(buf, swapSteps[p.swaps[i]])
	}
	for i := range p.tradeCount {
		trade(buf, int(i), p.tradeLow[i])
	}
	return true
}

func swapOnce(buf []uint64, a swapStep) {
	shift := a.shift & 63
	for i, x := range buf {
		t := (x>>shift ^ x) & a.mask
		buf[i] = x ^ t ^ t<<shift
	}
}

func swapTwice(buf []uint64, a, b swapStep) {
	sa, sb := a.shift&63, b.shift&63
	for i, x := range buf {
		t := (x>>sa ^ x) & a.mask
		x ^= t ^ t<<sa
		t = (x>>sb ^ x) & b.mask
		buf[i] = x ^ t ^ t<<sb
	}
}

// trade exchanges bit dim of the tile's word number with index bit low inside
// the words.
func trade(buf []uint64, dim int, low uint8) {
	shift, mask := uint(1)<<low&63, lowHalf[low]
	half := 1 << uint(dim)
	for at := 0; at < len(buf); at += 2 * half {
		a := buf[at : at+half]
		b := buf[at+half : at+2*half][:len(a)]
		for i, x := range a {
			t := (x>>shift ^ b[i]) & mask
			b[i] ^= t
			a[i] = x ^ t<<shift
		}
	}
}

// store folds the buffer into the destination words of a tile.
func (f *Folder) store(op Op, dst []uint64, base uint32, keep uint64) {
	buf := f.buf[:f.size]
	if f.filtered {
		f.storeFiltered(op, dst, base, keep)
		return
	}
	if f.dstRun {
		storeRun(op, dst[base:int(base)+len(buf)], buf, keep)
		return
	}
	at := f.dstTile[:len(buf)]
	switch op {
	case Set:
		for i, w := range buf {
			d := &dst[base|at[i]]
			*d = *d&^keep | w&keep
		}
	case Or:
		for i, w := range buf {
			dst[base|at[i]] |= w & keep
		}
	case OrNot:
		for i, w := range buf {
			dst[base|at[i]] |= ^w & keep
		}
	case And:
		for i, w := range buf {
			dst[base|at[i]] &= w | ^keep
		}
	}
}

func storeRun(op Op, dst, buf []uint64, keep uint64) {
	buf = buf[:len(dst)]
	switch op {
	case Set:
		for i := range dst {
			dst[i] = dst[i]&^keep | buf[i]&keep
		}
	case Or:
		for i := range dst {
			dst[i] |= buf[i] & keep
		}
	case OrNot:
		for i := range dst {
			dst[i] |= ^buf[i] & keep
		}
	case And:
		for i := range dst {
			dst[i] &= buf[i] | ^keep
		}
	}
}

func (f *Folder) storeFiltered(op Op, dst []uint64, base uint32, keep uint64) {
	for i := range f.size {
		if f.keepTile[i] {
			o := base | f.dstTile[i]
			storeRun(op, dst[o:o+1], f.buf[i:i+1], keep)
		}
	}
}

// layGroups lists the groups that the words of a tile lie in, by the tile's
// dimensions, leaving out address bits that are not within the part.
func layGroups(groups *[tileWords]uint32, dims []uint8, within uint32) int {
	groups[0] = 0
	n := 1
	for _, d := range dims {
		bit := uint32(1) << d & within >> GroupBits
		if bit == 0 {
			continue
		}
		for i := range n {
			groups[n+i] = groups[i] | bit
		}
		n *= 2
	}
	return n
}

// live reports whether any destination word of a tile is not zero.
func (f *Folder) live(dst []uint64, base uint32, guard []uint64) bool {
	if guard != nil && !anyGroup(guard, base, f.dstGroups[:f.dstSpan]) {
		return false
	}
	if f.dstRun {
		return Any(dst[base : int(base)+f.size])
	}
	for i, o := range f.dstTile[:f.size] {
		if dst[base|o] != 0 && (!f.filtered || f.keepTile[i]) {
			return true
		}
	}
	return false
}

// news reports whether the summary has anything for a tile's source words.
func (f *Folder) news(base uint32, news []uint64) bool {
	return anyGroup(news, base, f.srcGroups[:f.srcSpan])
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
func (f *Folder) mark(base uint32, touched []uint64) {
	for _, g := range f.dstGroups[:f.dstSpan] {
		g |= base >> GroupBits
		touched[g>>6] |= 1 << (g & 63)
	}
}
