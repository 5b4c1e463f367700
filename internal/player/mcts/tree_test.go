package mcts

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/internal/probe/probetest"
	"backsolve/internal/search"
)

// TestWorkedExample follows seven iterations through a graph of these moves:
//
//	0 → 1, 2    1 → 3    2 → 3, 7    3 → 6    6 → 0    7 is lost for its player
//
// so that 3 has two parents and 6 leads back. Written here is w of n for each
// node, w from its own player's view, and what UCB1 says of 0's children.
//
//	iteration   way         ends with   0       1       2       3       6       7
//	1, 2        0 1         1 loses     1/2     0/1     1/1
//	            0 2         2 wins
//	3           0 1 3       3 wins      2/3     0/2     1/1     1/1                  1: 1 + 1.177   2: 0 + 1.177
//	4           0 1 3 6     a draw      2.5/4   0.5/3   1/1     1.5/2   0.5/1        1: 1 + 1.048   2: 0 + 1.482
//	5           0 1 3 6 0   a draw      3/5     1/4     1/1     2/3     1/2          1: 0.833 + 0.961   2: 0 + 1.665
//	6           0 2 7       7 has lost  3/6     1/4     2/2     2/3     1/2     0/1  1: 0.75 + 0.897   2: 0 + 1.794
//	7           0 1 3 6 0   a draw      3.5/7   1.5/5   2/2     2.5/4   1.5/3   0/1  1: 0.75 + 0.947   2: 0 + 1.339
func TestWorkedExample(t *testing.T) {
	want := map[uint64][2]float64{0: {3.5, 7}, 1: {1.5, 5}, 2: {2, 2}, 3: {2.5, 4}, 6: {1.5, 3}, 7: {0, 1}}
	for seed := range uint64(20) { // the order of first visits must not matter
		g := &scripted{
			children: map[uint64][]uint64{0: {1, 2}, 1: {3}, 2: {3, 7}, 3: {6}, 6: {0}},
			over:     map[uint64]game.Outcome{7: game.Lose},
			playouts: map[uint64][]game.Outcome{1: {game.Lose}, 2: {game.Win}, 3: {game.Win}, 6: {game.Draw}},
		}
		tree := newTree(g, seed)
		tree.reset(search.Masks{})
		for range 7 {
			tree.iterate()
		}
		got := map[uint64][2]float64{}
		for v, a := range tree.details {
			got[a.state.Mover] = [2]float64{float64(tree.nodes[v].points) / 2, float64(tree.nodes[v].visits)}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("seed %d: w and n are %v, want %v", seed, got, want)
		}
		for _, e := range tree.tried(0) {
			if number := []uint32{5, 2}[e.move.To]; e.visits != number {
				t.Errorf("seed %d: move %d was chosen %d times, want %d", seed, e.move.To, e.visits, number)
			}
		}
	}
}

// TestDeadEnds searches where every move leads back along the path: there is nothing to expand,
// and everything is a draw.
func TestDeadEnds(t *testing.T) {
	tree := newTree(&scripted{children: map[uint64][]uint64{0: {0, 0}}}, 1)
	tree.reset(search.Masks{})
	for range 10 {
		tree.iterate()
	}
	if n := tree.nodes[0]; n.visits != 10 || n.points != 10 || len(tree.nodes) != 1 {
		t.Errorf("%+v of %d nodes", n, len(tree.nodes))
	}
	if edges := tree.tried(0); len(edges) != 1 || edges[0].visits != 10 {
		t.Errorf("the edges are %v; two moves to one state are one", edges)
	}
}

// twin is the search written down as plainly as can be, with a map of nodes. It
// draws the same numbers as a tree does.
type twin[S comparable] struct {
	core  search.Rules[S]
	rand  search.Rand
	nodes map[S]*twinNode[S]
	all   bool // states of playouts become nodes
}

