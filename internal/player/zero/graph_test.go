package zero

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"backsolve/game"
	"backsolve/internal/search"
)

// crossing is
//
//	  0
//	 / \
//	1   2      the network says .2 of 1 and 2, −.5 of 3
//	 \ /
//	  3 → 1    a move of 3 leads back to 1
//	  |
//	  4        who moves in 4 has lost
var crossing = &sketch{
	moves: map[uint64][]uint64{0: {1, 2}, 1: {3}, 2: {3}, 3: {1, 4}},
	ends:  map[uint64]game.Outcome{4: game.Lose},
	says: map[uint64]Evaluation{
		0: {0, []float32{0, 0}}, 1: {0.2, []float32{0, 0}}, 2: {0.2, []float32{0, 0}}, 3: {-0.5, []float32{0, 0}},
	},
}

// With c = 1, worked out by hand: the scores of the root's moves are
//
//	ΣN = 0: equal                                                     → 1 (.2)
//	ΣN = 1: −.2 + .5·1/2 = .05          0 + .5·1/1 = .5               → 2 (.2)
//	ΣN = 2: equal                                                     → 1 → 3 (−.5)
//	ΣN = 3: −.35 + .5·1.732/3 = −.061   −.2 + .5·1.732/2 = .233       → 2 → 3 → 1 → 3, a draw
//	ΣN = 4: −.7/3 + .5·2/3 = .1         −.1 + .5·2/3 = .233           → 2 → 3: .233·(−1) + .25 < .5 → 4
//
// So 3 is won, 2 is lost, and the root is won.
func TestGraphByHand(t *testing.T) {
	tree := NewTree(crossing, Search{Constant: 1, Proved: true, Graph: true})
	for range 2 { // what was found is forgotten
		tree.Reset(State{0})
		leaves := simulate(t, tree, 100)
		checkRoot(t, tree, leaves, []uint64{0, 1, 2, 3, 3, 4}, want{2, -0.35, 0}, want{3, 0.8 / 3, 1})
		if value, decided := tree.Decided(); !decided || value != 1 || tree.Best() != 1 || len(tree.nodes) != 5 {
			t.Errorf("the root is worth %v, %t, by move %d, of %d nodes", value, decided, tree.Best(), len(tree.nodes))
		}
	}
	// From 1 the first simulation through 3 comes back to the root.
	tree.Reset(State{1})
	leaves := simulate(t, tree, 3)
	checkRoot(t, tree, leaves, []uint64{1, 3, 1}, want{2, 0.25, 1})
}

// plain is a search in a graph by recursion and maps, with the constant 1.
type plain struct {
	of     *sketch
	visits map[[2]uint64]float64 // of each move of a state
	total  map[uint64]float64    // of each state that is evaluated
}

func (p *plain) simulate(s uint64, path []uint64) (value float64, leaf uint64) {
	if o, over := p.of.ends[s]; over {
		return float64(search.Sign(o)), s
	}
	if slices.Contains(path, s) {
		return 0, s
	}
	if _, ok := p.total[s]; !ok {
		p.total[s] = float64(p.of.says[s].Value)
		return p.total[s], s
	}
	path = append(path, s)
	moves, greatest, best := p.of.moves[s], math.Inf(-1), 0
	odds, all := 0.0, p.all(s)
	for i := range moves {
		odds += math.Exp(float64(p.of.says[s].Logits[i]))
	}
	for i, to := range moves {
		n, prior := p.visits[[2]uint64{s, uint64(i)}], math.Exp(float64(p.of.says[s].Logits[i]))/odds
		score := prior * math.Sqrt(all) / (1 + n)
		if o, over := p.of.ends[to]; over && n > 0 {
			score -= float64(search.Sign(o))
		} else if n > 0 && !slices.Contains(path, to) {
			score -= p.total[to] / (1 + p.all(to))
		}
		if score > greatest || all == 0 && score == greatest && p.of.says[s].Logits[i] > p.of.says[s].Logits[best] {
			greatest, best = score, i
		}
	}
	value, leaf = p.simulate(moves[best], path)
	p.visits[[2]uint64{s, uint64(best)}]++
	p.total[s] -= value
	return -value, leaf
}

// all returns the visits of all moves of a state.
func (p *plain) all(s uint64) (sum float64) {
	for i := range p.of.moves[s] {
		sum += p.visits[[2]uint64{s, uint64(i)}]
	}
	return sum
}

