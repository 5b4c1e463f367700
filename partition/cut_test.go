package partition

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/bitslice"
)

// boards are the boards of the tests of cuts.
var boards = []string{
	"notakto:1", "notakto:2", "notakto:3", "notakto:4", "notakto:5", "notakto:6",
	"notakto:1x3", "notakto:2x9", "notakto:12x1", "notakto:2x3", "notakto:3x5", "notakto:4x3", "notakto:4x4,no-diagonals", "notakto:3x3,torus", "notakto:4x4,torus",
	"notakto:4x4,normal", "notakto:5x5,torus,normal",
	"quixo:2", "quixo:3", "quixo:4", "quixo:2x5", "quixo:4x3", "quixo:3x3,both-win", "quixo:4x4,both-draw", "quixo:4x4,three",
	"tictactoe:2", "tictactoe:3", "tictactoe:4", "tictactoe:4x3", "tictactoe:3x5,three", "tictactoe:3x3,misere",
}

func eachBoard(t *testing.T, test func(t *testing.T, rules game.Grid, cut *Cut)) {
	for _, b := range boards {
		t.Run(strings.ReplaceAll(b, ":", "-"), func(t *testing.T) {
			if testing.Short() && b == "notakto:6" {
				t.Skip("large cut")
			}
			name, size, _, err := games.Named(b)
			if err != nil {
				t.Fatal(err)
			}
			rules, err := games.NewGrid(name, size)
			if err != nil {
				t.Fatal(err)
			}
			space, err := New(rules)
			if err != nil {
				t.Fatal(err)
			}
			test(t, rules, newCut(t, space))
		})
	}
}

func newCut(t *testing.T, space *Space) *Cut {
	cut, err := NewCut(space)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cut.Free)
	return cut
}

// randomPosition returns a uniformly random state of the game, X to move.
func randomPosition(r *rand.Rand, rules game.Grid) game.Position {
	var p game.Position
	for c := range rules.Rows() * rules.Cols() {
		switch r.IntN(rules.Marks() + 1) {
		case 1:
			p.X |= 1 << uint(c)
		case 2:
			p.O |= 1 << uint(c)
		}
	}
	return p
}

func (c *Cut) state(class, block int, index uint32) State {
	return State{class, c.Class(class).Masks[block], index}
}

func TestStatesAddUpToTheGame(t *testing.T) {
	eachBoard(t, func(t *testing.T, rules game.Grid, cut *Cut) {
		var states uint64
		for class := range cut.MaskBits + 1 {
			k := cut.Class(class)
			if !slices.IsSorted(k.Masks) {
				t.Errorf("class %d: masks are not in ascending order", class)
			}
			for _, images := range k.Images {
				states += uint64(images) << uint(k.IndexBits)
			}
		}
		if want := game.StateCount(rules.Info()).Uint64(); states != want {
			t.Errorf("blocks stand for %d states, the game has %d", states, want)
		}
	})
}

func TestCanonicalBlocksOfNotakto(t *testing.T) {
	for n, want := range map[int]int{4: 28, 5: 28, 6: 92385} {
		rules, _ := games.NewGrid("notakto", n)
		space, err := New(rules)
		if err != nil {
			t.Fatal(err)
		}
		cut, blocks := newCut(t, space), 0
		for class := range cut.MaskBits + 1 {
			blocks += len(cut.Class(class).Masks)
		}
		if blocks != want {
			t.Errorf("Notakto %d×%d: %d canonical blocks, want %d", n, n, blocks, want)
		}
	}
}

// rankAll has all cuts rank their masks.
func rankAll(t *testing.T) {
	before := mostUnranked
	t.Cleanup(func() { mostUnranked = before })
	mostUnranked = -1
}

