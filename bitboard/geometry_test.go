package bitboard

import (
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestAllAndBorder(t *testing.T) {
	for n := 1; n <= MaxSize; n++ {
		var all, border uint64
		for row := range n {
			for col := range n {
				bit := uint64(1) << uint(row*n+col)
				all |= bit
				if row == 0 || row == n-1 || col == 0 || col == n-1 {
					border |= bit
				}
			}
		}
		if got := All(n); got != all {
			t.Errorf("All(%d) = %x, want %x", n, got, all)
		}
		if got := Border(n); got != border {
			t.Errorf("Border(%d) = %x, want %x", n, got, border)
		}
	}
}

func TestLines(t *testing.T) {
	for n := 1; n <= MaxSize; n++ {
		want := map[uint64]bool{}
		add := func(cell func(i int) int) {
			var line uint64
			for i := range n {
				line |= 1 << uint(cell(i))
			}
			want[line] = true
		}
		for j := range n {
			add(func(i int) int { return j*n + i })
			add(func(i int) int { return i*n + j })
		}
		add(func(i int) int { return i*n + i })
		add(func(i int) int { return i*n + n - 1 - i })

		lines := Lines(n)
		for _, line := range lines {
			if !want[line] {
				t.Errorf("n = %d: %x is no line", n, line)
			}
		}
		if len(lines) != len(want) || n > 1 && len(want) != 2*n+2 {
			t.Errorf("n = %d: %d lines, want %d", n, len(lines), len(want))
		}
	}
}

func TestSlidesAreAllAndInOrder(t *testing.T) {
	for n := 1; n <= MaxSize; n++ {
		// Of a corner's row and column one other end each is left, of another
		// border cell's three.
		want := 0
		if n > 1 {
			want = 4*2 + 4*(n-2)*3
		}
		slides := Slides(n)
		if len(slides) != want {
			t.Errorf("n = %d: %d slides, want %d", n, len(slides), want)
		}
		order := func(a, b Slide) int { return (a.From-b.From)*64 + a.To - b.To }
		if !slices.IsSortedFunc(slides, order) {
			t.Errorf("n = %d: the slides are not ordered by From, then To", n)
		}
		for i, s := range slides {
			if i > 0 && order(slides[i-1], s) == 0 {
				t.Errorf("n = %d: the slide from %d to %d appears twice", n, s.From, s.To)
			}
			for _, c := range []int{s.From, s.To} {
				if Border(n)>>uint(c)&1 == 0 {
					t.Errorf("n = %d: the slide from %d to %d leaves the border", n, s.From, s.To)
				}
			}
			if s.From/n != s.To/n && s.From%n != s.To%n {
				t.Errorf("n = %d: the slide from %d to %d keeps to no row or column", n, s.From, s.To)
			}
		}
	}
	if len(Slides(5)) != 44 {
		t.Error("5×5 does not have the 44 moves of Quixo")
	}
}

// slideNaive pushes numbered tiles cell by cell and returns which tile ends up
// on each cell, −1 being the one pushed in.
func slideNaive(n int, s Slide) []int {
	tiles := make([]int, n*n)
	for cell := range tiles {
		tiles[cell] = cell
	}
	rowStep, colStep := sign(s.To/n-s.From/n), sign(s.To%n-s.From%n)
	row, col := s.From/n, s.From%n
	for row*n+col != s.To {
		next := (row+rowStep)*n + col + colStep
		tiles[row*n+col] = tiles[next]
		row, col = row+rowStep, col+colStep
	}
	tiles[s.To] = -1
	return tiles
}

func sign(x int) int { return max(-1, min(1, x)) }

func TestOriginIsWhatTheTilesDo(t *testing.T) {
	for n := 2; n <= MaxSize; n++ {
		for _, s := range Slides(n) {
			for cell, tile := range slideNaive(n, s) {
				if got := s.Origin(cell); got != tile {
					t.Fatalf("n = %d, slide from %d to %d: Origin(%d) = %d, want %d", n, s.From, s.To, cell, got, tile)
				}
			}
		}
	}
}

func TestShiftIsWhatTheTilesDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, MaxSize).Draw(t, "n")
		s := rapid.SampledFrom(Slides(n)).Draw(t, "slide")
		mask := rapid.Uint64().Draw(t, "mask") & All(n)
		var want uint64
		for cell, tile := range slideNaive(n, s) {
			if tile >= 0 {
				want |= mask >> uint(tile) & 1 << uint(cell)
			}
		}
		if got := s.Shift(mask); got != want {
			t.Errorf("Shift(%x) = %x, want %x", mask, got, want)
		}
	})
}

func TestSlidesAreEquivariant(t *testing.T) {
	type ends struct{ from, to int }
	for n := 2; n <= MaxSize; n++ {
		slides := map[ends]Slide{}
		for _, s := range Slides(n) {
			slides[ends{s.From, s.To}] = s
		}
		for _, g := range SquareGroup(n) {
			for _, s := range slides {
				image, ok := slides[ends{int(g[s.From]), int(g[s.To])}]
				if !ok {
					t.Fatalf("n = %d: the image of the slide from %d to %d is no slide", n, s.From, s.To)
				}
				// Shift is linear, so that single cells say all.
				for c := range n * n {
					if got, want := image.Shift(g.Apply(1<<uint(c))), g.Apply(s.Shift(1<<uint(c))); got != want {
						t.Fatalf("n = %d: the slide from %d to %d is not equivariant", n, s.From, s.To)
					}
				}
			}
		}
	}
}

func TestShiftLosesOnlyTheTakenTile(t *testing.T) {
	for n := 2; n <= MaxSize; n++ {
		for _, s := range Slides(n) {
			full := s.Shift(All(n))
			if full != All(n)&^(1<<uint(s.To)) || bits.OnesCount64(full) != n*n-1 {
				t.Errorf("n = %d, slide from %d to %d: a full board becomes %x", n, s.From, s.To, full)
			}
			if got := s.Shift(1 << uint(s.From)); got != 0 {
				t.Errorf("n = %d, slide from %d to %d: the taken tile goes to %x", n, s.From, s.To, got)
			}
		}
	}
}
