package outofcore

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"os"
	"slices"

	"backsolve/internal/bitslice"
	"backsolve/partition"
)

// source has the slices of a finished stage.
type source interface {
	// read reads the slices of the given blocks into buffers, in any order, and sends them.
	// It returns when all slices or an error are sent, or when the context ends.
	read(ctx context.Context, blocks iter.Seq[int], buffers chan []uint64, to chan<- arrival)
	// damaged is the error of a block whose slice cannot be unpacked.
	damaged(block int) error
}

// arrival is a slice that has been read.
type arrival struct {
	block int
	slice []uint64 // nil after an error
	bytes []byte   // the stored form, in the memory of the slice
	err   error
}

// unpacked returns the slice: in its own memory, or in other where it was packed.
func (a *arrival) unpacked(p *packer, from source, other []uint64) ([]uint64, error) {
	if len(a.bytes) == 8*len(other) {
		return a.slice[:len(other)], nil
	}
	if !p.unpack(bitslice.Bytes(other), a.bytes) {
		return nil, from.damaged(a.block)
	}
	return other, nil
}

// sliceFile is a file with the slices of a finished stage.
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

// packed reports whether slices may be packed.
func (t *sliceTable) packed() bool { return t.Offsets != nil }

// sound reports whether all slices can lie in a file.
func (t *sliceTable) sound(sliceBytes int64) bool {
	tooLong := func(n uint32) bool { return int64(n) > sliceBytes }
	if !t.packed() {
		return len(t.Lengths) == 0
	}
	return len(t.Offsets) == len(t.Sums) && len(t.Lengths) == len(t.Sums) && !slices.ContainsFunc(t.Lengths, tooLong) && slices.Min(append(t.Offsets, 0)) == 0
}

// place returns where the slice of a block lies.
func (t *sliceTable) place(block int, sliceBytes int64) (offset, length int64) {
	if t.packed() {
		return t.Offsets[block], int64(t.Lengths[block])
	}
	return int64(block) * sliceBytes, sliceBytes
}

// size is the length of the file.
func (t *sliceTable) size(sliceBytes int64) (size int64) {
	for block := range t.Sums {
		_, length := t.place(block, sliceBytes)
		size += length
	}
	return size
}

// stored reads the stored slice of a block into the memory of a slice, and checks it.
func (s *sliceFile) stored(block int, slice []uint64) ([]byte, error) {
	if block >= len(s.table.Sums) {
		return nil, s.damaged(block)
	}
	offset, length := s.table.place(block, s.sliceBytes)
	b := bitslice.Bytes(slice)[:length]
	if _, err := s.file.ReadAt(b, offset); errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: %s ends within block %d", ErrDamaged, s.file.Name(), block)
	} else if err != nil {
		return nil, fmt.Errorf("%w: block %d of %s: %w", ErrDamaged, block, s.file.Name(), err)
	}
	if crc32.Checksum(b, castagnoli) != s.table.Sums[block] {
		return nil, s.damaged(block)
	}
	return b, nil
}

// read implements source.
func (s *sliceFile) read(ctx context.Context, blocks iter.Seq[int], buffers chan []uint64, to chan<- arrival) {
	for block := range blocks {
		var buf []uint64
		select {
		case buf = <-buffers:
		case <-ctx.Done():
			return
		}
		a := arrival{block: block, slice: buf}
		a.bytes, a.err = s.stored(block, buf)
		select {
		case to <- a:
		case <-ctx.Done():
			buffers <- buf
			return
		}
	}
}

func (s *sliceFile) damaged(block int) error {
	return fmt.Errorf("%w: block %d of %s is not what was written", ErrDamaged, block, s.file.Name())
}

// sliceBytes returns the bytes of a slice of a space with fixed slices.
func sliceBytes(space *partition.Space) int64 { return int64(bitslice.Words(space.IndexBits[0])) * 8 }

// SliceBytes returns the bytes of the slice of a block, as it is solved.
func SliceBytes(space *partition.Space) int64 { return sliceBytes(newCutting(space).spaces[0]) }