// A cut lists the blocks of a class, and finds the blocks of its masks, on demand. What it
// forgets it finds again.
func TestCutOnDemand(t *testing.T) {
	rankAll(t)
	eachBoard(t, func(t *testing.T, _ game.Grid, cut *Cut) {
		if cut.MaskBits > 20 {
			t.Skip("seconds, and nothing new")
		}
		other := newCut(t, cut.Space)
		for class := range cut.MaskBits + 1 {
			if len(other.classes[class].Load().Masks) > 0 {
				t.Fatalf("class %d was listed before it was asked for", class)
			}
			if got, want := other.Blocks(class), len(cut.Class(class).Masks); got != want {
				t.Fatalf("class %d has %d blocks, want %d", class, got, want)
			}
		}
		for _, mask := range []uint64{0, uint64(len(cut.byMask) - 1)} {
			other.find(mask)
			for class := range other.classes {
				if placed := other.classes[class].Load().numbered.Load(); placed != (class == bits.OnesCount64(mask)) {
					t.Fatalf("after mask %#x was looked up, class %d is placed: %t", mask, class, placed)
				}
			}
			other.Keep(-2)
		}
		for class := range cut.MaskBits + 1 {
			if !reflect.DeepEqual(other.Class(class), cut.Class(class)) {
				t.Fatalf("class %d has other blocks once it was forgotten", class)
			}
		}
		for mask := range uint64(len(cut.byMask)) {
			block, g := other.find(mask)
			if image := cut.Symmetries.Image(g, mask); image != cut.Class(bits.OnesCount64(mask)).Masks[block] {
				t.Fatalf("mask %#x is taken to %#x, not to the mask of block %d", mask, image, block)
			}
		}
		for class := cut.MaskBits; class >= 0; class-- {
			other.Class(class)
			other.Keep(class)
			for i := range other.classes {
				if listed := len(other.classes[i].Load().Masks) > 0; listed != (i == class || i == class+1) {
					t.Fatalf("after Keep(%d), class %d is listed: %t", class, i, listed)
				}
			}
		}
		other.Keep(-2)
		if slices.ContainsFunc(other.byMask, func(at uint32) bool { return at != 0 }) {
			t.Fatal("masks of forgotten classes are placed")
		}
	})
}

// CutBytes is the length of what two neighbouring classes take.
func TestCutBytes(t *testing.T) {
	rankAll(t)
	eachBoard(t, func(t *testing.T, _ game.Grid, cut *Cut) {
		for downTo := range cut.MaskBits + 1 {
			var finding, listing int64
			for class := downTo; class <= cut.MaskBits; class++ {
				k, above := cut.Class(class), cut.Class(min(class+1, cut.MaskBits))
				finding = max(finding, 4*int64(cut.Masks(k.Class)+cut.Masks(above.Class)))
				listing = max(listing, 12*int64(len(k.Masks)+len(above.Masks)))
			}
			if f, l := CutBytes(cut.Space, downTo); f != finding || l != listing {
				t.Errorf("from class %d on %d and %d bytes are estimated, %d and %d taken", downTo, f, l, finding, listing)
			}
		}
	})
}

// The ranks of masks with the same number of one-bits ascend by ones, and the ranks of 32 bits fit in a word.
func TestRanking(t *testing.T) {
	var next [17]uint32
	for mask := range uint32(1 << 16) {
		ones := bits.OnesCount32(mask)
		if got := ranks().rankOf(mask); got != next[ones] {
			t.Fatalf("mask %#x has rank %d, want %d", mask, got, next[ones])
		}
		next[ones]++
	}
	rapid.Check(t, func(t *rapid.T) {
		mask, want, ones := rapid.Uint32().Draw(t, "mask"), new(big.Int), int64(0)
		for rest := mask; rest != 0; rest &= rest - 1 {
			ones++
			want.Add(want, new(big.Int).Binomial(int64(bits.TrailingZeros32(rest)), ones))
		}
		if got := ranks().rankOf(mask); want.Cmp(big.NewInt(int64(got))) != 0 {
			t.Fatalf("mask %#x has rank %d, want %v", mask, got, want)
		}
		if first := uint32(1)<<uint(ones) - 1; ranks().rankOf(first) != 0 {
			t.Fatalf("mask %#x has rank %d", first, ranks().rankOf(first))
		}
	})
}

