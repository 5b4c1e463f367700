package custom

import (
	"math/bits"
	"testing"
)

// Neighbours agree with those found by coordinates, also on boards with one row.
func TestAround(t *testing.T) {
	if Bit(true, 5) != 32 || Bit(false, 5) != 0 {
		t.Error("Bit")
	}
	for _, size := range [][2]int{{1, 5}, {3, 4}, {4, 3}} {
		for cell := range size[0] * size[1] {
			for n, digit := range "012345678" {
				r, c := cell/size[1]+n/3-1, cell%size[1]+n%3-1
				want := Bit(r >= 0 && r < size[0] && c >= 0 && c < size[1], max(r*size[1]+c, 0))
				if got := Around(size[0], size[1], cell, string(digit)); got != want {
					t.Errorf("%v: neighbour %d of %d is %b, want %b", size, n, cell, got, want)
				}
			}
		}
	}
}

// The maps of a square are eight, keep neighbours neighbours, and move masks as their cells.
func TestSquareMaps(t *testing.T) {
	const n = 5
	different := map[uint64]bool{}
	for _, m := range SquareMaps[uint64](n) {
		different[m.Apply(1<<1)<<32|m.Apply(1<<7)] = true
		whole := uint64(0)
		for cell := range n * n {
			whole |= m.Apply(1 << cell)
			to := bits.TrailingZeros64(m.Apply(1 << cell))
			if got := m.Apply(Around(n, n, cell, "1357")); got != Around(n, n, to, "1357") {
				t.Errorf("the neighbours of %d, moved to %d, are %b", cell, to, got)
			}
		}
		if whole != 1<<(n*n)-1 || m.Apply(whole) != whole {
			t.Errorf("all cells become %b", whole)
		}
	}
	if len(different) != 8 || SquareMaps[uint64](n)[0].Apply(0b1011) != 0b1011 {
		t.Errorf("%d different maps", len(different))
	}
}

func TestLeast(t *testing.T) {
	maps := SquareMaps[uint16](3)
	few, many := Symmetries[uint16]{Cells: 9, Maps: maps}, Symmetries[uint16]{Cells: 17, Maps: maps}
	for seed := range uint32(5000) {
		x := seed * 0x9e3779b1
		a, b := uint16(x>>7&511), uint16(x>>16&511)
		want := uint32(a)<<16 | uint32(b)
		for _, m := range maps {
			want = min(want, uint32(m.Apply(a))<<16|uint32(m.Apply(b)))
		}
		for _, s := range []*Symmetries[uint16]{&few, &many} {
			if first, second := s.Least(a, b); uint32(first)<<16|uint32(second) != want {
				t.Fatalf("%b, %b on %d cells: least image %b, %b, want %b", a, b, s.Cells, first, second, want)
			}
		}
	}
}
