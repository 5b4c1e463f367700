package partition

import (
	"errors"
	"math/bits"
	"testing"

	"backsolve/bitboard"
	"backsolve/game"
)

// endgames are endgames of all kinds: with many symmetries and without, with
// cells on the same lines, on none, and marked from the start.
func endgames() map[string]MarkingGame {
	game := func(n, cells int, symmetries []bitboard.Perm) MarkingGame {
		return MarkingGame{Name: "notakto", Size: n, Cells: cells, Lines: bitboard.Lines(n), Symmetries: symmetries}
	}
	spare := game(4, 17, nil)
	spare.Marked = 1 << 16
	twins := MarkingGame{Name: "notakto", Size: 6, Cells: 14, Lines: []uint64{0b111, 0b11111000, 0b111100000011, 0b11000000000000}}
	return map[string]MarkingGame{
		"small": game(2, 4, nil), "plain": game(4, 16, nil), "symmetric": game(4, 16, bitboard.LineGroup(4)),
		"spare": spare, "twins": twins,
	}
}

// TestRestIsTheGame compares the moves and the terminal states of each space with the
// game that it is said to be of, in every state.
func TestRestIsTheGame(t *testing.T) {
	for name, g := range endgames() {
		s, err := NewEndgame(g)
		if err != nil {
			t.Fatal(name, err)
		}
		c, err := NewCut(s) // which checks the space
		if err != nil {
			t.Fatal(name, err)
		}
		if s.MaskBits+s.IndexBits[0] != g.Cells {
			t.Errorf("%s: %d mask bits and %d index bits for %d cells", name, s.MaskBits, s.IndexBits[0], g.Cells)
		}
		if class, _, _ := c.Find(game.Position{X: g.Marked}); class != 0 {
			t.Errorf("%s begins in class %d", name, class)
		}
		var over Terminals
		for x := range uint64(1) << uint(g.Cells) {
			state := s.Locate(game.Position{X: x})
			if at := s.Locate(s.Position(state)); at != state {
				t.Fatalf("%s: %#x is located at %+v, and that at %+v", name, x, state, at)
			}
			if bits.OnesCount64(s.Position(state).X) != bits.OnesCount64(x) {
				t.Fatalf("%s: %#x has another number of marks at %+v", name, x, state)
			}
			over.Reset()
			s.Terminals(state.Mask, &over)
			won := false
			for _, cube := range over.Win {
				won = won || state.Index&cube.Care == cube.Value
			}
			complete := false
			for _, line := range g.Lines {
				complete = complete || line&^x == 0
			}
			if won != complete {
				t.Fatalf("%s: %#x is over: %t, and at %+v: %t", name, x, complete, state, won)
			}
		}
		c.Free()
	}
}

// TestRestUsesSymmetries stores symmetric blocks once, and keeps groups small enough.
func TestRestUsesSymmetries(t *testing.T) {
	for name, want := range map[string]bool{"plain": false, "symmetric": true, "twins": true} {
		s, err := NewEndgame(endgames()[name])
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Symmetries.Len() > 1; got != want {
			t.Errorf("%s: %d symmetries of the masks", name, s.Symmetries.Len())
		}
	}
	s, err := NewEndgame(MarkingGame{Name: "notakto", Size: 8, Cells: 40, Lines: []uint64{1<<20 - 1, (1<<20 - 1) << 20}})
	if err != nil || s.Symmetries.Len() > maxSymmetries {
		t.Errorf("40 cells on two lines have %d symmetries, %v", s.Symmetries.Len(), err)
	}
	if _, err := NewEndgame(MarkingGame{Name: "notakto", Size: 8, Cells: 64, Lines: bitboard.Lines(8)}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("64 cells: %v", err)
	}
}
