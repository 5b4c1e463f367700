package outofcore

import (
	"fmt"
	"io"
	"slices"

	"backsolve/internal/bitslice"
	"backsolve/retro"
	"backsolve/retro/internal/work"
)

// Blocks are the blocks of a subclass for a scheduler to have solved. Except for Wants and
// NewCounter, its methods are not safe for concurrent use.
type Blocks struct {
	Subclass
	class    *work.Class
	noted    []first
	solved   []bool
	left     int // blocks that are not solved
	packer   packer
	slice    []uint64
	progress *work.Progress
}

// Len returns the number of blocks.
func (b *Blocks) Len() int { return len(b.solved) }

// Wants reports whether Take needs the slice of a block.
func (b *Blocks) Wants(block int) bool {
	for i := range b.noted {
		if b.noted[i].block == block { // Take may be writing the other fields
			return true
		}
	}
	return false
}

// Take takes the counts of solved blocks, and by block those slices that are wanted, as they
// were stored. An error says why it refuses them.
func (b *Blocks) Take(first, blocks int, counts *retro.StateCounts, stored map[int][]byte) error {
	if first < 0 || blocks < 1 || first+blocks > b.Len() {
		return fmt.Errorf("class %d has no %d blocks from %d on", b.Class, blocks, first)
	}
	for _, by := range [][]uint64{counts.Wins, counts.Losses, counts.TerminalWins, counts.TerminalLosses} {
		if len(by) != b.class.IndexBits+1 {
			return fmt.Errorf("%d weights of class %d are counted, not %d", len(by), b.Class, b.class.IndexBits+1)
		}
	}
	if slices.Contains(b.solved[first:first+blocks], true) {
		return fmt.Errorf("blocks %d to %d of class %d are solved twice: this is a bug; please report it", first, first+blocks-1, b.Class)
	}
	for i := range b.noted {
		v := &b.noted[i]
		if v.block < first || v.block >= first+blocks {
			continue
		}
		if !b.packer.restore(b.slice, stored[v.block]) {
			return fmt.Errorf("block %d of class %d is delivered without its slice: this is a bug; please report it", v.block, b.Class)
		}
		v.Won = b.slice[v.index/64]>>(v.index%64)&1 == 1
	}
	b.mark(first, blocks, true)
	b.class.Pool.Workers[0].Counts.Add(counts)
	return nil
}

// Drop takes back blocks that Take has taken with these counts. They must be solved and
// delivered again.
func (b *Blocks) Drop(first, blocks int, counts *retro.StateCounts) {
	b.mark(first, blocks, false)
	b.class.Pool.Workers[0].Counts.Sub(counts)
}

// mark marks blocks as solved or as not solved, which they were not.
func (b *Blocks) mark(first, blocks int, solved bool) {
	for i := range blocks {
		b.solved[first+i] = solved
	}
	if !solved {
		blocks = -blocks
	}
	b.left -= blocks
	b.progress.Advance(uint64(blocks) << uint(b.class.IndexBits))
}

// sum returns the result of all blocks.
func (b *Blocks) sum() (*Sum, error) {
	if b.left > 0 {
		return nil, fmt.Errorf("%d blocks of class %d are not solved: this is a bug; please report it", b.left, b.Class)
	}
	sum := &Sum{Counts: *b.class.Sum()}
	for _, v := range b.noted {
		sum.First = append(sum.First, v.FirstValue)
	}
	return sum, nil
}

// Counter counts the states of slices. It is not safe for concurrent use.
type Counter struct {
	class  *work.Class
	codec  codec
	stored []byte
}

// NewCounter returns a counter for slices of these blocks.
func (b *Blocks) NewCounter() *Counter { return newCounter(b.class) }

// newCounter returns a counter for slices of a class, with a thread of its own.
func newCounter(of *work.Class) *Counter {
	c := work.NewClass(of.Cut, of.Class.Class, work.NewPool(of.Pool.Context(), 1, 1))
	c.ResetCounts(0)
	return &Counter{class: c, codec: codec{slice: make([]uint64, c.Words())}}
}

// Count reads the stored slice of a block, of the given length in bytes, and counts its
// states. sliced is false, and nothing counted, where the bytes are not a slice. The slice
// is returned as it is in memory, valid until the next call. The error is the reader's.
func (c *Counter) Count(block int, length int64, from io.Reader) (slice []byte, sliced bool, err error) {
	if c.stored, err = readAll(from, length, c.stored); err != nil || !c.codec.restore(c.codec.slice, c.stored) {
		return nil, false, err
	}
	w, u := c.class.Pool.Workers[0], work.WholeBlocks(c.class.Class)
	t := c.class.Terminals(w, block, w.Buffer(work.WonBuffer, u.Words), bitslice.Whole(u.K))
	w.Count(u, block, c.class.Images[block], c.codec.slice, nil, t)
	return bitslice.Bytes(c.codec.slice), true, nil
}

// Sum returns the counts of all slices so far, and starts again from zero.
func (c *Counter) Sum() *retro.StateCounts {
	sum := c.class.Sum()
	c.class.ResetCounts(0)
	return sum
}

// readAll reads length bytes, into the buffer if they fit. Otherwise it allocates no more than
// the reader delivers.
func readAll(from io.Reader, length int64, buffer []byte) ([]byte, error) {
	if length <= int64(cap(buffer)) {
		_, err := io.ReadFull(from, buffer[:length])
		return buffer[:length], err
	}
	b, err := io.ReadAll(io.LimitReader(from, length))
	if err == nil && int64(len(b)) < length {
		err = io.ErrUnexpectedEOF
	}
	return b, err
}
