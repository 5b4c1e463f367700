package zero

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"backsolve/bitboard"
	"backsolve/game"
)

// The views agree with the rules in positions of random games, and all images of a position have
// its state and its moves.
func TestViewsOfQuixoAndUltimateTicTacToe(t *testing.T) {
	r := rand.New(rand.NewPCG(38, 6))
	for _, c := range []struct {
		game             string
		n, inputs, moves int
	}{{"quixo", 3, 18, 20}, {"quixo", 4, 32, 32}, {"quixo", 5, 50, 44}, {"uttt", 9, 405, 81}} {
		rules := newRules(t, c.game, c.n)
		for _, group := range []Group{NoGroup, SquareGroup} {
			v := newView(t, rules, Encoding{Canonical: group})
			if v.Inputs() != c.inputs || v.Actions() != c.moves {
				t.Fatalf("%v: %d inputs and %d actions", rules.Info(), v.Inputs(), v.Actions())
			}
			for range 10 {
				for _, p := range randomGame(rules, r) {
					checkState(t, rules, v, p)
				}
			}
		}
	}
}

// Every image of a state has the same outcome and the state's actions, each of which leads to an
// image of the same state; the canonical view has one state for all.
func TestImages(t *testing.T) {
	r := rand.New(rand.NewPCG(38, 7))
	for _, c := range []struct {
		game string
		n    int
	}{{"quixo", 4}, {"uttt", 9}, {"notakto", 4}, {"othello", 4}} {
		rules := newRules(t, c.game, c.n)
		v, canonical := newView(t, rules, Encoding{Canonical: SquareGroup}), Encoding{Canonical: SquareGroup}
		images, ok := v.(Symmetric)
		if !ok || images.Images() != len(bitboard.SquareGroup(c.n)) {
			t.Fatalf("%v has no images", rules.Info())
		}
		least := newView(t, rules, canonical)
		for range 4 {
			for _, p := range randomGame(rules, r) {
				s, _ := newView(t, rules, Encoding{}).Of(p)
				want, _ := least.Of(p)
				for element := range images.Images() {
					image, action := images.Image(s, element)
					if back, _ := images.Image(image, 0); back != image {
						t.Fatalf("the first symmetry moves %v to %v", image, back)
					}
					var expected []int16
					for _, a := range v.Legal(nil, s) {
						expected = append(expected, action(a))
						if got, want := v.Play(image, int(action(a))), v.Play(s, int(a)); got != want {
							t.Fatalf("%s by %d: %d leads to %v, want %v", rules.Format(p), element, a, got, want)
						}
					}
					slices.Sort(expected)
					if got := v.Legal(nil, image); !slices.Equal(got, expected) {
						t.Fatalf("%s by %d: actions %v, want %v", rules.Format(p), element, got, expected)
					}
					if element > 0 && image == s {
						continue
					}
					if o, over := v.Terminal(image); over {
						if w, _ := v.Terminal(want); w != o {
							t.Fatalf("%s by %d ends in %v, want %v", rules.Format(p), element, o, w)
						}
					}
				}
			}
		}
	}
}

// Boards are drawn from all: on 2×2 each of the 21 open states comes up as often.
func TestRandomBoards(t *testing.T) {
	rules := newRules(t, "quixo", 2)
	v := newView(t, rules, Encoding{}).(*pushing)
	r, counts := rand.New(rand.NewPCG(38, 8)), map[State]int{}
	const each = 400
	for range 21 * each {
		counts[v.Random(r)]++
	}
	for s, n := range counts {
		if n < each*7/10 || n > each*13/10 {
			t.Errorf("%v comes up %d times of %d", s, n, each)
		}
	}
	if len(counts) != 21 {
		t.Errorf("%d states, want 21", len(counts))
	}
}

