package outofcore

import (
	"backsolve/internal/bitslice"
	"backsolve/retro"
	"backsolve/retro/internal/work"
	"backsolve/tablebase"
)

// Blocks are the blocks of a stage for a scheduler to have solved.
type Blocks struct {
	Stage
	class    *work.Class
	noted    []first
	packer   packer
	slice    []uint64
	progress *work.Progress
	before   uint64 // states that were decided before
	begun    bool
	solved   int // blocks that were reported
}

// Begin reports that the blocks are begun.
func (b *Blocks) Begin() {
	b.begun = true
	b.progress.Begin(b.Class, b.before)
}

// Len returns the number of blocks.
func (b *Blocks) Len() int { return len(b.class.Masks) }

// Progress reports how many blocks are solved.
func (b *Blocks) Progress(blocks int) {
	b.progress.Advance(uint64(blocks-b.solved) << uint(b.class.IndexBits))
	b.solved = blocks
}

// Sum returns the result of the blocks, from the counts of their states and the slices of the noted
// positions. read returns the slice of a block as it was stored, valid until the next call.
func (b *Blocks) Sum(counts *retro.StateCounts, read func(block int) ([]byte, error)) (*Sum, error) {
	if _, err := b.class.Counts(counts, tablebase.Shape{}); err != nil {
		return nil, err
	}
	sum := &Sum{Counts: *counts}
	for _, v := range b.noted {
		stored, err := read(v.block)
		if err != nil {
			return nil, err
		}
		if !b.packer.restore(b.slice, stored) {
			return nil, noSlice(v.block, b.Class)
		}
		v.Won = b.slice[v.index/64]>>(v.index%64)&1 == 1
		sum.First = append(sum.First, v.FirstValue)
	}
	return sum, nil
}

// Counter counts the states of slices. It is not safe for concurrent use.
type Counter struct {
	class *work.Class
	codec codec
}

// Count counts the states of a stored slice of a block. It returns false, and counts nothing, where the bytes
// are not a slice.
func (c *Counter) Count(block int, stored []byte) bool {
	if !c.codec.restore(c.codec.slice, stored) {
		return false
	}
	w, u := c.class.Pool.Workers[0], work.WholeBlocks(c.class.Class)
	t := c.class.Terminals(w, block, w.Buffer(work.WonBuffer, u.Words), bitslice.Whole(u.K))
	w.Count(u, block, c.class.Images[block], c.codec.slice, nil, t)
	return true
}

// Sum returns the counts of all slices so far, and starts again from zero.
func (c *Counter) Sum() *retro.StateCounts {
	sum := c.class.Sum()
	c.class.ResetCounts(0)
	return sum
}