type twinNode[S comparable] struct {
	state     S
	n, w      float64
	expanded  bool
	untried   []game.Move
	moves     []game.Move // tried ones, each with its child and visits
	children  []*twinNode[S]
	chosen    []int
	onThisWay bool
}

func (t *twin[S]) node(s S) (n *twinNode[S], fresh bool) {
	if n, ok := t.nodes[s]; ok {
		return n, false
	}
	n = &twinNode[S]{state: s}
	t.nodes[s] = n
	return n, true
}

// visit makes an iteration from a node and returns what its player won.
func (t *twin[S]) visit(n *twinNode[S], fresh bool) (won float64) {
	if n.onThisWay {
		return 0.5
	}
	n.onThisWay = true
	outcome, over := t.core.Terminal(n.state)
	if !over && fresh && !t.all {
		outcome = t.core.Playout(n.state, &t.rand)
	}
	switch {
	case !over && fresh && t.all:
		won = 1 - t.walk(t.random(n))
	case over || fresh:
		won = map[game.Outcome]float64{game.Win: 1, game.Draw: 0.5, game.Lose: 0}[outcome]
	default:
		i, fresh := t.next(n)
		n.chosen[i]++
		won = 1 - t.visit(n.children[i], fresh)
	}
	n.onThisWay = false
	n.n++
	n.w += won
	return won
}

// random returns a random child.
func (t *twin[S]) random(n *twinNode[S]) *twinNode[S] {
	moves := t.core.Moves(nil, n.state)
	child, _ := t.node(t.core.Play(n.state, moves[t.rand.Below(len(moves))]))
	return child
}

// walk plays at random from a node and returns what its player won. The games of the test are
// short enough not to need longestPath.
func (t *twin[S]) walk(n *twinNode[S]) (won float64) {
	if outcome, over := t.core.Terminal(n.state); over {
		won = map[game.Outcome]float64{game.Win: 1, game.Draw: 0.5, game.Lose: 0}[outcome]
	} else {
		won = 1 - t.walk(t.random(n))
	}
	n.n++
	n.w += won
	return won
}

// next returns the move to follow.
func (t *twin[S]) next(n *twinNode[S]) (i int, fresh bool) {
	if !n.expanded {
		n.expanded, n.untried = true, t.core.Moves(nil, n.state)
	}
	for len(n.untried) > 0 {
		drawn := t.rand.Below(len(n.untried))
		m := n.untried[drawn]
		n.untried[drawn] = n.untried[0]
		child, fresh := t.node(t.core.Play(n.state, m))
		if slices.Contains(n.children, child) {
			last := len(n.untried) - 1
			n.untried[0] = n.untried[last] // so that the order is that of the tree
			n.untried = n.untried[:last]
			continue
		}
		n.untried = n.untried[1:]
		n.moves, n.children, n.chosen = append(n.moves, m), append(n.children, child), append(n.chosen, 0)
		if fresh {
			return len(n.children) - 1, true
		}
	}
	best := math.Inf(-1)
	for k, c := range n.children {
		if bound := 1 - c.w/c.n + math.Sqrt(2*math.Log(n.n)/c.n); bound > best {
			i, best = k, bound
		}
	}
	return i, false
}

func TestTwin(t *testing.T) {
	for _, board := range []struct {
		name string
		n    int
	}{{"quixo", 2}, {"quixo", 3}, {"quixo", 4}, {"notakto", 3}, {"notakto", 4}, {"notakto", 5}} {
		t.Run(fmt.Sprintf("%s-%d", board.name, board.n), func(t *testing.T) {
			rules := probetest.Rules(t, board.name, board.n)
			checkTwin(t, search.New(rules), func(t *rapid.T) search.Masks { return drawState(t, rules) })
		})
	}
}