// The largest boards have no more blocks, masks and states than the numbers of a cut count. Their fullest
// and their emptiest classes are numbered without those between.
func TestLargestBoards(t *testing.T) {
	for _, board := range []string{"quixo:4x7", "quixo:3x9", "quixo:2x12", "tictactoe:4x7", "tictactoe:7x4,misere,three"} {
		name, size, _, err := games.Named(board)
		if err != nil {
			t.Fatal(err)
		}
		rules, err := games.NewGrid(name, size)
		if err != nil {
			t.Fatal(err)
		}
		space, err := New(rules)
		if err != nil {
			t.Fatal(err)
		}
		cut := newCut(t, space)
		for _, class := range []int{0, 1, 2, space.MaskBits - 2, space.MaskBits - 1, space.MaskBits} {
			k, images := cut.Class(class), uint64(0)
			for block, mask := range k.Masks {
				images += uint64(k.Images[block])
				for g := range space.Symmetries.Len() {
					image := space.Symmetries.Image(g, mask)
					got, h := cut.find(image)
					if got != block || space.Symmetries.Image(h, image) != mask {
						t.Fatalf("%s: mask %#x belongs to block %d by %d, want block %d", board, image, got, h, block)
					}
				}
			}
			if images != space.Masks(class) || len(k.Masks) != cut.Blocks(class) {
				t.Errorf("%s, class %d: %d blocks stand for %d masks", board, class, len(k.Masks), images)
			}
		}
		if want := game.StateCount(rules.Info()); want.Cmp(new(big.Int).SetUint64(space.States())) != 0 {
			t.Errorf("%s has %d states, want %v", board, space.States(), want)
		}
		for class := range space.MaskBits + 1 {
			if blocks := cut.Blocks(class); blocks > 1<<cut.blockBits || uint64(blocks*space.Symmetries.Len()) < space.Masks(class) {
				t.Errorf("%s, class %d: %d blocks", board, class, blocks)
			}
		}
	}
}

// A position and the position of its state are images of each other, and all images of a position
// share a block.
func TestLocate(t *testing.T) {
	eachBoard(t, func(t *testing.T, rules game.Grid, cut *Cut) {
		r := rand.New(rand.NewPCG(1, 2))
		group := symmetriesOf(rules)
		for range 300 {
			p := randomPosition(r, rules)
			s := cut.Locate(p)
			class, block, index := cut.Find(p)
			found := cut.state(class, block, index)
			if found.Mask != s.Mask || found.Class != s.Class {
				t.Fatalf("%s: found in block %x of class %d, located in %x of %d",
					rules.Format(p), found.Mask, found.Class, s.Mask, s.Class)
			}
			for _, at := range []State{s, found} {
				if !isImage(group, p, cut.Position(at)) {
					t.Fatalf("%s: the position of %+v is no image of it", rules.Format(p), at)
				}
			}
			for _, g := range group {
				image := game.Position{X: g.Apply(p.X), O: g.Apply(p.O)}
				if at := cut.Locate(image); at.Mask != s.Mask {
					t.Fatalf("%s and its image %s are in different blocks", rules.Format(p), rules.Format(image))
				}
			}
			if p.O == 0 && p.X == 0 {
				continue
			}
			swapped := game.Position{X: p.O, O: p.X, Mark: game.O}
			if rules.Marks() == 2 && cut.Locate(swapped) != s {
				t.Fatalf("%s: exchanging colours and the side to move changes the state", rules.Format(p))
			}
		}
	})
}

// The numbering of a small space agrees with Locate and with the blocks of the cut.
func TestNumbering(t *testing.T) {
	eachBoard(t, func(t *testing.T, rules game.Grid, cut *Cut) {
		n := NewNumbering(cut.Space)
		if (n == nil) != (cut.MaskBits > maxNumbered) {
			t.Fatalf("%d mask bits: %v", cut.MaskBits, n)
		}
		if n == nil {
			return
		}
		for r, i := rand.New(rand.NewPCG(5, 6)), 0; i < 1000; i++ {
			p := randomPosition(r, rules)
			if i%2 == 1 {
				p = game.Position{X: p.O, O: p.X, Mark: game.O}
			}
			if rules.Marks() == 1 {
				p = game.Position{X: p.X | p.O}
			}
			s, block := n.Locate(p)
			if want := cut.Locate(p); s != want || cut.Class(s.Class).Masks[block] != s.Mask {
				t.Fatalf("%s: %+v in block %d, want %+v", rules.Format(p), s, block, want)
			}
			for g := range cut.Symmetries.Len() {
				mask := cut.Symmetries.Image(g, s.Mask)
				if got, want := n.Has(s.Class, block, mask), mask == s.Mask; got != want {
					t.Fatalf("block %d of class %d has the mask %#x: %t, want %t", block, s.Class, mask, got, want)
				}
			}
			if n.Has(s.Class+1, block, s.Mask) || n.Has(s.Class, block+1, s.Mask) || n.Has(s.Class, block, s.Mask|1<<cut.MaskBits) {
				t.Fatalf("the mask %#x of block %d of class %d has another place as well", s.Mask, block, s.Class)
			}
		}
	})
}

