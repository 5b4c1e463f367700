package outofcore

import (
	"io"

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
	b.class.ResetCounts(0)
	b.class.Pool.Workers[0].Counts.Add(counts)
	sum := &Sum{Counts: *b.class.Sum()}
	if _, err := b.class.Counts(tablebase.Shape{}); err != nil {
		return nil, err
	}
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
	class  *work.Class
	codec  codec
	stored []byte
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
