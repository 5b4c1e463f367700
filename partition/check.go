package partition

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"backsolve/bitboard"
	"backsolve/internal/bitslice"
)

const (
	maxMaskBits   = 32
	maxSymmetries = 255
)

// NewSpace returns a space. It refuses facts that the engine cannot solve, and a codec
// or a graph that contradicts them in the few blocks of each class that it tries. NewCut
// or the solve reports what only other blocks show, before a wrong value is kept.
func NewSpace(f Facts, c Codec, g Graph) (*Space, error) {
	s := &Space{f, c, g}
	return s, s.check()
}

// listedSpace returns the space of a listed game. It checks the facts alone, so that opening
// a table is fast. Tests check all listed games, and NewCut checks every space.
func listedSpace(f Facts, c Codec, g Graph) (*Space, error) {
	s := &Space{f, c, g}
	return s, s.firstError(s.checkFacts)
}

func (s *Space) check() error { return s.firstError(s.checkFacts, s.checkGroup, s.checkSize, s.try) }

// firstError returns the first error of checks, with the name of the space.
func (s *Space) firstError(checks ...func() error) error {
	for _, check := range checks {
		if err := check(); err != nil {
			return fmt.Errorf("the space of %s: %w", s.Board(), err)
		}
	}
	return nil
}

// checkFacts refuses numbers that the cut, its links and the table cannot hold, an unknown kind, and
// slices that are not fixed in a space of that kind.
func (s *Space) checkFacts() error {
	if s.MaskBits < 0 || s.MaskBits > maxMaskBits {
		return fmt.Errorf("%d mask bits are not 0 to %d", s.MaskBits, maxMaskBits)
	}
	if len(s.IndexBits) != s.MaskBits+1 {
		return fmt.Errorf("index bits are given for %d classes, not for %d", len(s.IndexBits), s.MaskBits+1)
	}
	for class, k := range s.IndexBits {
		if k < 0 || k > bitslice.MaxIndexBits {
			return fmt.Errorf("class %d has %d index bits, not 0 to %d", class, k, bitslice.MaxIndexBits)
		}
	}
	if s.Kind < FixedSlice || s.Kind > Cyclic {
		return fmt.Errorf("kind %d is not FixedSlice, Acyclic or Cyclic", s.Kind)
	}
	if least, most := slices.Min(s.IndexBits), slices.Max(s.IndexBits); s.Kind == FixedSlice && least != most {
		return fmt.Errorf("fixed slices have the same number of index bits in all classes, not %d to %d", least, most)
	}
	return nil
}

func (s *Space) checkGroup() error {
	if s.Symmetries == nil || s.Symmetries.Len() < 1 || s.Symmetries.Len() > maxSymmetries {
		return fmt.Errorf("a group of symmetries has 1 to %d elements; take a smaller one", maxSymmetries)
	}
	number := map[string]bool{}
	for _, p := range s.Symmetries.perms {
		sorted := slices.Sorted(slices.Values(p))
		for i, v := range sorted {
			if len(p) != s.MaskBits || int(v) != i {
				return fmt.Errorf("symmetry %v is not a permutation of %d mask bits", p, s.MaskBits)
			}
		}
		number[string(p)] = true
	}
	group := boundedGroup(s.Symmetries.perms, s.MaskBits)
	if len(group) != len(number) || slices.ContainsFunc(group, func(g bitboard.Perm) bool { return !number[string(g)] }) {
		return errors.New("the symmetries are not a group: they are not closed under composition")
	}
	return nil
}

func (s *Space) checkSize() error {
	var states float64
	most := int64(1) << blockBits(s.Symmetries.Len())
	for class, blocks := range BlockCounts(s) {
		if blocks > most {
			return fmt.Errorf("class %d has %d blocks, more than %d", class, blocks, most)
		}
		states += math.Ldexp(float64(s.Masks(class)), s.IndexBits[class])
	}
	if states >= maxStates {
		return fmt.Errorf("%.3g states are too many", states)
	}
	return nil
}

// try tests the first and the last block of each class.
func (s *Space) try() error {
	for class := range s.MaskBits + 1 {
		first := uint64(1)<<uint(class) - 1
		for _, mask := range []uint64{first, first << uint(s.MaskBits-class)} {
			mask, _ = s.Symmetries.Canonical(mask)
			for _, check := range []func(class int, mask uint64) error{s.tryCodec, s.tryTerminals, s.tryMoves} {
				if err := check(class, mask); err != nil {
					return fmt.Errorf("class %d, mask %#x: %w", class, mask, err)
				}
			}
		}
	}
	return nil
}