func isImage(group []bitboard.Perm, p, q game.Position) bool {
	return slices.ContainsFunc(group, func(g bitboard.Perm) bool {
		return g.Apply(p.X) == q.X && g.Apply(p.O) == q.O
	})
}

func TestStonesAndTerminals(t *testing.T) {
	eachBoard(t, func(t *testing.T, rules game.Grid, cut *Cut) {
		r := rand.New(rand.NewPCG(3, 4))
		for range 2000 {
			p := randomPosition(r, rules)
			s := cut.Locate(p)
			mover, other := cut.Stones(s.Class, bits.OnesCount32(s.Index))
			if mover != bits.OnesCount64(p.X) || other != bits.OnesCount64(p.O) {
				t.Fatalf("%s: %d and %d stones, want those of the position", rules.Format(p), mover, other)
			}
			var terminals Terminals
			cut.Terminals(s.Mask, &terminals)
			inside := func(cubes []bitslice.Cube) bool {
				return slices.ContainsFunc(cubes, func(c bitslice.Cube) bool { return s.Index&c.Care == c.Value })
			}
			outcome, over := rules.Terminal(p)
			won, lost, drawn := inside(terminals.Win), inside(terminals.Lose), inside(terminals.Draw)
			if won && lost {
				switch cut.Both {
				case BothLost:
					won = false
				case BothDrawn:
					won, lost, drawn = false, false, true
				}
			}
			lost = lost && !won
			drawn = drawn && !won && !lost
			if won != (over && outcome == game.Win) || lost != (over && outcome == game.Lose) || drawn != (over && outcome == game.Draw) {
				t.Fatalf("%s: in terminal cubes won %v lost %v drawn %v; the rules say %v %v", rules.Format(p), won, lost, drawn, over, outcome)
			}
		}
	})
}

// childrenByLinks returns the children of a state as the engine sees them.
func childrenByLinks(cut *Cut, s State, block int) []State {
	var children []State
	read := s.Index
	if cut.Kind == FixedSlice {
		for i := range uint(cut.IndexBits[s.Class]) {
			if s.Index>>i&1 == 0 {
				children = append(children, State{s.Class, s.Mask, s.Index | 1<<i})
			}
		}
	} else {
		read ^= 1<<uint(cut.IndexBits[s.Class]) - 1
	}
	for _, within := range []bool{false, true} {
		next := s.Class + 1
		if within {
			next = s.Class
		}
		for _, move := range cut.Moves(s.Mask, nil) {
			if move.Within != within {
				continue
			}
			child, g := cut.find(move.Child)
			canonical := cut.Class(next).Masks[child]
			m := cut.Map(s.Mask, move, canonical, g)
			if index, ok := m.Index(read); ok {
				children = append(children, State{next, canonical, index})
			}
		}
	}
	return children
}

// Links lead to the children of the rules, up to symmetry.
func TestLinksAreTheMoves(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector")
	}
	eachBoard(t, func(t *testing.T, rules game.Grid, cut *Cut) {
		r, group := rand.New(rand.NewPCG(5, 6)), symmetriesOf(rules)
		var moves []game.Move
		for range 1000 {
			p := randomPosition(r, rules)
			if _, over := rules.Terminal(p); over {
				continue
			}
			class, block, index := cut.Find(p)
			s := cut.state(class, block, index)
			got := map[game.Position]bool{}
			for _, child := range childrenByLinks(cut, s, block) {
				got[leastImage(group, rules, cut.Position(child))] = true
			}
			want := map[game.Position]bool{}
			moves = rules.Moves(moves[:0], p)
			for _, m := range moves {
				q := rules.Play(p, m)
				want[leastImage(group, rules, game.Position{X: q.Mover(), O: q.Waiting()})] = true
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%s: links lead to %v, moves to %v", rules.Format(p), got, want)
			}
		}
	})
}

