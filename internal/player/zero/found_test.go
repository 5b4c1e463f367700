package zero

import (
	"math"
	"slices"
	"testing"

	"backsolve/game"
	"backsolve/internal/search"
)

// tempting is a game in which a network is sure of a move that draws, and wrong of one that wins:
//
//	      0
//	.999/   \ .001
//	   1     2      1 is drawn; the network says that who moves in 2 has all but won
//	         |
//	         3      who moves in 3 has won
var tempting = &sketch{
	moves: map[uint64][]uint64{0: {1, 2}, 2: {3}},
	ends:  map[uint64]game.Outcome{1: game.Draw, 3: game.Win},
	says:  map[uint64]Evaluation{0: {0, []float32{float32(math.Log(999)), 0}}, 2: {0.9, []float32{0, 0}}},
}

// A draw that is proved is left alone, so that what is better is found beside it. The shares are by
// hand: the move to 2 seems worse than the draw until it is proved, and so its visits are the draw's.
func TestProvedDrawIsLeftAlone(t *testing.T) {
	search := func(proved bool, simulations int) (*Tree, []uint64) {
		tree := NewTree(tempting, Search{Constant: 1, Proved: proved})
		tree.Reset(State{0})
		return tree, simulate(t, tree, simulations)
	}
	tree, leaves := search(true, 3)
	if value, decided := tree.Decided(); decided || !slices.Equal(leaves, []uint64{0, 1, 2}) {
		t.Errorf("simulations end in %v, and the root is worth %v, %t", leaves, value, decided)
	}
	if v := tree.Visits(nil); v[0].Count != 1 || v[0].Share != 1 || v[1].Count != 1 || v[1].Share != 0 || tree.Best() != 0 {
		t.Errorf("%+v", v)
	}
	tree, _ = search(true, 4)
	if value, decided := tree.Decided(); !decided || value != 1 || tree.Best() != 1 {
		t.Errorf("the root is worth %v, %t, best is %d", value, decided, tree.Best())
	}
	if tree, leaves = search(false, 500); slices.Contains(leaves, 2) || tree.Best() != 0 {
		t.Errorf("without proofs 2 is looked at, too: %v", leaves)
	}
}

// The draw has its own visit and the one of the move to 2, which seems worse; the move to 3 seems
// better, and has its own.
func TestSharesBesideAProvedDraw(t *testing.T) {
	tree := NewTree(&sketch{
		moves: map[uint64][]uint64{0: {1, 2, 3}, 2: {4}, 3: {5}},
		ends:  map[uint64]game.Outcome{1: game.Draw, 4: game.Win, 5: game.Win},
		says:  map[uint64]Evaluation{0: {0, []float32{0, 0, 0}}, 2: {0.9, []float32{0, 0, 0}}, 3: {-0.8, []float32{0, 0, 0}}},
	}, Search{Constant: 1, Proved: true})
	tree.Reset(State{0})
	leaves := simulate(t, tree, 4)
	checkRoot(t, tree, leaves, []uint64{0, 1, 2, 3}, want{1, 0, 2. / 3}, want{1, -0.9, 0}, want{1, 0.8, 1. / 3})
}

// A long enough search proves the value of a position, as it never revisits proven nodes, and its
// move keeps that value. Before that, shares are a distribution that gives nothing to a proven
// loss if there is another move.
func TestSearchEndsInAProof(t *testing.T) {
	rules := newRules(t, "tictactoe", 3)
	w := newWeights(t, "tictactoe", 3, Encoding{Canonical: SquareGroup})
	w.Search.Proved = true
	a := newAgent(t, w, 50)
	m := a.acquireState()
	outcomes := map[game.Outcome]int{}
	for _, s := range some(rules, 5, 4000)[10:] { // not the first, whose trees are large
		if _, over := rules.Terminal(s); over {
			continue
		}
		state, move := a.view.Of(s)
		m.tree.Reset(state)
		for simulations := 0; ; simulations++ {
			if _, decided := m.tree.Decided(); decided {
				break
			}
			if simulations > 30_000 {
				t.Fatalf("%s is not proved", rules.Format(s))
			}
			if err := sideBySide(t.Context(), m.evaluator, []searching{{tree: m.tree, left: 1}}); err != nil {
				t.Fatal(err)
			}
			if simulations%7 == 0 {
				checkFound(t, m.tree)
			}
		}
		want := bestOf(rules, s)
		outcomes[want]++
		if value, _ := m.tree.Decided(); value != float32(search.Sign(want)) {
			t.Errorf("%s is proved to be worth %v, and is a %v", rules.Format(s), value, want)
		}
		if kept := bestOf(rules, rules.Play(s, move(m.tree.Best()))).Flip(); kept != want {
			t.Errorf("%s: a %v becomes a %v", rules.Format(s), want, kept)
		}
	}
	if outcomes[game.Draw] < 50 || outcomes[game.Win] < 50 || outcomes[game.Lose] < 50 {
		t.Errorf("%v", outcomes)
	}
}

// checkFound checks the results before the root is proved.
func checkFound(t *testing.T, tree *Tree) {
	t.Helper()
	sum, visits := 0.0, tree.Visits(nil)
	for i, v := range visits {
		sum += float64(v.Share)
		e := &tree.edgesOf(&tree.nodes[0])[i]
		if _, decided := tree.Decided(); !decided && tree.proved(e, 1) && v.Share != 0 && len(visits) > 1 {
			t.Fatalf("a loss that is proved has the share %v of %+v", v.Share, visits)
		}
		if tree.nodes[0].draws && v.Action == tree.Best() && !tree.proved(e, 0) && e.total <= 0 {
			t.Fatalf("what is no better than a proved draw is chosen: %+v", visits)
		}
	}
	if math.Abs(sum-1) > 1e-5 {
		t.Fatalf("shares add up to %v", sum)
	}
}
