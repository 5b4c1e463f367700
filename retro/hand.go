package retro

import (
	"context"
	"fmt"
	"slices"

	"backsolve/bitslice"
	"backsolve/partition"
	"backsolve/retro/internal/work"
)

// Hand settles blocks for a crew elsewhere. It holds the class above as far as it has been
// handed in. It is for one goroutine, and must be closed.
type Hand struct {
	engine
	class   int      // of which blocks are settled
	taken   []uint64 // by block of the class above: whether it has been handed in
	missing int      // how many have not
	last    *level   // what was settled last
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

// Begin turns to a class, and forgets what was handed in for another one.
func (h *Hand) Begin(class int) error {
	if class < 0 || class > h.cut.MaskBits {
		return fmt.Errorf("there is no class %d", class)
	}
	h.forget()
	h.class, h.missing = class, 0
	if class == h.cut.MaskBits {
		return nil
	}
	c := h.cut.Class(class + 1)
	l := newLevel(c, h.ledger)
	var err error
	if l.win, err = h.ledger.Plane(l.words * len(c.Masks)); err != nil {
		return err
	}
	h.above, h.missing, h.taken = l, len(c.Masks), make([]uint64, (len(c.Masks)+63)/64)
	return nil
}

// Class returns the class that the Hand has turned to, more than there are at first.
func (h *Hand) Class() int { return h.class }

// Len returns the number of blocks of a class.
func (h *Hand) Len(class int) int { return len(h.cut.Class(class).Masks) }

// Needs returns those blocks of the class above, ascending, to which moves out of the given
// blocks lead and which have not been handed in.
func (h *Hand) Needs(first, blocks int) ([]int, error) {
	if err := h.checkBlocks(first, blocks); err != nil || h.missing == 0 {
		return nil, err
	}
	wanted := make([]uint64, len(h.taken))
	var links []partition.SharedLink
	var moves []partition.Move
	var err error
	for block := first; block < first+blocks; block++ {
		if links, moves, err = h.cut.SharedLinks(h.class, block, links[:0], moves); err != nil {
			return nil, err
		}
		for _, l := range links {
			wanted[l.Block>>6] |= 1 << (l.Block & 63)
		}
	}
	var needs []int
	for block := range h.above.class.Masks {
		if (wanted[block>>6]&^h.taken[block>>6])>>(block&63)&1 == 1 {
			needs = append(needs, block)
		}
	}
	return needs, nil
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
	if h.above == nil {
		return fmt.Errorf("above class %d there is nothing to be handed in", h.class)
	}
	if err := p.check(work.NewClass(h.cut, h.class+1, h.pool), h.o); err != nil {
		return err
	}
	if err := h.above.take(p); err != nil {
		return err
	}
	for block := p.First; block < p.First+p.Blocks(); block++ {
		if bit := uint64(1) << (block & 63); h.taken[block>>6]&bit == 0 {
			h.taken[block>>6] |= bit
			h.missing--
		}
	}
	return nil
}

// Settle settles blocks, all of whose Needs have been handed in. The part is good until the
// next call of Settle, Begin or Close.
func (h *Hand) Settle(first, blocks int) (*Part, error) {
	needs, err := h.Needs(first, blocks)
	if err == nil && len(needs) > 0 {
		err = fmt.Errorf("blocks of class %d cannot be settled: %d blocks of the class above are missing", h.class, len(needs))
	}
	if err != nil {
		return nil, err
	}
	h.drop()
	c := work.NewClass(h.cut, h.class, h.pool)
	h.last = newLevel(c.Class, h.ledger)
	h.last.first = first
	j := job{class: c, above: h.above, level: h.last, ledger: h.ledger, progress: h.progress, o: h.o}
	if h.last.win, err = h.ledger.Plane(h.last.words * blocks); err != nil {
		return nil, err
	}
	for range j.mostDigits() {
		if err := h.last.addDigit(); err != nil {
			return nil, err
		}
	}
	c.ResetTallies(j.mostDigits())
	u := work.WholeBlocks(c.Class)
	if err := c.Pool.Run(blocks, func(w *work.Worker, i int) { j.settleBlock(w, u, first+i) }, nil); err != nil {
		return nil, err
	}
	return newPart(h.last, first, blocks, c.Sum()), nil
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
	if h.above != nil {
		h.above.freePlanes()
		h.above, h.taken = nil, nil
	}
}

// Close gives the memory back.
func (h *Hand) Close() {
	h.forget()
	h.cut.Free()
	h.ledger.Close()
}

// HandNeed returns the memory in bytes that a Hand is reckoned to take, with what is read and
// written for it, which settles blocks of so many bytes, all planes together, at once, one
// block at least.
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
		most = max(most, above+planes(atOnce)+2*atOnce*block)
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