func (s *Space) tryCodec(class int, mask uint64) error {
	last := uint32(1)<<uint(s.IndexBits[class]) - 1
	for _, index := range []uint32{0, last, last & 0x55555555} {
		p := s.Position(State{class, mask, index})
		if s.Taken&^p.X != 0 {
			return fmt.Errorf("the position of index %#x lacks taken cells", index)
		}
		if m := s.Mask(p); m != mask || s.Under(p, m, 0).Index != index {
			return fmt.Errorf("the position of index %#x has mask %#x and index %#x", index, m, s.Under(p, m, 0).Index)
		}
		if at := s.Locate(p); at.Class != class || at.Mask != mask || at.Index > last {
			return fmt.Errorf("the position of index %#x is located in class %d, mask %#x, index %#x", index, at.Class, at.Mask, at.Index)
		}
	}
	return nil
}

func (s *Space) tryTerminals(class int, mask uint64) error {
	var t Terminals
	s.Terminals(mask, &t)
	if err := s.CheckTerminals(&t); err != nil {
		return err
	}
	for _, c := range slices.Concat(t.Win, t.Lose, t.Draw) {
		if c.Care>>uint(s.IndexBits[class]) != 0 || c.Value&^c.Care != 0 {
			return fmt.Errorf("the terminal states %+v are not among those of %d index bits", c, s.IndexBits[class])
		}
	}
	return nil
}

// CheckTerminals refuses drawn terminal states in a space of fixed slices.
func (f *Facts) CheckTerminals(t *Terminals) error {
	if len(t.Draw) > 0 && f.Kind == FixedSlice {
		return errors.New("terminal states are drawn in a space with fixed slices, which cannot be drawn")
	}
	return nil
}

func (s *Space) tryMoves(class int, mask uint64) error {
	for _, m := range s.Moves(mask, nil) {
		if err := s.checkMove(class, m); err != nil {
			return err
		}
		canonical, g := s.Symmetries.Canonical(m.Child)
		im := s.Map(mask, m, canonical, g)
		if err := s.checkMap(class, bits.OnesCount64(m.Child), &im); err != nil {
			return fmt.Errorf("the index map of the move to mask %#x: %w", m.Child, err)
		}
		if s.Kind == FixedSlice && (im.One != 0 || im != s.Map(0, Move{}, 0, g)) {
			return fmt.Errorf("the index map of the move to mask %#x depends on more than the symmetry, in a space with fixed slices", m.Child)
		}
	}
	return nil
}

func (f *Facts) checkMove(class int, m Move) error {
	want := class + 1
	if m.Within {
		want = class
	}
	if m.Within && f.Kind != Cyclic {
		return fmt.Errorf("a move stays within class %d in a space that is not cyclic", class)
	}
	if m.Child>>uint(f.MaskBits) != 0 || bits.OnesCount64(m.Child) != want {
		return fmt.Errorf("a move out of class %d leads to mask %#x, not to one of class %d", class, m.Child, want)
	}
	return nil
}

// checkMap refuses an index map that does not lead from slices of the class to those of the child's class.
func (f *Facts) checkMap(class, child int, m *bitslice.IndexMap) error {
	if m.Dst != f.IndexBits[class] || m.Src != f.IndexBits[child] {
		return fmt.Errorf("it has %d index bits and %d of the child, not %d and %d", m.Dst, m.Src, f.IndexBits[class], f.IndexBits[child])
	}
	if m.Src != m.Dst && (m.Src != m.Dst+1 || m.One>>uint(m.Dst)&1 == 0) || m.One>>uint(m.Src) != 0 {
		return fmt.Errorf("it sets bits %#x, for %d index bits and %d of the child", m.One, m.Dst, m.Src)
	}
	var seen uint32
	for _, from := range m.From[:m.Src] {
		seen |= 1 << from
	}
	if uint64(seen) != 1<<uint(m.Src)-1 {
		return fmt.Errorf("%v is not a permutation of %d index bits", m.From[:m.Src], m.Src)
	}
	return nil
}
