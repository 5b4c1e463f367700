package retro

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"backsolve/bitslice"
	"backsolve/partition"
	"backsolve/retro/internal/work"
)

// Hand settles blocks for a crew elsewhere. It holds the class above as far as it has been
// handed in, and where memory suffices what it settles itself: for the class below that need
// not be handed in. It is for one goroutine, and must be closed.
type Hand struct {
	engine
	class int      // of which blocks are settled
	from  *partial // the class above, nil for the fullest
	kept  *partial // the class itself, nil where there is no room for it
	last  *level   // what was settled last, where it is not kept

	wanted   []uint64 // by block of the class above: whether the blocks of wantedBy need it
	wantedBy [2]int   // first and number; none where that is 0
}

// partial is a class of which some blocks are known.
type partial struct {
	*level
	known   []uint64 // by block: whether it is
	unknown int      // how many are not
	settled int      // binary digits of what was settled here
}

// newPartial returns a class of which nothing is known.
func newPartial(l *level) *partial {
	blocks := len(l.class.Masks)
	return &partial{level: l, known: make([]uint64, (blocks+63)/64), unknown: blocks}
}

// knows reports whether a block is known.
func (p *partial) knows(block int) bool { return p.known[block>>6]>>(block&63)&1 == 1 }

// know notes blocks as known.
func (p *partial) know(first, blocks int) {
	for block := first; block < first+blocks; block++ {
		if !p.knows(block) {
			p.known[block>>6] |= 1 << (block & 63)
			p.unknown--
		}
	}
}

// NewHand cuts a space for who settles blocks of it, with the limits of the options. A
// *MemoryError says that the limit is too small. When ctx ends, the Hand returns its
// cause from then on.
func NewHand(ctx context.Context, space partition.Space, o Options) (*Hand, error) {
	o = o.WithDefaults()
	if !space.FixedSlice {
		return nil, fmt.Errorf("the blocks of %s cannot be settled one by one: moves lead from one to another", space.Game)
	}
	h := &Hand{engine: engine{o: o, ledger: work.NewLedger(o.Memory, longestDownTo(space, 0))}, class: space.MaskBits + 1}
	h.progress = work.NewProgress(nil, 0)
	if err := h.begin(ctx, space); err != nil {
		h.ledger.Close()
		return nil, err
	}
	return h, nil
}

// Begin turns to a class, and forgets what was handed in for another one. What was kept of
// the class above stays.
func (h *Hand) Begin(class int) error {
	if class < 0 || class > h.cut.MaskBits {
		return fmt.Errorf("there is no class %d", class)
	}
	kept := h.kept
	if h.kept = nil; kept != nil && h.class != class+1 {
		kept.freePlanes()
		kept = nil
	}
	h.forget()
	h.class = class
	if class < h.cut.MaskBits {
		if kept == nil {
			l := newLevel(h.cut.Class(class+1), h.ledger)
			var err error
			if l.win, err = h.ledger.Plane(l.words * len(l.class.Masks)); err != nil {
				return err
			}
			kept = newPartial(l)
		}
		h.from = kept
		h.from.trim(min(h.from.settled, len(h.from.digits)))
	}
	return h.keep()
}

// spareBlocks and spareBytes say how much room must be left beside what is kept, for parts that
// are read and written meanwhile.
const (
	spareBlocks = 8
	spareBytes  = 16 << 20
)

// keep makes room for all blocks of the class, where there is so much. Nobody is below the
// emptiest one.
func (h *Hand) keep() error {
	if h.class == 0 {
		return nil
	}
	c := work.NewClass(h.cut, h.class, h.pool)
	l, err := h.planes(c, len(c.Masks))
	if memory := (*MemoryError)(nil); errors.As(err, &memory) {
		h.ledger.DropSpare() // what was taken of it
		return nil
	}
	if err != nil {
		return err
	}
	h.kept = newPartial(l)
	if !h.ledger.Room(spareBytes + spareBlocks*BlockBytes(h.cut.Space, h.o, h.class)) {
		h.dropKept()
		h.ledger.DropSpare()
	}
	return nil
}

// planes returns a level with room for so many blocks. Where there is none, nothing is taken.
func (h *Hand) planes(c *work.Class, blocks int) (l *level, err error) {
	l = newLevel(c.Class, h.ledger)
	if l.win, err = h.ledger.Plane(l.words * blocks); err != nil {
		return nil, err
	}
	for range (&job{class: c, o: h.o}).mostDigits() {
		if err = l.addDigit(); err != nil {
			l.freePlanes()
			return nil, err
		}
	}
	return l, nil
}

// dropKept gives back what is kept of the class.
func (h *Hand) dropKept() {
	if h.kept != nil {
		h.kept.freePlanes()
		h.kept = nil
	}
}

// Class returns the class that the Hand has turned to, more than there are at first.
func (h *Hand) Class() int { return h.class }

// Len returns the number of blocks of a class.
func (h *Hand) Len(class int) int { return len(h.cut.Class(class).Masks) }

// Needs returns those blocks of the class above, ascending, to which moves out of the given
// blocks lead and which are not known here.
func (h *Hand) Needs(first, blocks int) ([]int, error) {
	if err := h.checkBlocks(first, blocks); err != nil || h.from == nil || h.from.unknown == 0 {
		return nil, err
	}
	if err := h.want(first, blocks); err != nil {
		return nil, err
	}
	var needs []int
	for i, wanted := range h.wanted {
		for missing := wanted &^ h.from.known[i]; missing != 0; missing &= missing - 1 {
			needs = append(needs, i<<6+bits.TrailingZeros64(missing))
		}
	}
	return needs, nil
}

