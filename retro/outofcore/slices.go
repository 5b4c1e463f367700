package outofcore

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"
	"sync/atomic"

	"backsolve/internal/bitslice"
	"backsolve/partition"
)

// ReadSlices reads the stored slices of blocks of a finished stage, in any order, and has each delivered, by
// one goroutine or several. An error of deliver, or the end of the context, ends it, and is returned. Slices
// are valid only if there is no error, since damage may be found at the end.
type ReadSlices func(ctx context.Context, s Stage, blocks []int, deliver DeliverSlice) error

// DeliverSlice takes the stored slice of a block, which has length bytes. It calls fill once with memory of
// that length to read into.
type DeliverSlice = func(block int, length int64, fill func(to []byte) error) error

type arrival struct {
	block int
	slice []uint64
	bytes []byte // the stored form, in the memory of the slice
}

// fetch reads the slices of blocks of a finished stage and sends them. The receiver takes them until the
// channel is closed, and returns their memory.
func (h *BlockWorker) fetch(ctx context.Context, of Stage, blocks []int, to chan<- arrival) error {
	var delivered atomic.Int64
	err := h.store(ctx, of, blocks, func(block int, length int64, fill func(to []byte) error) error {
		if length > sliceBytes(h.cutting.spaces[0]) {
			return noSlice(block, of.Class)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		buf := <-h.child
		b := bitslice.Bytes(buf)[:length]
		if err := fill(b); err != nil {
			h.child <- buf
			return err
		}
		to <- arrival{block, buf, b}
		delivered.Add(1)
		return nil
	})
	if n := delivered.Load(); err == nil && n != int64(len(blocks)) {
		err = fmt.Errorf("of %d slices of class %d only %d were read: this is a bug; please report it", len(blocks), of.Class, n)
	}
	return err
}

type sliceFile struct {
	file       *os.File
	table      sliceTable
	sliceBytes int64
}

// sliceTable locates the slices in a file.
type sliceTable struct {
	// Sums are the CRC-32C of the stored slices.
	Sums []uint32
	// Offsets and Lengths locate packed slices, which are in any order. A slice of full
	// length is not packed. Both are nil where no slice is packed.
	Offsets []int64  `json:",omitempty"`
	Lengths []uint32 `json:",omitempty"`
}

func (t *sliceTable) packed() bool { return t.Offsets != nil }

// sound reports whether all slices can lie in a file.
func (t *sliceTable) sound(sliceBytes int64) bool {
	tooLong := func(n uint32) bool { return int64(n) > sliceBytes }
	if !t.packed() {
		return len(t.Lengths) == 0
	}
	return len(t.Offsets) == len(t.Sums) && len(t.Lengths) == len(t.Sums) && !slices.ContainsFunc(t.Lengths, tooLong) && slices.Min(append(t.Offsets, 0)) == 0
}

func (t *sliceTable) place(block int, sliceBytes int64) (offset, length int64) {
	if t.packed() {
		return t.Offsets[block], int64(t.Lengths[block])
	}
	return int64(block) * sliceBytes, sliceBytes
}

func (t *sliceTable) size(sliceBytes int64) (size int64) {
	for block := range t.Sums {
		_, length := t.place(block, sliceBytes)
		size += length
	}
	return size
}

func (s *sliceFile) length(block int) (length int64) {
	if block < len(s.table.Sums) {
		_, length = s.table.place(block, s.sliceBytes)
	}
	return length
}

func (s *sliceFile) fill(block int, to []byte) error {
	if block >= len(s.table.Sums) {
		return s.damaged(block)
	}
	offset, _ := s.table.place(block, s.sliceBytes)
	switch _, err := s.file.ReadAt(to, offset); {
	case err != nil && !errors.Is(err, io.EOF):
		return fmt.Errorf("%w: block %d of %s: %w", ErrDamaged, block, s.file.Name(), err)
	case err != nil, crc32.Checksum(to, castagnoli) != s.table.Sums[block]:
		return s.damaged(block)
	}
	return nil
}

func (s *sliceFile) stored(block int) ([]byte, error) {
	b := make([]byte, s.length(block))
	return b, s.fill(block, b)
}

func (s *sliceFile) damaged(block int) error {
	return fmt.Errorf("%w: block %d of %s is not what was written", ErrDamaged, block, s.file.Name())
}

func sliceBytes(space *partition.Space) int64 { return int64(bitslice.Words(space.IndexBits[0])) * 8 }

// SliceBytes returns the bytes of the slice of a block, as it is solved.
func SliceBytes(space *partition.Space) int64 { return sliceBytes(newCutting(space).spaces[0]) }
