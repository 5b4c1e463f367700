package bitboard

import (
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestGroupOrders(t *testing.T) {
	square := []int{1, 8, 8, 8, 8, 8, 8, 8}
	line := []int{1, 8, 8, 32, 32, 192, 192, 1536}
	for n := 1; n <= MaxSize; n++ {
		if got := len(SquareGroup(n)); got != square[n-1] {
			t.Errorf("the square's group has %d elements for n = %d, want %d", got, n, square[n-1])
		}
		if got := len(LineGroup(n)); got != line[n-1] {
			t.Errorf("the lines' group has %d elements for n = %d, want %d", got, n, line[n-1])
		}
	}
}

// elements is a group as a set.
func elements(group []Perm) map[string]bool {
	set := map[string]bool{}
	for _, g := range group {
		set[string(g)] = true
	}
	return set
}

func TestGroupLaws(t *testing.T) {
	for n := 1; n <= MaxSize; n++ {
		for _, group := range [][]Perm{SquareGroup(n), LineGroup(n)} {
			set := elements(group)
			if len(set) != len(group) {
				t.Errorf("n = %d: %d elements, but only %d different ones", n, len(group), len(set))
			}
			if !slices.Equal(group[0], Identity(n*n)) {
				t.Errorf("n = %d: the first element is %v, not the identity", n, group[0])
			}
			for i, g := range group {
				if !slices.Equal(g.Then(g.Inverse()), Identity(n*n)) || !set[string(g.Inverse())] {
					t.Fatalf("n = %d: the inverse of %v is not in the group", n, g)
				}
				// All products of the 8×8 group would be 2.4 million.
				for j := i % 7; j < len(group); j += 1 + len(group)/200 {
					if !set[string(g.Then(group[j]))] {
						t.Fatalf("n = %d: the product of %v and %v is not in the group", n, g, group[j])
					}
				}
			}
		}
	}
}

func TestSquareGroupIsPartOfLineGroup(t *testing.T) {
	for n := 1; n <= MaxSize; n++ {
		set := elements(LineGroup(n))
		for _, g := range SquareGroup(n) {
			if !set[string(g)] {
				t.Errorf("n = %d: the lines' group lacks %v", n, g)
			}
		}
	}
}

// TestSquareGroupKeepsNeighbours: unlike other symmetries of the lines, those of the
// square keep adjacent cells adjacent.
func TestSquareGroupKeepsNeighbours(t *testing.T) {
	for n := 2; n <= MaxSize; n++ {
		for _, g := range SquareGroup(n) {
			for c := range n * n {
				if c%n < n-1 && !adjacent(n, g[c], g[c+1]) || c/n < n-1 && !adjacent(n, g[c], g[c+n]) {
					t.Fatalf("n = %d: %v tears cell %d from a neighbour", n, g, c)
				}
			}
		}
	}
}

func adjacent(n int, a, b uint8) bool {
	rows, cols := int(a)/n-int(b)/n, int(a)%n-int(b)%n
	return rows*rows+cols*cols == 1
}

func TestLineGroupKeepsLines(t *testing.T) {
	for n := 1; n <= MaxSize; n++ {
		lines := Lines(n)
		for _, g := range LineGroup(n) {
			for _, line := range lines {
				if !slices.Contains(lines, g.Apply(line)) {
					t.Fatalf("n = %d: %v maps the line %x to %x", n, g, line, g.Apply(line))
				}
			}
		}
	}
}

// keepers counts the permutations of cells that map lines onto lines, by
// placing cell after cell wherever each line's image so far fits some line.
func keepers(n int) int {
	lines := Lines(n)
	images := make([]uint64, len(lines))
	fits := func(image uint64) bool {
		return slices.ContainsFunc(lines, func(line uint64) bool { return image&^line == 0 })
	}
	var place func(cell int, free uint64) int
	place = func(cell int, free uint64) int {
		if cell == n*n {
			return 1
		}
		total := 0
		for rest := free; rest != 0; rest &= rest - 1 {
			to := rest & -rest
			before := slices.Clone(images)
			possible := true
			for i, line := range lines {
				if line>>uint(cell)&1 == 1 {
					images[i] |= to
					possible = possible && fits(images[i])
				}
			}
			if possible {
				total += place(cell+1, free&^to)
			}
			copy(images, before)
		}
		return total
	}
	return place(0, All(n))
}

// TestLineGroupIsComplete holds for n = 7 and 8 too, where it takes a minute.
func TestLineGroupIsComplete(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector")
	}
	for _, n := range []int{1, 3, 4, 5, 6} {
		if got, want := len(LineGroup(n)), keepers(n); got != want {
			t.Errorf("n = %d: the group has %d elements, but %d permutations keep the lines", n, got, want)
		}
	}
	// Any two cells of 2×2 are a line, so that each of the 24 permutations keeps
	// the lines.
	if got := keepers(2); got != 24 {
		t.Errorf("n = 2: %d permutations keep the lines, want 24", got)
	}
}

func TestOrbits(t *testing.T) {
	// The cells of each orbit of the lines' group, by size.
	want := map[int][]int{
		1: {1}, 2: {4}, 3: {1, 4, 4}, 4: {8, 8}, 5: {1, 8, 8, 8},
		6: {12, 24}, 7: {1, 12, 12, 24}, 8: {16, 48},
	}
	for n := 1; n <= MaxSize; n++ {
		group := LineGroup(n)
		var sizes []int
		var all uint64
		for _, orbit := range Orbits(group) {
			if all&orbit != 0 || bits.TrailingZeros64(all^All(n)) != bits.TrailingZeros64(orbit) {
				t.Errorf("n = %d: orbit %x overlaps another or is out of order", n, orbit)
			}
			all |= orbit
			sizes = append(sizes, bits.OnesCount64(orbit))
			for _, g := range group {
				if g.Apply(orbit) != orbit {
					t.Fatalf("n = %d: %v moves the orbit %x", n, g, orbit)
				}
			}
		}
		if all != All(n) {
			t.Errorf("n = %d: the orbits cover %x", n, all)
		}
		slices.Sort(sizes)
		if !slices.Equal(sizes, want[n]) {
			t.Errorf("n = %d: orbits of %v cells, want %v", n, sizes, want[n])
		}
	}
}

func TestBlockCellsAreAnOrbit(t *testing.T) {
	for n := 4; n <= MaxSize; n++ {
		var block uint64
		for c := range n * n {
			row, col := c/n, c%n
			middle := n%2 == 1 && (row == n/2 || col == n/2)
			if row != col && row+col != n-1 && !middle {
				block |= 1 << uint(c)
			}
		}
		if !slices.Contains(Orbits(LineGroup(n)), block) {
			t.Errorf("n = %d: the cells off diagonals and middles, %x, are no orbit", n, block)
		}
	}
}

func TestApply(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, MaxSize).Draw(t, "n")
		group := LineGroup(n)
		g := rapid.SampledFrom(group).Draw(t, "g")
		h := rapid.SampledFrom(group).Draw(t, "h")
		mask := rapid.Uint64().Draw(t, "mask") & All(n)
		if got := g.Then(h).Apply(mask); got != h.Apply(g.Apply(mask)) {
			t.Errorf("Then applied to %x gives %x", mask, got)
		}
		if got := g.Inverse().Apply(g.Apply(mask)); got != mask {
			t.Errorf("there and back, %x becomes %x", mask, got)
		}
		for c, to := range g {
			if mask>>uint(c)&1 != g.Apply(mask)>>to&1 {
				t.Errorf("cell %d does not go to %d", c, to)
			}
		}
	})
}
