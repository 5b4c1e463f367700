package retro

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"backsolve/partition"
	"backsolve/retro/internal/work"
)

// BlockWorker solves blocks for a scheduler in another process. It holds the blocks of the
// class above that it has received. Where memory suffices it keeps the blocks it solves, so
// that it need not receive them for the class below. It is not safe for concurrent use and
// must be closed.
type BlockWorker struct {
	engine
	class      int     // whose blocks are solved
	from       partial // the class above; without a level for the fullest class
	kept       partial // the class itself; without a level where memory is short
	lastSolved *level  // the last solved blocks, where they are not kept
}

type partial struct {
	*level
	known        []bool // by block
	unknown      int    // number of unknown blocks
	solvedDigits int    // binary digits of the blocks that were solved here
}

func newPartial(l *level) partial {
	blocks := len(l.class.Masks)
	return partial{level: l, known: make([]bool, blocks), unknown: blocks}
}

func (p *partial) know(first, blocks int) {
	for block := first; block < first+blocks; block++ {
		if !p.known[block] {
			p.known[block] = true
			p.unknown--
		}
	}
}

// NewBlockWorker cuts a space, within the limits of the options, to solve blocks of it. A
// *MemoryError says that the limit is too small. Once ctx ends, methods return its cause.
func NewBlockWorker(ctx context.Context, space *partition.Space, o Options) (*BlockWorker, error) {
	o = o.WithDefaults()
	if space.Kind != partition.FixedSlice {
		return nil, fmt.Errorf("the blocks of %s cannot be solved one by one: moves lead from one to another", space.Game)
	}
	h := &BlockWorker{engine: newEngine(space, o, standard), class: space.MaskBits + 1}
	if err := h.begin(ctx, space); err != nil {
		h.ledger.Close()
		return nil, err
	}
	return h, nil
}

// Begin starts a class and drops the blocks that were received for another one. It keeps
// solved blocks of the class above.
func (h *BlockWorker) Begin(class int) (err error) {
	if class < 0 || class > h.cut.MaskBits {
		return fmt.Errorf("there is no class %d", class)
	}
	h.cut.Keep(class)
	var above partial
	if h.class == class+1 {
		above, h.kept = h.kept, partial{}
	}
	h.forget()
	h.class = class
	if class < h.cut.MaskBits {
		if above.level == nil {
			l := newLevel(h.cut.Class(class+1), h.ledger)
			if l.win, err = h.ledger.Plane(l.planeWords()); err != nil {
				return err
			}
			above = newPartial(l)
		}
		h.from = above
		h.from.trim(min(above.solvedDigits, len(above.digits)))
	}
	return h.keep()
}

// spareBlocks and spareBytes are the memory that keeping a class must leave free, for blocks
// that are being received and sent.
const (
	spareBlocks = 8
	spareBytes  = 16 << 20
)

// keep makes room for all blocks of the class if memory suffices. No class needs the emptiest
// one.
func (h *BlockWorker) keep() error {
	if h.class == 0 {
		return nil
	}
	c := work.NewClass(h.cut, h.class, h.pool)
	l, err := h.planes(c, len(c.Masks))
	if memory := (*MemoryError)(nil); errors.As(err, &memory) {
		h.ledger.DropSpare() // planes that were allocated before the error
		return nil
	}
	if err != nil {
		return err
	}
	h.kept = newPartial(l)
	if !h.ledger.Room(spareBytes + spareBlocks*h.plan.BlockBytes(h.class)) {
		h.dropKept()
	}
	return nil
}

// planes returns a level with room for that many blocks, or with none where there is an error.
func (h *BlockWorker) planes(c *work.Class, blocks int) (l *level, err error) {
	l = newLevel(c.Class, h.ledger)
	if l.win, err = h.ledger.Plane(l.words * blocks); err == nil {
		err = l.addDigits((&job{engine: &h.engine, class: c}).mostDigits())
	}
	if err != nil {
		l.freePlanes()
	}
	return l, err
}

func (h *BlockWorker) dropKept() {
	h.kept.freePlanes()
	h.kept = partial{}
	h.ledger.DropSpare()
}

// Class returns the class that Begin started; before that, one more than the fullest class.
func (h *BlockWorker) Class() int { return h.class }

// Len returns the number of blocks of a class.
func (h *BlockWorker) Len(class int) int { return h.cut.Blocks(class) }

