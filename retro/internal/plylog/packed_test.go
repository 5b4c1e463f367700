package plylog

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"backsolve/bitslice"
)

// What leaves a log, or was never in one, comes into another as it was.
func TestPackedGoesElsewhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const words = 700
		from, to := New(NewMemory(), words, 8), New(NewMemory(), words, 8)
		all := planes(t, words)
		fill(t, from, all)
		var read, packed, b Buffer
		for ply := range from.Plies() {
			for section := range from.Sections() {
				if err := from.Read(ply, section, &read); err != nil {
					t.Fatal(err)
				}
				if len(read.At) == 0 {
					continue
				}
				first, end := from.Section(section)
				marks := make([]uint64, bitslice.SummaryWords(end-first))
				for _, at := range read.At {
					marks[at>>(bitslice.GroupBits+6)] |= 1 << (at >> bitslice.GroupBits & 63)
				}
				if !slices.Equal(packed.Pack(all[ply][first:end], marks), read.Packed()) {
					t.Fatalf("ply %d, section %d is packed otherwise", ply, section)
				}
				if err := b.Unpack(read.Packed()); err != nil {
					t.Fatal(err)
				}
				if !to.Any(ply) {
					to.Begin(ply)
				}
				if err := to.AppendWords(ply, section, b.At, b.Words, &b); err != nil {
					t.Fatal(err)
				}
				if err := to.Read(ply, section, &b); err != nil || !slices.Equal(b.At, read.At) || !slices.Equal(b.Words, read.Words) {
					t.Fatalf("ply %d, section %d comes back as %v, %v", ply, section, b.At, err)
				}
			}
		}
		if b.Pack(make([]uint64, 64), []uint64{1}) != nil {
			t.Fatal("nothing is packed")
		}
	})
}

// Bytes that were never packed are refused, or are some words; a Buffer bears all.
func TestUnpackAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b Buffer
		err := b.Unpack(rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(t, "bytes"))
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Fatal(err)
		}
		if err == nil && len(b.At) != len(b.Words) {
			t.Fatalf("%d words have %d numbers", len(b.Words), len(b.At))
		}
	})
}
