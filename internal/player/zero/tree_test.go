package zero

import (
	"math"
	"testing"

	"backsolve/game"
)

// sketch is a made-up game of seven states: the moves of each, the outcomes of terminal
// ones, and a network's evaluations.
type sketch struct {
	View
	moves map[uint64][]uint64
	ends  map[uint64]game.Outcome
	says  map[uint64]Evaluation
}

func (v *sketch) Terminal(s State) (game.Outcome, bool) {
	o, over := v.ends[s[0]]
	return o, over
}

func (v *sketch) Legal(buf []int16, s State) []int16 {
	for i := range v.moves[s[0]] {
		buf = append(buf, int16(i))
	}
	return buf
}

func (v *sketch) Play(s State, action int) State { return State{v.moves[s[0]][action]} }

// drawn is
//
//	      0
//	.75 /   \ .25
//	   1     2           the network says .5 of 1, −.2 of 2 and .9 of 5
//	   |  .5/ \.5
//	   3   4   5         who moves in 3 and 4 has won
//	           |
//	           6         who moves in 6 has lost
var drawn = &sketch{
	moves: map[uint64][]uint64{0: {1, 2}, 1: {3}, 2: {4, 5}, 5: {6}},
	ends:  map[uint64]game.Outcome{3: game.Win, 4: game.Win, 6: game.Lose},
	says: map[uint64]Evaluation{
		0: {0, []float32{float32(math.Log(3)), 0}}, 1: {0.5, []float32{7, 0}}, 2: {-0.2, []float32{1, 1}}, 5: {0.9, []float32{0, 0}},
	},
}

// simulate makes simulations, and returns the states in which they end; it ends where the
// root is decided.
func simulate(t *testing.T, tree *Tree, simulations int) (leaves []uint64) {
	t.Helper()
	for range simulations {
		if _, decided := tree.Decided(); decided {
			break
		}
		if s, evaluate := tree.Select(); evaluate {
			leaves = append(leaves, s[0])
			tree.Expand(tree.view.(*sketch).says[s[0]])
		} else {
			last := tree.path[len(tree.path)-1]
			leaves = append(leaves, tree.nodes[tree.edges[last.edge].child].state[0])
		}
	}
	return leaves
}

// want is a move of the root after a search.
type want struct {
	visits int
	q      float64
	share  float32
}

func checkRoot(t *testing.T, tree *Tree, leaves, wantLeaves []uint64, wants ...want) {
	t.Helper()
	if len(leaves) != len(wantLeaves) {
		t.Fatalf("simulations end in %v, want %v", leaves, wantLeaves)
	}
	for i := range leaves {
		if leaves[i] != wantLeaves[i] {
			t.Fatalf("simulations end in %v, want %v", leaves, wantLeaves)
		}
	}
	visits := tree.Visits(nil)
	if len(visits) != len(wants) {
		t.Fatalf("%d moves, want %d", len(visits), len(wants))
	}
	sum, total := 0, 0.0
	for _, w := range wants {
		sum, total = sum+w.visits, total+float64(w.visits)*w.q
	}
	if sum > 0 && math.Abs(float64(tree.Mean())-total/float64(sum)) > 1e-6 {
		t.Errorf("the visits are worth %v on the mean, want %v", tree.Mean(), total/float64(sum))
	}
	for i, v := range visits {
		e := tree.edgesOf(&tree.nodes[0])[i]
		q := 0.0
		if e.visits > 0 {
			q = e.total / float64(e.visits)
		}
		if v.Count != wants[i].visits || math.Abs(q-wants[i].q) > 1e-6 || math.Abs(float64(v.Share-wants[i].share)) > 1e-6 {
			t.Errorf("move %d: %d visits of worth %v, share %v; want %+v", i, v.Count, q, v.Share, wants[i])
		}
	}
}

// With c = 1, worked out by hand: the scores of the root's moves are
//
//	ΣN = 0: equal, and .75 is more probable than .25              → 1 (−.5)
//	ΣN = 1: −.5 + .75·1/2 = −.125      0 + .25·1/1 = .25          → 2 (.2)
//	ΣN = 2: −.5 + .75·1.414/2 = .030   .2 + .25·1.414/2 = .377    → 2, there equal → 4 (1)
//	ΣN = 3: −.5 + .75·1.732/2 = .150   .6 + .25·1.732/3 = .744    → 2: −1 + .5/2 < 0 + .5 → 5 (.9)
//	ΣN = 4: −.5 + .75·2/2 = .25        .7 + .25·2/4 = .825        → 2: −1 + .354 < −.9 + .354 → 5 → 6 (1)
func TestTreeByHand(t *testing.T) {
	tree := NewTree(drawn, Search{Constant: 1})
	tree.Reset(State{0})
	leaves := simulate(t, tree, 6)
	checkRoot(t, tree, leaves, []uint64{0, 1, 2, 4, 5, 6}, want{1, -0.5, 0.2}, want{4, 3.1 / 4, 0.8})
	if tree.Best() != 1 {
		t.Error("the most visited move is not the best")
	}
	if _, decided := tree.Decided(); decided {
		t.Error("the root is proved, which was not asked for")
	}
}

