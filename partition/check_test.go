package partition

import (
	"slices"
	"strings"
	"testing"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/bitslice"
)

// liar is the codec and the graph of a space with one thing wrong.
type liar struct {
	Codec
	Graph
	position  func(s State) game.Position
	terminals func(t *Terminals)
	mapped    func(m *bitslice.IndexMap)
}

func (l *liar) Position(s State) game.Position {
	if l.position != nil {
		return l.position(s)
	}
	return l.Codec.Position(s)
}

func (l *liar) Terminals(mask uint64, t *Terminals) {
	l.Graph.Terminals(mask, t)
	if l.terminals != nil {
		l.terminals(t)
	}
}

func (l *liar) Map(mask uint64, m Move, canonical uint64, g int) bitslice.IndexMap {
	im := l.Graph.Map(mask, m, canonical, g)
	if l.mapped != nil {
		l.mapped(&im)
	}
	return im
}

// NewSpace refuses what the engine cannot solve and what contradicts itself.
func TestNewSpaceRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		game  string
		n     int
		want  string
		spoil func(f *Facts, l *liar)
	}{
		"no kind":                    {"quixo", 3, "kind 0", func(f *Facts, _ *liar) { f.Kind = 0 }},
		"fixed slices that are not":  {"quixo", 3, "the same number of index bits", func(f *Facts, _ *liar) { f.Kind = FixedSlice }},
		"moves within a class":       {"quixo", 3, "stays within class", func(f *Facts, _ *liar) { f.Kind = Acyclic }},
		"no mask bits":               {"quixo", 3, "mask bits", func(f *Facts, _ *liar) { f.MaskBits = -1 }},
		"33 mask bits":               {"quixo", 3, "mask bits", func(f *Facts, _ *liar) { f.MaskBits = 33 }},
		"a class without index bits": {"quixo", 3, "for 9 classes", func(f *Facts, _ *liar) { f.IndexBits = f.IndexBits[1:] }},
		"32 index bits":              {"quixo", 3, "32 index bits", func(f *Facts, _ *liar) { f.IndexBits[4] = 32 }},
		"an index bit too many":      {"quixo", 3, "", func(f *Facts, _ *liar) { f.IndexBits[4]++ }},
		"no symmetries":              {"quixo", 3, "1 to 255", func(f *Facts, _ *liar) { f.Symmetries = nil }},
		"a group of 256":             {"quixo", 3, "1 to 255", func(f *Facts, _ *liar) { f.Symmetries = &Symmetries{perms: slices.Repeat(f.Symmetries.perms, 32)} }},
		"symmetries of other bits":   {"quixo", 3, "not a permutation", func(f *Facts, _ *liar) { f.Symmetries = NewSymmetries(bitboard.SquareGroup(2)) }},
		"a symmetry that maps twice": {"quixo", 3, "not a permutation", func(f *Facts, _ *liar) { f.Symmetries.perms[3][0] = f.Symmetries.perms[3][1] }},
		"half a group":               {"quixo", 3, "not a group", func(f *Facts, _ *liar) { f.Symmetries = NewSymmetries(f.Symmetries.perms[:5]) }},
		"too many blocks": {"quixo", 5, "more than 268435456", func(f *Facts, _ *liar) {
			*f = manyBlocks(32, 0)
			f.Symmetries = NewSymmetries(slices.Repeat(f.Symmetries.perms, 8))
		}},
		"too many states":          {"quixo", 5, "are too many", func(f *Facts, _ *liar) { *f = manyBlocks(32, 31); f.Symmetries = NewSymmetries(dihedral(32)) }},
		"cells that are not taken": {"notakto", 4, "lacks taken cells", func(f *Facts, _ *liar) { f.Taken = 1 << 5 }},
		"another position":         {"notakto", 4, "has mask", func(_ *Facts, l *liar) { l.position = func(State) game.Position { return game.Position{} } }},
		"terminal states outside": {"notakto", 4, "not among those", func(_ *Facts, l *liar) {
			l.terminals = func(t *Terminals) { t.Win = append(t.Win, bitslice.Cube{Care: 1 << 9}) }
		}},
		"an empty cube": {"notakto", 4, "not among those", func(_ *Facts, l *liar) {
			l.terminals = func(t *Terminals) { t.Lose = append(t.Lose, bitslice.Cube{Value: 1}) }
		}},
		"drawn terminals": {"notakto", 4, "cannot be drawn", func(_ *Facts, l *liar) { l.terminals = func(t *Terminals) { t.Draw = append(t.Draw, bitslice.Cube{}) } }},
		"a map that maps twice": {"quixo", 3, "not a permutation", func(_ *Facts, l *liar) {
			l.mapped = func(m *bitslice.IndexMap) { m.From[0] = m.From[max(m.Src, 1)-1]; m.From[max(m.Src, 1)-1] = m.From[0] }
		}},
		"a map of other slices":       {"quixo", 3, "index bits", func(_ *Facts, l *liar) { l.mapped = func(m *bitslice.IndexMap) { m.Src++ } }},
		"a map that sets no bit":      {"quixo", 3, "sets bits 0x0", func(_ *Facts, l *liar) { l.mapped = func(m *bitslice.IndexMap) { m.One = 0 } }},
		"a fixed map that sets a bit": {"notakto", 4, "more than the symmetry", func(_ *Facts, l *liar) { l.mapped = func(m *bitslice.IndexMap) { m.One = 1 } }},
	} {
		t.Run(name, func(t *testing.T) {
			rules, err := games.NewGrid(c.game, c.n)
			if err != nil {
				t.Fatal(err)
			}
			space, err := New(rules)
			if err != nil {
				t.Fatal(err)
			}
			l := &liar{Codec: space.Codec, Graph: space.Graph}
			if _, err := NewSpace(space.Facts, l, l); err != nil {
				t.Fatalf("before anything is wrong: %v", err)
			}
			c.spoil(&space.Facts, l)
			_, err = NewSpace(space.Facts, l, l)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want an error that says %q", err, c.want)
			}
		})
	}
}

