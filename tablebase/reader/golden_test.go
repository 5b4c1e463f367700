package reader_test

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"testing"

	"backsolve/tablebase/internal/tabletest"
)

// TestGolden reads a table of format version 1. The file
// must stay readable for ever and is never written anew: where the format
// changes, Version does, and a file of the new version joins this one.
func TestGolden(t *testing.T) {
	const identity = "eb154914bc577d3e5e607bb50bbd1d18446bc547d7a2d5635e5db884d6f2e2d7"
	path := tabletest.Golden("v1.tb")
	table := tabletest.Open(t, path)
	if id := table.Identity(); hex.EncodeToString(id[:]) != identity {
		t.Errorf("identity %x, want %s", id, identity)
	}
	if table.Shape() != tabletest.QuixoShape {
		t.Errorf("shape %v", table.Shape())
	}
	classes := goldenTable()
	checkAll(t, table, tabletest.QuixoShape, classes)
	if err := table.Verify(context.Background(), 1, nil); err != nil {
		t.Error(err)
	}
}

// TestGoldenBytes reads the golden file as docs/reference/format.md says, with no code of
// this package.
func TestGoldenBytes(t *testing.T) {
	b := tabletest.ReadFile(t, tabletest.Golden("v1.tb"))
	footer := b[binary.LittleEndian.Uint64(b[72:]):]
	classes := goldenTable()
	for i := range binary.LittleEndian.Uint32(b[60:]) {
		c := classes[i]
		digits, rows, blocks := int(binary.LittleEndian.Uint32(footer[8:])), int(binary.LittleEndian.Uint32(footer[12:])), binary.LittleEndian.Uint64(footer[16:])
		for block := range blocks {
			words := uint64(max(1, 1<<c.Class.IndexBits/64))
			for index := range uint64(1) << c.Class.IndexBits {
				w := block*words + index/64
				bit := func(part int, element uint64) int {
					return int(binary.LittleEndian.Uint64(b[binary.LittleEndian.Uint64(footer[24+8*part:])+8*element:]) >> (index % 64) & 1)
				}
				want := entryOf(c, tabletest.QuixoShape, int(block), index)
				if got := bit(0, 2*w) + 2*bit(0, 2*w+1); got != int(want.Outcome) {
					t.Fatalf("class %d, block %d, state %d: outcome %d, want %v", c.Class.Class, block, index, got, want)
				}
				steps := 0
				for d := range digits {
					steps += bit(1, uint64(digits)*w+uint64(d)) << d
				}
				if steps != max(0, want.Steps) {
					t.Fatalf("class %d, block %d, state %d: steps %d, want %v", c.Class.Class, block, index, steps, want)
				}
			}
			if mask := binary.LittleEndian.Uint64(b[binary.LittleEndian.Uint64(footer[40:])+8*block:]); mask != c.Class.Masks[block] {
				t.Errorf("class %d, block %d: mask %x", c.Class.Class, block, mask)
			}
		}
		// Each part of this small table is one chunk.
		footer = footer[48+40*(c.Class.IndexBits+1)+16*rows+3*4:]
	}
	if len(footer) != 8 {
		t.Errorf("%d bytes behind the footer, want 8", len(footer))
	}
}
