package bitslice

import "unsafe"

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

// SummaryWords returns the words of a summary of a plane of that many words: a bit for each 64 words.
func SummaryWords(words int) int {
	return (words + 1<<(GroupBits+6) - 1) >> (GroupBits + 6)
}

// Segment is an aligned run of words of a slice: those whose address is Value above its low Bits bits. A fold
// into a segment gets the segment's words alone.
type Segment struct {
	Bits  int
	Value uint32
}

// Whole returns the segment that is all of a slice.
func Whole(k int) Segment {
	return Segment{Bits: max(k-WordBits, 0)}
}

// Folder folds slices in scratch memory. It is not safe for concurrent use. The zero value is ready.
type Folder struct {
	buf     [tileWords]uint64 // the words of a tile
	tile    *tile             // of the current fold
	layouts []cachedTile
	plans   []Plan
	next    []uint64 // what is still to be prefetched
	ahead   uint32   // where the tile to be read next is in the source
}

// PrefetchNext sets the slice that is read after the next fold. That fold prefetches it.
func (f *Folder) PrefetchNext(src []uint64) { f.next = src }

// prefetch prefetches a tile's worth of what is read next.
func (f *Folder) prefetch() {
	if len(f.next) >= tileWords {
		prefetchLines((*byte)(unsafe.Pointer(&f.next[0])), tileWords*8/lineBytes)
		f.next = f.next[tileWords:]
	}
}

// Fold folds src into the segment of the destination slice in dst: every
// destination state that has a source becomes op of the two. For And, groups of
// 64 words of dst whose bit in guard is clear must be zero, and are
// skipped. A nil guard skips nothing. For the other operations guard is nil.
func (f *Folder) Fold(op Op, p *Plan, dst []uint64, segment Segment, src []uint64, guard []uint64) {
	if p.dstBits < WordBits {
		dst[0] = p.foldSmall(op, dst[0], src[0])
		return
	}
	if p.byRows(segment) {
		p.foldRows(op, dst, src)
		return
	}
	if !p.reaches(segment) {
		return
	}
	f.layOut(p, segment, op != And) // guarded tiles go in the order of the guard
	live := func(d uint32) bool { return op != And || f.tile.live(dst, d, guard) }
	s, d := f.tile.src.base, f.tile.dst.base
	for t, now := uint32(1), live(d); ; t++ {
		f.prefetch()
		nextS, nextD, last := f.tile.after(t, s, d)
		next := !last && live(nextD)
		if now {
			f.ahead = s
			if next {
				f.ahead = nextS
			}
			f.bring(op, dst, d, src, s)
		}
		if last {
			return
		}
		s, d, now = nextS, nextD, next
	}
}

// Gather sets each destination plane from the source plane of that number. All states must have a source.
func (f *Folder) Gather(p *Plan, dst [][]uint64, segment Segment, src [][]uint64) {
	if p.dstBits < WordBits {
		for i := range dst {
			dst[i][0] = p.foldSmall(Set, 0, src[i][0])
		}
		return
	}
	if p.byRows(segment) {
		for i := range dst {
			p.foldRows(Set, dst[i], src[i])
		}
		return
	}
	f.layOut(p, segment, true)
	s, d := f.tile.src.base, f.tile.dst.base
	for t := uint32(1); ; t++ {
		nextS, nextD, last := f.tile.after(t, s, d)
		f.ahead = nextS
		for i := range dst {
			f.bring(Set, dst[i], d, src[i], s)
		}
		if last {
			return
		}
		s, d = nextS, nextD
	}
}

// Deliver ors src into the segment in dst. It skips groups of src whose bit in delta is clear, and sets in
// touched the bits of the groups of dst that it writes to.
func (f *Folder) Deliver(p *Plan, dst []uint64, segment Segment, src, delta, touched []uint64) {
	if p.dstBits < WordBits {
		dst[0] = p.foldSmall(Or, dst[0], src[0])
		touched[0] |= 1
		return
	}
	if p.byRows(segment) {
		p.foldRows(Or, dst, src)
		touched[0] |= 1
		return
	}
	if !p.reaches(segment) {
		return
	}
	f.layOut(p, segment, true)
	s, d := f.tile.src.base, f.tile.dst.base
	for t, now := uint32(1), f.tile.changed(s, delta); ; t++ {
		f.prefetch()
		nextS, nextD, last := f.tile.after(t, s, d)
		next := !last && f.tile.changed(nextS, delta)
		f.ahead = s
		if next {
			f.ahead = nextS
		}
		if now && f.bring(Or, dst, d, src, s) {
			f.tile.mark(d, touched)
		}
		if last {
			return
		}
		s, d, now = nextS, nextD, next
	}
}

// reaches reports whether any word of the segment has a source.
func (p *Plan) reaches(segment Segment) bool {
	inSlice := uint32(1)<<(p.dstBits-WordBits) - 1
	fixed := inSlice &^ (1<<uint(segment.Bits) - 1)
	return (p.dstBase|p.dstOne)&fixed&^(segment.Value<<uint(segment.Bits)) == 0
}

// foldSmall folds slices shorter than a word, state by state.
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