// Needs returns, ascending, the unknown blocks of the class above to which moves out of the blocks lead.
func (h *BlockWorker) Needs(first, blocks int) ([]int, error) {
	if h.class > h.cut.MaskBits || first < 0 || blocks < 1 || first+blocks > h.Len(h.class) {
		return nil, fmt.Errorf("class %d has no %d blocks from %d on", h.class, blocks, first)
	}
	if h.from.unknown == 0 {
		return nil, nil
	}
	var needs []int
	var moves []partition.Move
	for _, mask := range h.cut.Class(h.class).Masks[first : first+blocks] {
		moves = h.cut.Moves(mask, moves[:0])
		for _, m := range moves {
			if block := h.cut.Block(m.Child); !h.from.known[block] {
				needs = append(needs, block)
			}
		}
	}
	slices.Sort(needs)
	return slices.Compact(needs), nil
}

// Take receives blocks of the class above, perhaps twice. It does not retain p.
func (h *BlockWorker) Take(p *SolvedBlocks) error {
	if h.from.level == nil {
		return fmt.Errorf("there is no class above class %d", h.class)
	}
	if err := p.check(work.NewClass(h.cut, h.class+1, h.pool), h.o); err != nil {
		return err
	}
	err := h.from.take(p)
	if memory := (*MemoryError)(nil); errors.As(err, &memory) && h.kept.level != nil {
		h.dropKept() // received blocks take precedence
		err = h.from.take(p)
	}
	if err != nil {
		return err
	}
	h.from.know(p.First, p.Blocks())
	return nil
}

// Solve solves blocks, whose Needs must all have been received, and counts their states. The blocks
// are valid until the next call of Solve, Take, Begin or Close.
func (h *BlockWorker) Solve(first, blocks int) (*SolvedBlocks, *StateCounts, error) {
	needs, err := h.Needs(first, blocks)
	if err != nil {
		return nil, nil, err
	}
	if len(needs) > 0 {
		return nil, nil, fmt.Errorf("blocks of class %d cannot be solved: %d blocks of the class above are missing", h.class, len(needs))
	}
	c := work.NewClass(h.cut, h.class, h.pool)
	l, err := h.target(c, first, blocks)
	if err != nil {
		return nil, nil, err
	}
	j := job{engine: &h.engine, class: c, level: l, above: h.from.level}
	c.ResetCounts(j.mostDigits())
	u := work.WholeBlocks(c.Class)
	if err := c.Pool.Run(0, blocks, func(w *work.Worker, i int) { j.solveBlock(w, u, first+i) }, nil); err != nil {
		return nil, nil, err
	}
	sum := c.Sum()
	if h.kept.level != nil {
		h.kept.know(first, blocks)
		h.kept.solvedDigits = max(h.kept.solvedDigits, sum.MostDigits())
	}
	sum.Trim()
	cut := func(plane []uint64) []uint64 { return plane[(first-l.first)*l.words:][:blocks*l.words] }
	p := &SolvedBlocks{Class: h.class, First: first, Words: l.words, Win: cut(l.win)}
	for _, plane := range l.digits[:sum.MostDigits()] {
		p.Digits = append(p.Digits, cut(plane))
	}
	return p, sum, nil
}

// Count counts the states of blocks of any class. The error wraps ErrMiscounted if they do not fit it.
func (h *BlockWorker) Count(p *SolvedBlocks) (*StateCounts, error) {
	c := work.NewClass(h.cut, p.Class, h.pool)
	if err := p.check(c, h.o); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMiscounted, err)
	}
	sum, err := c.CountBlocks(p.First, p.Win, nil, p.Digits, h.o.numbered())
	sum.Trim()
	return sum, err
}

// target returns the level to solve the blocks in. Its planes are zero there.
func (h *BlockWorker) target(c *work.Class, first, blocks int) (_ *level, err error) {
	h.lastSolved.freePlanes()
	h.lastSolved = nil
	if h.kept.level == nil {
		if h.lastSolved, err = h.planes(c, blocks); err == nil {
			h.lastSolved.first = first
		}
		return h.lastSolved, err
	}
	for block := first; block < first+blocks; block++ {
		if !h.kept.known[block] {
			continue // still zero
		}
		clear(h.kept.slice(h.kept.win, block))
		for _, plane := range h.kept.digits {
			clear(h.kept.slice(plane, block))
		}
	}
	return h.kept.level, nil
}

func (h *BlockWorker) forget() {
	for _, l := range []*level{h.lastSolved, h.kept.level, h.from.level} {
		l.freePlanes()
	}
	h.lastSolved, h.kept, h.from = nil, partial{}, partial{}
}

// Close frees the memory.
func (h *BlockWorker) Close() {
	h.forget()
	h.cut.Free()
	h.ledger.Close()
}
