package bitslice

import (
	"math/bits"
	"unsafe"
)

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
	buf   [tileWords]uint64 // a tile's words on their way
	tile  *tile             // of the fold in work
	laid  []laid            // tiles that have been laid out
	ahead []uint64          // what is left to be asked for
}

// PrefetchNext says which slice will be read next, after that of the coming fold. While that goes
// on, it is asked for: reading it need not wait for memory then.
func (f *Folder) PrefetchNext(src []uint64) { f.ahead = src }

// ask asks for a tile's worth of what is read next.
func (f *Folder) ask() {
	if len(f.ahead) >= tileWords {
		prefetchLines((*byte)(unsafe.Pointer(&f.ahead[0])), tileWords*8/lineBytes)
		f.ahead = f.ahead[tileWords:]
	}
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
	if p.byRows(part) {
		p.foldRows(op, dst, src)
		return
	}
	if !p.reaches(part) {
		return
	}
	f.lay(p, part, op != And) // what is guarded is taken in the order of the guard
	s, d := f.tile.src.base, f.tile.dst.base
	for t := uint32(1); ; t++ {
		f.ask()
		if op != And || f.tile.live(dst, d, guard) {
			f.fetch(src, s)
			f.store(op, dst, d, p.keep)
		}
		if t == 1<<uint(f.tile.outer) {
			return
		}
		i := bits.TrailingZeros32(t)
		s ^= f.tile.src.step[i]
		d ^= f.tile.dst.step[i]
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
	if p.byRows(part) {
		for i := range dst {
			p.foldRows(Set, dst[i], src[i])
		}
		return
	}
	f.lay(p, part, true)
	s, d := f.tile.src.base, f.tile.dst.base
	for t := uint32(1); ; t++ {
		for i := range dst {
			f.fetch(src[i], s)
			f.store(Set, dst[i], d, p.keep)
		}
		if t == 1<<uint(f.tile.outer) {
			return
		}
		i := bits.TrailingZeros32(t)
		s ^= f.tile.src.step[i]
		d ^= f.tile.dst.step[i]
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
	if p.byRows(part) {
		p.foldRows(Or, dst, src)
		touched[0] |= 1
		return
	}
	if !p.reaches(part) {
		return
	}
	f.lay(p, part, true)
	s, d := f.tile.src.base, f.tile.dst.base
	for t := uint32(1); ; t++ {
		f.ask()
		if f.tile.news(s, news) && f.load(src, s) {
			f.store(Or, dst, d, p.keep)
			f.tile.mark(d, touched)
		}
		if t == 1<<uint(f.tile.outer) {
			return
		}
		i := bits.TrailingZeros32(t)
		s ^= f.tile.src.step[i]
		d ^= f.tile.dst.step[i]
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
		for d, s := range p.up[:p.dstBits] {
			j |= full >> d & 1 << s
		}
		if p.dstBits < p.srcBits {
			j |= 1 << p.top
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
