package tablebase

import (
	"bytes"
	"context"
	"encoding/hex"
	"math/bits"
	"path/filepath"
	"testing"
)

// goldenTable returns the classes of testdata/v1.tb. Its bits follow from a
// formula and not from a generator of random numbers, so that they stay what
// they are.
func goldenTable() []sealed {
	next := uint64(0)
	word := func() uint64 {
		next += 0x9e3779b97f4a7c15
		return bits.RotateLeft64(next*next, 32) ^ next
	}
	var classes []sealed
	for _, c := range []Class{{9, 9, []uint64{0x1ff}}, {8, 8, []uint64{0xff, 0x17f, 0x1ef}}, {0, 0, []uint64{0}}} {
		s := sealed{class: c, counts: Counts{ByWeight: make([]OutcomeCounts, c.IndexBits+1), BySteps: make([]StepCounts, 3)}}
		n := c.Blocks() * c.Words()
		s.planes = Planes{Win: make([]uint64, n), Lose: make([]uint64, n), Steps: [][]uint64{make([]uint64, n), make([]uint64, n)}}
		valid := ^uint64(0)
		if c.IndexBits == 0 {
			valid = 1
		}
		for w := range n {
			s.planes.Win[w] = word() & valid
			s.planes.Lose[w] = word() & valid &^ s.planes.Win[w]
			for d := range s.planes.Steps {
				s.planes.Steps[d][w] = word() & (s.planes.Win[w] | s.planes.Lose[w])
			}
		}
		for i := range s.counts.ByWeight {
			s.counts.ByWeight[i] = OutcomeCounts{word(), word(), word(), word(), word()}
		}
		for i := range s.counts.BySteps {
			s.counts.BySteps[i] = StepCounts{word(), word()}
		}
		classes = append(classes, s)
	}
	return classes
}

// TestGolden reads a table of format version 1 and writes the same. The file
// must stay readable for ever and is never written anew: where the format
// changes, Version does, and a file of the new version joins this one.
func TestGolden(t *testing.T) {
	const identity = "eb154914bc577d3e5e607bb50bbd1d18446bc547d7a2d5635e5db884d6f2e2d7"
	path := filepath.Join("testdata", "v1.tb")
	table := open(t, path)
	if id := table.Identity(); hex.EncodeToString(id[:]) != identity {
		t.Errorf("identity %x, want %s", id, identity)
	}
	if table.Shape() != quixoShape {
		t.Errorf("shape %v", table.Shape())
	}
	classes := goldenTable()
	checkAll(t, table, quixoShape, classes)
	if err := table.Verify(context.Background(), nil); err != nil {
		t.Error(err)
	}
	if !bytes.Equal(read(t, write(t, quixoShape, classes)), read(t, path)) {
		t.Error("the same classes are written with other bytes")
	}
}

// TestGoldenBytes reads the golden file as docs/reference/format.md says, with no code of
// this package.
func TestGoldenBytes(t *testing.T) {
	b := read(t, filepath.Join("testdata", "v1.tb"))
	footer := b[le.Uint64(b[72:]):]
	classes := goldenTable()
	for i := range le.Uint32(b[60:]) {
		c := classes[i]
		digits, rows, blocks := int(le.Uint32(footer[8:])), int(le.Uint32(footer[12:])), le.Uint64(footer[16:])
		for block := range blocks {
			words := uint64(max(1, 1<<c.class.IndexBits/64))
			for index := range uint64(1) << c.class.IndexBits {
				w := block*words + index/64
				bit := func(part int, element uint64) int {
					return int(le.Uint64(b[le.Uint64(footer[24+8*part:])+8*element:]) >> (index % 64) & 1)
				}
				want := c.entry(quixoShape, int(block), index)
				if got := bit(0, 2*w) + 2*bit(0, 2*w+1); got != int(want.Outcome) {
					t.Fatalf("class %d, block %d, state %d: outcome %d, want %v", c.class.Class, block, index, got, want)
				}
				steps := 0
				for d := range digits {
					steps += bit(1, uint64(digits)*w+uint64(d)) << d
				}
				if steps != max(0, want.Steps) {
					t.Fatalf("class %d, block %d, state %d: steps %d, want %v", c.class.Class, block, index, steps, want)
				}
			}
			if mask := le.Uint64(b[le.Uint64(footer[40:])+8*block:]); mask != c.class.Masks[block] {
				t.Errorf("class %d, block %d: mask %x", c.class.Class, block, mask)
			}
		}
		// Each part of this small table is one chunk.
		footer = footer[48+40*(c.class.IndexBits+1)+16*rows+3*4:]
	}
	if len(footer) != 8 {
		t.Errorf("%d bytes behind the footer, want 8", len(footer))
	}
}