// With c₁ = .25 and c₂ = 1 the factor is .25 + log(ΣN + 2):
//
//	ΣN = 1: −.5 + .75·1.349/2 = .006    .25·1.349 = .337          → 2
//	ΣN = 2: −.5 + .75·2.314/2 = .368    .2 + .25·2.314/2 = .489   → 2 → 4
//	ΣN = 3: −.5 + .75·3.221/2 = .708    .6 + .25·3.221/3 = .868   → 2: −1 + .337 < .674 → 5
//	ΣN = 4: −.5 + .75·4.084/2 = 1.031   .7 + .25·4.084/4 = .955   → 1 → 3 (1)
func TestTreeByFormula(t *testing.T) {
	tree := NewTree(drawn, Search{C1: 0.25, C2: 1})
	tree.Reset(State{0})
	leaves := simulate(t, tree, 6)
	checkRoot(t, tree, leaves, []uint64{0, 1, 2, 4, 5, 3}, want{2, 0.25, 0.4}, want{3, 0.7, 0.6})
}

// Proofs are backed up: 6 is lost, so 5 is won; with 4 also won, 2 is lost, and the root is won
// by the move to it.
func TestTreeProves(t *testing.T) {
	tree := NewTree(drawn, Search{Constant: 1, Proved: true})
	tree.Reset(State{0})
	leaves := simulate(t, tree, 100)
	checkRoot(t, tree, leaves, []uint64{0, 1, 2, 4, 5, 6}, want{1, -0.5, 0}, want{4, 3.1 / 4, 1})
	if value, decided := tree.Decided(); !decided || value != 1 {
		t.Errorf("the root is worth %v, %t", value, decided)
	}
}

// Moves that lose at once are not searched, and a state that has no others is lost: so 1
// is, and is no leaf to be evaluated.
func TestTreeKeepsToKeyStates(t *testing.T) {
	tree := NewTree(drawn, Search{Constant: 1, KeyStates: true})
	tree.Reset(State{0})
	leaves := simulate(t, tree, 3)
	checkRoot(t, tree, leaves, []uint64{0, 1, 1}, want{2, 1, 1}, want{0, 0, 0})
	tree.Reset(State{2})
	if visits := tree.Visits(nil); len(visits) != 1 || visits[0].Action != 1 {
		t.Errorf("%+v", visits)
	}
	tree.Reset(State{1})
	if value, decided := tree.Decided(); !decided || value != -1 || !tree.Over() || tree.Best() != 0 {
		t.Errorf("state 1 is worth %v, %t", value, decided)
	}
}

// Only moves that win at once are searched where there are some: they share alike, and nothing is
// evaluated.
func TestTreeWinsAtOnce(t *testing.T) {
	tree := NewTree(&sketch{
		moves: map[uint64][]uint64{0: {1, 2, 3, 4, 5}},
		ends:  map[uint64]game.Outcome{1: game.Draw, 2: game.Lose, 3: game.Win, 4: game.Lose, 5: game.Draw},
	}, Search{Constant: 1, KeyStates: true, Discount: 0.9})
	tree.Reset(State{0})
	if value, decided := tree.Decided(); !decided || value != 0.9 || tree.Best() != 1 {
		t.Errorf("the root is worth %v, %t, by move %d", value, decided, tree.Best())
	}
	if v := tree.Visits(nil); len(v) != 2 || v[0].Action != 1 || v[0].Share != 0.5 || v[1].Action != 3 || v[1].Share != 0.5 {
		t.Errorf("%+v", v)
	}
	tree = NewTree(drawn, Search{Constant: 1, KeyStates: true, Discount: 0.9})
	tree.Reset(State{1})
	if value, decided := tree.Decided(); !decided || value != -0.9 {
		t.Errorf("a state whose moves lose at once is worth %v, %t", value, decided)
	}
}

// Noise replaces a share of the priors by the draws, which are divided by their sum.
func TestNoise(t *testing.T) {
	for _, c := range []struct{ draws, want []float64 }{{[]float64{3, 1}, []float64{0.75, 0.25}}, {[]float64{0, 0}, nil}} {
		tree := NewTree(drawn, Search{Constant: 1})
		tree.Reset(State{0})
		simulate(t, tree, 1)
		before := tree.Visits(nil)
		i := 0
		if c.want != nil {
			tree.AddNoise(0.5, func() float64 { return 1 }) // what comes next replaces it
		}
		tree.AddNoise(0.25, func() float64 { i++; return c.draws[i-1] })
		for i, v := range tree.Visits(nil) {
			want := float64(before[i].Prior)
			if c.want != nil {
				want = 0.75*want + 0.25*c.want[i]
			}
			if math.Abs(float64(v.Prior)-want) > 1e-6 {
				t.Errorf("%v: prior %d is %v, want %v", c.draws, i, v.Prior, want)
			}
		}
	}
}

// Where each move is visited once before the formula decides, and that has hardly more than
// Q by its constants: 1, then 2, though Q is 0 there until it is visited; then 2 again, at
// .2 against −.5, and in it 4 and at last 5, though 4 comes first and is as probable.
func TestTreeVisitsEachOnce(t *testing.T) {
	tree := NewTree(drawn, Search{C2: 1e11, EachOnce: true})
	tree.Reset(State{0})
	leaves := simulate(t, tree, 5)
	checkRoot(t, tree, leaves, []uint64{0, 1, 2, 4, 5}, want{1, -0.5, 0.25}, want{3, 0.7, 0.75})
}

func TestCheckSearch(t *testing.T) {
	if err := DefaultSearch(100).Check(); err != nil {
		t.Error(err)
	}
	for _, o := range []Search{{}, {Simulations: -1, C2: 1}, {C1: math.NaN(), C2: 1}, {C2: 1, Constant: -1}, {Simulations: MaxSimulations + 1, C2: 1}, {C2: 1, Graph: true, Keep: true}} {
		if err := o.Check(); err == nil {
			t.Errorf("%+v is a way to search", o)
		}
	}
}
