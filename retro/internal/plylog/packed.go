package plylog

import (
	"fmt"
	"slices"
)

// A chunk can leave its log, for another process.

// Pack packs a stretch as Append keeps it: of a plane, of which only the groups with a bit
// in marks are looked at. The bytes are good until the buffer is used again; where there are
// no states there are none.
func (b *Buffer) Pack(plane, marks []uint64) []byte {
	b.appendGroups(plane, marks)
	if !b.squeeze() {
		return nil
	}
	return b.packed
}

// Packed returns what was read last as it is kept: what Unpack takes. It is good until the
// buffer is used again.
func (b *Buffer) Packed() []byte { return b.packed }

// Unpack fills At and Words with what was packed. The error wraps ErrDamaged. Whoever
// uses them knows how long the stretch is, and has to look whether they lie in it.
func (b *Buffer) Unpack(packed []byte) error {
	b.At, b.Words = b.At[:0], b.Words[:0]
	if len(packed) < chunkHead {
		return fmt.Errorf("%w: a chunk has %d bytes", ErrDamaged, len(packed))
	}
	b.packed = append(slices.Grow(b.packed[:0], len(packed)+64), packed...) // with room behind, for Expand
	if err := b.unpack(); err != nil {
		return fmt.Errorf("%w (%w)", ErrDamaged, err)
	}
	return nil
}
