package partition

import (
	"slices"
	"testing"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/bitslice"
)

// halvable are games of Notakto that have halves, after some marked cells.
var halvable = []struct {
	n            int
	taken, along uint64
}{{1, 0, 1}, {3, 0, 1 << 4}, {5, 0, 1 << 12}, {5, 1, 1 << 24}, {7, 0, 1 << 24}}

func halvesOf(t *testing.T, n int, taken uint64) (*Space, Halves) {
	t.Helper()
	rules, err := games.NewGrid("notakto", n)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewAfter(rules, taken)
	if err != nil {
		t.Fatal(err)
	}
	h, ok := Halve(s)
	if !ok {
		t.Fatalf("notakto %d after %#x is not cut in halves", n, taken)
	}
	return s, h
}

// The halves have the states, terminal states and index maps of the space.
func TestHalvesAreTheSpace(t *testing.T) {
	for _, b := range halvable {
		s, h := halvesOf(t, b.n, b.taken)
		if h.Cells != b.along {
			t.Errorf("n = %d: cut along %#x, not %#x", b.n, h.Cells, b.along)
		}
		if h.Set.States()+h.Clear.States() != s.States() {
			t.Errorf("n = %d: %d and %d states of %d", b.n, h.Set.States(), h.Clear.States(), s.States())
		}
		for value, of := range []*Space{h.Clear, h.Set} {
			if err := of.check(); err != nil {
				t.Fatal(err)
			}
			for class := range s.MaskBits + 1 {
				compareHalf(t, s, of, &h, class, value)
			}
		}
	}
}

// compareHalf compares a half with the space in the least block of a class.
func compareHalf(t *testing.T, s, of *Space, h *Halves, class, value int) {
	t.Helper()
	mask, _ := s.Symmetries.Canonical(uint64(1)<<uint(class) - 1)
	var whole, part Terminals
	s.Terminals(mask, &whole)
	of.Terminals(mask, &part)
	k := of.IndexBits[class]
	states := uint32(1) << uint(k)
	for i := uint32(0); i < states; i += states/256 + 1 {
		p := of.Position(State{class, mask, i})
		if p.X&h.Cells != uint64(value)*h.Cells {
			t.Fatalf("half %d: index %#x has the cells %#x", value, i, p.X)
		}
		at := s.Locate(p)
		if got := of.Locate(p); got.Mask != at.Mask || s.Position(State{class, mask, withBit(i, h.Bit, value)}) != p {
			t.Fatalf("half %d: index %#x is at %+v, in the space at %+v", value, i, got, at)
		}
		mover, _ := s.Stones(class, bitsOf(withBit(i, h.Bit, value)))
		if halfMover, _ := of.Stones(class, bitsOf(i)); halfMover != mover {
			t.Fatalf("half %d: %d stones at index %#x, not %d", value, halfMover, i, mover)
		}
		if in(part.Win, i) != in(whole.Win, withBit(i, h.Bit, value)) {
			t.Fatalf("half %d: index %#x is terminal: %v", value, i, in(part.Win, i))
		}
		for g := class % 5; g < s.Symmetries.Len(); g += 5 {
			m, w := of.Map(mask, Move{}, mask, g), s.Map(mask, Move{}, mask, g)
			from, _ := m.Index(i)
			want, _ := w.Index(withBit(i, h.Bit, value))
			if withBit(from, h.Bit, value) != want {
				t.Fatalf("half %d, symmetry %d: index %#x comes from %#x", value, g, i, from)
			}
		}
	}
}

// withBit inserts a bit into an index, one bit at a time.
func withBit(index uint32, bit, value int) (with uint32) {
	for b := range 31 {
		switch {
		case b < bit:
			with |= index >> uint(b) & 1 << uint(b)
		case b == bit:
			with |= uint32(value) << uint(b)
		default:
			with |= index >> uint(b-1) & 1 << uint(b)
		}
	}
	return with
}

func bitsOf(index uint32) (n int) {
	for ; index != 0; index &= index - 1 {
		n++
	}
	return n
}

func in(cubes []bitslice.Cube, index uint32) bool {
	return slices.ContainsFunc(cubes, func(c bitslice.Cube) bool { return index&c.Care == c.Value })
}

// The cuts of both halves have the same blocks, and the links of the space.
func TestCutsOfHalves(t *testing.T) {
	s, h := halvesOf(t, 5, 0)
	whole, err := NewCut(s)
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Free()
	set, clear, err := h.Cuts()
	if err != nil {
		t.Fatal(err)
	}
	defer set.Free()
	for class := range s.MaskBits + 1 {
		for _, c := range []*Cut{set, clear} {
			if !slices.Equal(c.Class(class).Masks, whole.Class(class).Masks) || c.Class(class).IndexBits != whole.Class(class).IndexBits-1 {
				t.Errorf("class %d has other blocks", class)
			}
		}
	}
	if p := (game.Position{X: h.Cells | 1}); set.Locate(p).Class != 0 || clear.Taken != 0 || set.Taken != h.Cells {
		t.Errorf("taken are %#x and %#x", set.Taken, clear.Taken)
	}
}

// Not every space has halves.
func TestHalveRefuses(t *testing.T) {
	for _, b := range []struct {
		game string
		n    int
	}{{"notakto", 4}, {"notakto", 6}, {"quixo", 3}, {"tictactoe", 3}} {
		rules, err := games.NewGrid(b.game, b.n)
		if err != nil {
			t.Fatal(err)
		}
		s, err := New(rules)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := Halve(s); ok {
			t.Errorf("%s %d is cut in halves", b.game, b.n)
		}
	}
}