// want finds out which blocks of the class above the given ones need, unless it has just been
// asked for them.
func (h *Hand) want(first, blocks int) error {
	by := [2]int{first, blocks}
	if h.wantedBy == by {
		return nil
	}
	h.wantedBy = [2]int{}
	h.wanted = slices.Grow(h.wanted[:0], len(h.from.known))[:len(h.from.known)]
	clear(h.wanted)
	var links []partition.SharedLink
	var moves []partition.Move
	var err error
	for block := first; block < first+blocks; block++ {
		if links, moves, err = h.cut.SharedLinks(h.class, block, links[:0], moves); err != nil {
			return err
		}
		for _, l := range links {
			h.wanted[l.Block>>6] |= 1 << (l.Block & 63)
		}
	}
	h.wantedBy = by
	return nil
}

func (h *Hand) checkBlocks(first, blocks int) error {
	if h.class > h.cut.MaskBits || first < 0 || blocks < 1 || first+blocks > h.Len(h.class) {
		return fmt.Errorf("class %d has no %d blocks from %d on", h.class, blocks, first)
	}
	return nil
}

// Take hands in blocks of the class above. What has been handed in before is no error. The
// part is not used any more when it returns.
func (h *Hand) Take(p *Part) error {
	if h.from == nil {
		return fmt.Errorf("above class %d there is nothing to be handed in", h.class)
	}
	if err := p.check(work.NewClass(h.cut, h.class+1, h.pool), h.o); err != nil {
		return err
	}
	err := h.from.take(p)
	if memory := (*MemoryError)(nil); errors.As(err, &memory) && h.kept != nil {
		h.dropKept() // which is a convenience
		h.ledger.DropSpare()
		err = h.from.take(p)
	}
	if err != nil {
		return err
	}
	h.from.know(p.First, p.Blocks())
	return nil
}

// Settle settles blocks, all of whose Needs have been handed in. The part is good until the
// next call of Settle, Take, Begin or Close.
func (h *Hand) Settle(first, blocks int) (*Part, error) {
	needs, err := h.Needs(first, blocks)
	if err == nil && len(needs) > 0 {
		err = fmt.Errorf("blocks of class %d cannot be settled: %d blocks of the class above are missing", h.class, len(needs))
	}
	if err != nil {
		return nil, err
	}
	c := work.NewClass(h.cut, h.class, h.pool)
	l, err := h.room(c, first, blocks)
	if err != nil {
		return nil, err
	}
	j := job{class: c, level: l, ledger: h.ledger, progress: h.progress, o: h.o}
	if h.from != nil {
		j.above = h.from.level
	}
	c.ResetTallies(j.mostDigits())
	u := work.WholeBlocks(c.Class)
	if err := c.Pool.Run(blocks, func(w *work.Worker, i int) { j.settleBlock(w, u, first+i) }, nil); err != nil {
		return nil, err
	}
	sum := c.Sum()
	if h.kept != nil {
		h.kept.know(first, blocks)
		h.kept.settled = max(h.kept.settled, sum.MostDigits())
	}
	return newPart(l, first, blocks, sum), nil
}

// room returns a level in which blocks can be settled, whose planes are zero there.
func (h *Hand) room(c *work.Class, first, blocks int) (*level, error) {
	h.drop()
	if h.kept == nil {
		var err error
		if h.last, err = h.planes(c, blocks); err == nil {
			h.last.first = first
		}
		return h.last, err
	}
	for block := first; block < first+blocks; block++ {
		if !h.kept.knows(block) {
			continue // nobody has written there
		}
		clear(h.kept.slice(h.kept.win, block))
		for _, plane := range h.kept.digits {
			clear(h.kept.slice(plane, block))
		}
	}
	return h.kept.level, nil
}

// drop gives back what was settled last.
func (h *Hand) drop() {
	if h.last != nil {
		h.last.freePlanes()
		h.last = nil
	}
}

// forget gives back all planes.
func (h *Hand) forget() {
	h.drop()
	h.dropKept()
	if h.from != nil {
		h.from.freePlanes()
		h.from = nil
	}
	h.wantedBy = [2]int{}
}

// Close gives the memory back.
func (h *Hand) Close() {
	h.forget()
	h.cut.Free()
	h.ledger.Close()
}

// partsAtOnce is how many parts are reckoned to be read and written beside what a Hand holds.
const partsAtOnce = 6

// HandNeed returns the memory in bytes that a Hand is reckoned to take, with what is read and
// written for it, which settles blocks of so many bytes, all planes together, at once, one
// block at least. With more it keeps what it settles.
func HandNeed(space partition.Space, o Options, partBytes int64) int64 {
	o = o.WithDefaults()
	longest := longestDownTo(space, 0)
	var most, above int64
	for class, blocks := range slices.Backward(partition.BlockCounts(space)) {
		block := BlockBytes(space, o, class)
		words := bitslice.Words(space.IndexBits[class])
		atOnce := max(1, min(blocks, partBytes/block))
		planes := func(blocks int64) int64 {
			n := int(blocks) * words
			return block / int64(words) * int64(min(n+work.SlackWords(n), longest))
		}
		most = max(most, above+planes(atOnce)+partsAtOnce*atOnce*block)
		above = planes(blocks)
	}
	return partition.CutBytes(space) + FixedBytes(space, o) + most
}

// BlockBytes returns the bytes of all planes of a block of a class.
func BlockBytes(space partition.Space, o Options, class int) int64 {
	planes := int64(1)
	if o.numbered() {
		planes += int64(StepDigits(space, class))
	}
	return planes * 8 * int64(bitslice.Words(space.IndexBits[class]))
}