// A kept tree has what was found after a move, and a search continues there.
func TestAdvance(t *testing.T) {
	rules := newRules(t, "quixo", 3)
	v := newView(t, rules, Encoding{Canonical: SquareGroup})
	even := Evaluation{Logits: make([]float32, v.Actions())}
	tree := NewTree(v, Search{Constant: 1, Proved: true, Discount: 0.9, Keep: true})
	search := func(simulations int) {
		for range simulations {
			if _, decided := tree.Decided(); decided {
				return
			}
			if _, evaluate := tree.Select(); evaluate {
				tree.Expand(even)
			}
		}
	}
	tree.Reset(v.Start())
	search(300)
	for _, e := range tree.edgesOf(&tree.nodes[0]) {
		child := tree.nodes[e.child]
		for _, f := range tree.edgesOf(&child) {
			if f.child == 0 {
				continue
			}
			kept, before := NewTree(v, tree.options), tree.nodes[f.child]
			kept.nodes, kept.edges = slices.Clone(tree.nodes), slices.Clone(tree.edges)
			if !kept.Advance(before.state) {
				t.Fatal("what lies behind two moves is not found")
			}
			// The first of equal states is found.
			if root := kept.nodes[0]; root.state != before.state || root.kind == fresh != (before.kind == fresh) {
				t.Fatalf("%+v, want %+v", root, before)
			}
			reached := 1
			for i := range kept.nodes {
				for _, g := range kept.edgesOf(&kept.nodes[i]) {
					if g.child != 0 {
						reached++
						if kept.nodes[g.child].state != v.Play(kept.nodes[i].state, int(g.action)) {
							t.Fatal("an edge leads elsewhere")
						}
					}
				}
			}
			if reached != len(kept.nodes) {
				t.Fatalf("%d nodes of %d are reached", reached, len(kept.nodes))
			}
		}
	}
	if tree.Advance(State{1, 2, 3}) || tree.nodes[0].state != v.Start() {
		t.Error("the tree advances to what it does not know")
	}
	// What is proved is played to its end in as many plies, whatever the loser does.
	r, proofs := rand.New(rand.NewPCG(38, 9)), 0
	for range 60 {
		s := v.(*pushing).Random(r)
		tree.Reset(s)
		search(300)
		if tree.nodes[0].kind != decided {
			continue
		}
		proofs++
		for plies := tree.nodes[0].plies; ; plies-- {
			if _, over := v.Terminal(s); over {
				break
			}
			if root := tree.nodes[0]; root.kind != decided || root.plies > plies {
				t.Fatalf("%d plies are left of a proof, want at most %d", root.plies, plies)
			}
			action := tree.Best()
			if tree.nodes[0].value < 0 {
				legal := v.Legal(nil, s)
				action = int(legal[r.IntN(len(legal))])
			}
			if s = v.Play(s, action); !tree.Advance(s) {
				t.Fatal("a proof does not have all replies")
			}
		}
	}
	if proofs < 30 {
		t.Errorf("only %d of 60 are proved", proofs)
	}
}

// A win is worth less the later it comes, and a proof counts its length; of proved wins the
// soonest is played.
func TestDiscount(t *testing.T) {
	// Who moves in 2 and 4 has lost: 0 wins by 1 in three plies and by 2 in one.
	v := &sketch{
		moves: map[uint64][]uint64{0: {1, 2}, 1: {3}, 3: {4}, 2: {}},
		ends:  map[uint64]game.Outcome{2: game.Lose, 4: game.Lose},
		says:  map[uint64]Evaluation{1: {0, []float32{0, 0}}, 3: {0, []float32{0, 0}}},
	}
	for _, c := range []struct {
		first uint64
		says  []float32
		want  float32
		best  int
	}{{0, []float32{0, 3}, 0.9, 1}, {0, []float32{9, 0}, 0.729, 0}, {1, nil, -0.81, 0}} {
		if c.says != nil {
			v.says[0] = Evaluation{Logits: c.says}
		}
		tree := NewTree(v, Search{Constant: 1, Proved: true, Discount: 0.9})
		tree.Reset(State{c.first})
		simulate(t, tree, 20)
		if value, decided := tree.Decided(); !decided || math.Abs(float64(value-c.want)) > 1e-6 || tree.Best() != c.best {
			t.Errorf("%+v: %v, %t, move %d", c, value, decided, tree.Best())
		}
	}
}