// checkTwin compares searches from the states that draw returns with the twin's.
func checkTwin[S comparable](t *testing.T, core search.Rules[S], draw func(t *rapid.T) S) {
	rapid.Check(t, func(t *rapid.T) {
		root, seed := draw(t), rapid.Uint64().Draw(t, "seed")
		fast := newTree(core, seed)
		fast.reset(root)
		fast.all = rapid.Bool().Draw(t, "all")
		slow := &twin[S]{core, search.NewRand(seed), map[S]*twinNode[S]{}, fast.all}
		top, _ := slow.node(root)
		for range rapid.SampledFrom([]int{1, 5, 60, 400, 1500}).Draw(t, "iterations") {
			fast.iterate()
			slow.visit(top, false)
		}
		compareTrees(t, fast, slow)
	})
}

// drawState draws a state that is not over.
func drawState(t *rapid.T, rules game.Grid) search.Masks {
	return rapid.Custom(func(t *rapid.T) search.Masks {
		all := bitboard.All(rules.Size())
		marked := rapid.Uint64().Draw(t, "marked") & all
		if rapid.Bool().Draw(t, "sparse") {
			marked &= rapid.Uint64().Draw(t, "more")
		}
		if rules.Marks() == 1 {
			return search.Masks{Mover: marked}
		}
		mover := rapid.Uint64().Draw(t, "mover") & marked
		return search.Masks{Mover: mover, Waiting: marked &^ mover}
	}).Filter(func(s search.Masks) bool {
		_, over := search.New(rules).Terminal(s)
		return !over
	}).Draw(t, "state")
}

func compareTrees[S comparable](t *rapid.T, fast *tree[S], slow *twin[S]) {
	if len(fast.nodes) != len(slow.nodes) {
		t.Fatalf("%d nodes, the twin has %d", len(fast.nodes), len(slow.nodes))
	}
	for v, a := range fast.details {
		want := slow.nodes[a.state]
		n := fast.nodes[v]
		if want == nil || float64(n.visits) != want.n || float64(n.points) != 2*want.w {
			t.Fatalf("%v: %+v, the twin has %+v", a.state, n, want)
		}
		edges := fast.tried(int32(v))
		if len(edges) != len(want.moves) {
			t.Fatalf("%v: %d moves were tried, by the twin %d", a.state, len(edges), len(want.moves))
		}
		for i, e := range edges {
			if e.move != want.moves[i] || int(e.visits) != want.chosen[i] {
				t.Fatalf("%v: move %v was chosen %d times, by the twin %v %d times", a.state, e.move, e.visits, want.moves[i], want.chosen[i])
			}
		}
	}
}

func TestExploration(t *testing.T) {
	for _, visits := range []uint32{1, 2, 3, 1023, 1024, 1025, 1 << 30} {
		if got, want := exploration(visits), math.Sqrt(2*math.Log(float64(visits))); got != want {
			t.Errorf("after %d visits %v, not %v", visits, got, want)
		}
	}
	if got := exploration(0); got != 0 {
		t.Errorf("after no visit %v", got)
	}
}

func TestIndex(t *testing.T) {
	core := search.New(probetest.Rules(t, "notakto", 3))
	rapid.Check(t, func(t *rapid.T) {
		x := index[search.Masks]{core: core}
		x.reset(0)
		var details []detail[search.Masks]
		nodes := map[search.Masks]int32{}
		few := rapid.Uint64Range(0, 60)
		for range rapid.SampledFrom([]int{3, 100, 511, 512, 513, 2000}).Draw(t, "number") {
			s := search.Masks{Mover: few.Draw(t, "mover"), Waiting: few.Draw(t, "waiting") << 20}
			want, ok := nodes[s]
			if !ok {
				want = -1
			}
			got, slot := x.find(details, s)
			if got != want {
				t.Fatalf("%v has node %d, found is %d", s, want, got)
			}
			if !ok {
				nodes[s] = int32(len(details))
				details = append(details, detail[search.Masks]{state: s})
				x.put(details, nodes[s], slot)
			}
		}
	})
}