// manyBlocks returns the facts of a space without symmetries.
func manyBlocks(maskBits, indexBits int) Facts {
	return Facts{Kind: FixedSlice, MaskBits: maskBits, IndexBits: slices.Repeat([]int{indexBits}, maskBits+1),
		Symmetries: NewSymmetries([]bitboard.Perm{bitboard.Identity(maskBits)})}
}

// dihedral returns the symmetries of a ring.
func dihedral(n int) (group []bitboard.Perm) {
	for shift := range n {
		for _, way := range []int{1, n - 1} {
			p := make(bitboard.Perm, n)
			for i := range p {
				p[i] = uint8((i*way + shift) % n)
			}
			group = append(group, p)
		}
	}
	return group
}

// New refuses a space that does not fit the rules.
func TestNewComparesWithTheRules(t *testing.T) {
	rules, _ := games.NewGrid("quixo", 3)
	space, err := New(rules)
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(s *Space){
		"states": func(s *Space) { s.IndexBits = append(slices.Clone(s.IndexBits[:9]), 8) },
		"game":   func(s *Space) { s.Game = "notakto" },
		"size":   func(s *Space) { s.Size = 4 },
		"taken":  func(s *Space) { s.Taken = 1 },
	} {
		other := *space
		spoil(&other)
		if other.checkRules(rules) == nil {
			t.Errorf("a space with other %s passes", name)
		}
	}
}

// The spaces of the listed games pass all checks, on every board and after moves.
func TestKnownSpaces(t *testing.T) {
	for name, makers := range spaces {
		for n := makers.min; n*n <= makers.cells; n++ {
			s, err := makers.new(n, 0)
			if err == nil {
				err = s.check()
			}
			if err != nil {
				t.Errorf("%s %d: %v", name, n, err)
			}
			if !makers.goesOn {
				continue
			}
			for _, taken := range []uint64{1, 1 << (n * n / 2), 1<<(n*n-1) | 1} {
				s, err := makers.new(n, taken)
				if err == nil {
					err = s.check()
				}
				if err != nil {
					t.Errorf("%s %d after %#x: %v", name, n, taken, err)
				}
			}
		}
	}
}
