package bitboard

import (
	"encoding/json"
	"math/bits"
	"slices"
	"testing"
)

// Sizes are written as words and read back, as plain numbers where the board is n×n.
func TestSizeWords(t *testing.T) {
	for _, c := range []struct {
		size Size
		word string
		json string
	}{
		{4, "4", "4"}, {24, "24", "24"},
		{Sized(4, 4, 0, 0), "4", "4"},
		{Sized(4, 5, 0, 0), "4x5", `"4x5"`},
		{Sized(5, 5, 0, Torus|Normal), "5x5,torus,normal", `"5x5,torus,normal"`},
		{Sized(8, 6, 5, Misere), "8x6,five,misere", `"8x6,five,misere"`},
		{Sized(2, 31, 0, Normal), "2x31,normal", `"2x31,normal"`},
		{Sized(16, 4, 12, BothDraw), "16x4,twelve,both-draw", `"16x4,twelve,both-draw"`},
	} {
		data, err := json.Marshal(c.size)
		if c.size.String() != c.word || string(data) != c.json || err != nil {
			t.Errorf("%d is written %v and %s, %v, want %s and %s", c.size, c.size, data, err, c.word, c.json)
		}
		var back Size
		if err := json.Unmarshal(data, &back); err != nil || back != c.size {
			t.Errorf("%s is read as %d, %v", data, back, err)
		}
		for _, word := range []string{c.size.String(), c.size.Board()} {
			if got, ok := ParseSize(word); !ok || got != c.size {
				t.Errorf("%s is read as %v, %t", word, got, ok)
			}
		}
	}
	if got, ok := ParseSize("5x5,normal,torus"); !ok || got != Sized(5, 5, 0, Torus|Normal) {
		t.Errorf("words in another order are read as %v, %t", got, ok)
	}
	for _, word := range []string{"", "x", "4x", "x5", "4x5,", "4x5,,torus", "04x5", "0x5", "32x5", "5x32", "4x5,torus,torus", "4x5,three,four", "4x5,thirteen", "4,torus", "16777216"} {
		if got, ok := ParseSize(word); ok {
			t.Errorf("%q is read as %v", word, got)
		}
	}
}

// The lines of other boards are as many as they should be, each as long as it should be, and
// the symmetries keep them.
func TestLinesOfOtherBoards(t *testing.T) {
	for _, c := range []struct {
		size  Size
		lines int
	}{
		{Sized(1, 4, 0, 0), 5}, {Sized(4, 5, 0, 0), 9}, {Sized(5, 5, 0, NoDiagonals), 10}, {Sized(5, 5, 0, Torus), 20}, {Sized(2, 2, 0, Torus), 6},
		{Sized(4, 4, 3, 0), 8 + 8 + 4 + 4}, {Sized(5, 5, 4, 0), 10 + 10 + 4 + 4}, {Sized(3, 5, 4, 0), 6}, {Sized(6, 8, 5, 0), 6*4 + 2*8 + 2*4 + 2*4}, {Sized(18, 2, 0, 0), 20}, {Sized(2, 12, 11, 0), 4},
	} {
		lines := Lines(int(c.size))
		if len(lines) != c.lines {
			t.Errorf("%v has %d lines, want %d", c.size, len(lines), c.lines)
		}
		for _, line := range lines {
			if n := bits.OnesCount64(line); c.size.Run() > 0 && n != c.size.Run() || n != c.size.Run() && n != c.size.Rows() && n != c.size.Cols() {
				t.Errorf("%v has the line %x", c.size, line)
			}
		}
		for _, g := range append(LineSymmetries(int(c.size)), SquareGroup(int(c.size))...) {
			for _, line := range lines {
				if !slices.Contains(lines, g.Apply(line)) {
					t.Fatalf("%v: %v maps the line %x to none", c.size, g, line)
				}
			}
		}
	}
	for size, want := range map[Size]int{Sized(4, 5, 0, 0): 4, Sized(1, 4, 0, 0): 2, Sized(5, 5, 0, Torus): 8} {
		if got := len(SquareGroup(int(size))); got != want {
			t.Errorf("%v has %d symmetries as a figure, want %d", size, got, want)
		}
	}
}