// symmetriesOf returns the group by which the cut of a board stores blocks once.
func symmetriesOf(rules game.Grid) []bitboard.Perm {
	size := game.Size(rules.Size())
	switch {
	case rules.Name() != "notakto":
		return bitboard.SquareGroup(rules.Size())
	case size.Rows() == size.Cols() && !size.Has(bitboard.NoDiagonals) && !size.Has(bitboard.Torus):
		return bitboard.LineGroup(size.Rows())
	}
	return new(oneMark).cutColumns(size)
}

func leastImage(group []bitboard.Perm, rules game.Grid, p game.Position) game.Position {
	if rules.Marks() == 1 {
		p = game.Position{X: p.X | p.O}
	}
	least := p
	for _, g := range group {
		q := game.Position{X: g.Apply(p.X), O: g.Apply(p.O)}
		if q.X < least.X || q.X == least.X && q.O < least.O {
			least = q
		}
	}
	return least
}

func TestTooLarge(t *testing.T) {
	for name, n := range map[string]int{"quixo": 6, "notakto": 8, "tictactoe": 6} {
		rules, err := games.NewGrid(name, n)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(rules); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s %d: %v, want it to be too large", name, n, err)
		}
	}
}

// Every game has a space, or the error for games without one.
func TestEveryGameHasASpace(t *testing.T) {
	for _, g := range games.All() {
		err := Solvable(g.New(max(3, g.MinSize)).Info())
		if HasTables(g.Name) == errors.Is(err, ErrNoTables) {
			t.Errorf("%s has tables: %t, but %v", g.Name, HasTables(g.Name), err)
		}
		if !HasTables(g.Name) {
			continue
		}
		rules, err := games.NewGrid(g.Name, 3)
		if err == nil {
			_, err = New(rules)
		}
		if err != nil {
			t.Errorf("%s: %v", g.Name, err)
		}
	}
	for name := range spaces {
		if _, err := games.Lookup(name); err != nil {
			t.Error(err)
		}
	}
}

func BenchmarkNewCut(b *testing.B) {
	rules, _ := games.NewGrid("notakto", 6)
	space, _ := New(rules)
	for b.Loop() {
		cut, err := NewCut(space)
		if err != nil {
			b.Fatal(err)
		}
		cut.Free()
	}
}

func BenchmarkLocate(b *testing.B) {
	for _, board := range []struct {
		game string
		n    int
	}{{"notakto", 6}, {"quixo", 4}} {
		rules, _ := games.NewGrid(board.game, board.n)
		space, _ := New(rules)
		var positions [1024]game.Position
		r := rand.New(rand.NewPCG(1, 1))
		for i := range positions {
			positions[i] = randomPosition(r, rules)
		}
		name, i := fmt.Sprintf("%s-%d", board.game, board.n), 0
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				space.Locate(positions[i%len(positions)])
				i++
			}
		})
		n := NewNumbering(space)
		if n == nil {
			continue
		}
		b.Run(name+"/numbered", func(b *testing.B) {
			for b.Loop() {
				n.Locate(positions[i%len(positions)])
				i++
			}
		})
	}
}

func BenchmarkNewSpace(b *testing.B) {
	for name, n := range map[string]int{"notakto": 7, "quixo": 5} {
		rules, _ := games.NewGrid(name, n)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := New(rules); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// extractSlowly is extract bit by bit.
func extractSlowly(v, mask uint64) uint32 {
	var packed uint32
	for i := uint(0); mask != 0; i++ {
		packed |= uint32(v>>uint(bits.TrailingZeros64(mask))&1) << (i & 31)
		mask &= mask - 1
	}
	return packed
}

// extract agrees with extractSlowly.
func TestExtract(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for i := range 20000 {
		v, mask := r.Uint64(), r.Uint64()&r.Uint64() // of about 16 bits
		if i%2 == 0 {
			v, mask = v&(1<<16-1), r.Uint64()&(1<<16-1)
		}
		if bits.OnesCount64(mask) > 32 {
			continue
		}
		if got, want := extract(v, mask), extractSlowly(v, mask); got != want {
			t.Fatalf("extract(%#x, %#x) = %#x, want %#x", v, mask, got, want)
		}
	}
}