// Graphs of random moves, values and ends, with cycles, give the results of a plain search, and
// their proofs are valid.
func TestRandomGraphs(t *testing.T) {
	r := rand.New(rand.NewPCG(38, 11))
	for range 200 {
		const states, ends = 12, 4
		v := &sketch{moves: map[uint64][]uint64{}, ends: map[uint64]game.Outcome{}, says: map[uint64]Evaluation{}}
		for s := range uint64(states) {
			if s >= states-ends {
				v.ends[s] = []game.Outcome{game.Win, game.Lose, game.Draw}[r.IntN(3)]
				continue
			}
			v.says[s] = Evaluation{2*r.Float32() - 1, []float32{r.Float32(), r.Float32(), r.Float32()}}
			for range 1 + r.IntN(3) {
				v.moves[s] = append(v.moves[s], uint64(r.IntN(states)))
			}
		}
		tree := NewTree(v, Search{Constant: 1, Graph: true})
		tree.Reset(State{0})
		slow := &plain{v, map[[2]uint64]float64{}, map[uint64]float64{}}
		for i, leaf := range simulate(t, tree, 100) {
			if _, want := slow.simulate(0, nil); leaf != want {
				t.Fatalf("%+v: simulation %d ends in %d, want %d", v.moves, i, leaf, want)
			}
		}
		tree = NewTree(v, Search{Constant: 1, Graph: true, Proved: true})
		tree.Reset(State{0})
		simulate(t, tree, 100)
		for i := range tree.nodes {
			checkProof(t, tree, &tree.nodes[i])
		}
	}
}

// Where nothing is met again, a graph is searched as a tree is.
func TestGraphOfTree(t *testing.T) {
	tree := NewTree(drawn, Search{Constant: 1, Graph: true})
	tree.Reset(State{0})
	leaves := simulate(t, tree, 6)
	checkRoot(t, tree, leaves, []uint64{0, 1, 2, 4, 5, 6}, want{1, -0.5, 0.2}, want{4, 3.1 / 4, 0.8})
}

// Every state is one node, every proof in a graph follows from its moves, and more is proved than
// in trees, most by searching one ply ahead.
func TestGraphProves(t *testing.T) {
	v := newView(t, newRules(t, "quixo", 3), Encoding{Canonical: SquareGroup})
	even := Evaluation{Logits: make([]float32, v.Actions())}
	var proved [3]int
	for i, o := range []Search{{}, {Graph: true}, {Graph: true, KeyStates: true}} {
		o.Constant, o.Proved, o.Discount = 1, true, 0.9
		tree := NewTree(v, o)
		r := rand.New(rand.NewPCG(38, 10))
		for range 60 {
			tree.Reset(v.(*pushing).Random(r))
			for range 200 {
				if _, decided := tree.Decided(); decided {
					proved[i]++
					break
				}
				if _, evaluate := tree.Select(); evaluate {
					tree.Expand(even)
				}
			}
			states := map[State]bool{}
			for at := range tree.nodes {
				n := &tree.nodes[at]
				if o.Graph && states[n.state] || n.passed {
					t.Fatalf("%+v is there again", n)
				}
				states[n.state] = true
				checkProof(t, tree, n)
			}
		}
	}
	if proved[0] < 20 || proved[1] <= proved[0] || proved[2] <= proved[1] {
		t.Errorf("%d are proved in trees, graphs, and by looking a ply ahead", proved)
	}
}

// checkProof derives the worth of a node from the states that its moves lead to.
func checkProof(t *testing.T, tree *Tree, n *node) {
	t.Helper()
	visits, all := int32(0), true
	soonest, latest := int32(0), int32(1)
	searched := map[int16]bool{}
	for _, e := range tree.edgesOf(n) {
		visits += e.visits
		searched[e.action] = true
		child := &tree.nodes[e.child]
		switch {
		case e.child == 0 || child.kind != decided:
			all = false
		case child.value < 0 && (soonest == 0 || child.plies+1 < soonest):
			soonest = child.plies + 1
		case child.value > 0:
			latest = max(latest, child.plies+1)
		}
		if e.child != 0 && child.state != tree.view.Play(n.state, int(e.action)) {
			t.Fatalf("a move of %+v leads elsewhere", n)
		}
	}
	if n.visits != visits {
		t.Fatalf("%d visits of the moves of %+v", visits, n)
	}
	if _, over := tree.view.Terminal(n.state); over || n.kind != decided {
		return
	}
	for _, a := range tree.view.Legal(nil, n.state) {
		if outcome, over := tree.view.Terminal(tree.view.Play(n.state, int(a))); !searched[a] && (!over || outcome != game.Win) && n.value < 1 {
			t.Fatalf("move %d of %+v is not searched", a, n)
		}
	}
	if won := soonest > 0; won != (n.value > 0) || !won && (!all || n.value < 0 && n.plies != latest) || won && n.plies < soonest {
		t.Fatalf("%+v: soonest %d, latest %d, all %t", n, soonest, latest, all)
	}
}
