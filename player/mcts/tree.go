package mcts

import (
	"math"
	"slices"

	"backsolve/game"
	"backsolve/search"
)

// node is what UCB1 asks of a state. It is kept apart from all else because each
// iteration looks at hundreds of them.
type node struct {
	// value is 1 − w/n and spread 1/√n: with the parent's √(2 ln N) they make up
	// the bound without a division.
	value, spread float64
	visits        uint32 // n
	points        uint32 // 2w: a win of the state's player is 2, a draw 1
}

// account is the rest of what is known of a state.
type account[S comparable] struct {
	state S
	first int    // where its edges begin or, as it has none where the game is over, ^outcome
	seen  int32  // the last iteration that came by
	tried uint16 // edges that lead to a node; they come first
	edges uint16 // edges, 0 as long as they have not been laid
}

// ended says whether the game is over and how.
func (a *account[S]) ended() (game.Outcome, bool) { return game.Outcome(^a.first), a.first < 0 }

// edge is a move. Of several that lead to one state there is only one edge left
// once they are tried.
type edge struct {
	child  int32 // its node, if tried
	visits uint32
	move   game.Move
}

// tree is the graph of one search, with its root in node 0. All of it lies in
// slices that serve one search after another.
type tree[S comparable] struct {
	core      search.Rules[S]
	playout   func(s S, r *search.Rand) game.Outcome
	scale     float64 // of the bound's second part: C/√2
	rand      search.Rand
	nodes     []node
	accounts  []account[S]
	edges     []edge
	index     index[S]
	iteration int32 // the number of iterations, those that were kept included
	path      []int32
	moves     []game.Move
	spare     struct { // what keep has copied from
		nodes    []node
		accounts []account[S]
		edges    []edge
	}
}

func newTree[S comparable](core search.Rules[S], seed uint64) *tree[S] {
	return &tree[S]{core: core, playout: core.Playout, scale: 1, index: index[S]{core: core}, rand: search.NewRand(seed)}
}

// reset begins a tree of one node that was never visited.
func (t *tree[S]) reset(root S) {
	t.nodes, t.accounts, t.edges = t.nodes[:0], t.accounts[:0], t.edges[:0]
	t.iteration = 0
	t.index.reset(0)
	_, slot := t.index.find(t.accounts, root)
	t.add(root, slot)
}

// add adds the node of a state that has none, in the slot where it was sought.
func (t *tree[S]) add(s S, slot int) int32 {
	a := account[S]{state: s}
	if outcome, over := t.core.Terminal(s); over {
		a.first = ^int(outcome)
	}
	t.nodes = append(t.nodes, node{})
	t.accounts = append(t.accounts, a)
	t.index.put(t.accounts, int32(len(t.accounts)-1), slot)
	return int32(len(t.nodes) - 1)
}

// tried returns the edges of a node that lead to nodes.
func (t *tree[S]) tried(v int32) []edge {
	a := &t.accounts[v]
	return t.edges[max(a.first, 0):][:a.tried]
}

// iterate goes down to a new node, or to one where the game is over, and enters
// the result in all nodes on the way.
func (t *tree[S]) iterate() {
	t.iteration++
	t.path = t.path[:0]
	v, fresh := int32(0), false
	for {
		a := &t.accounts[v]
		if a.seen == t.iteration {
			t.enter(game.Draw)
			return
		}
		a.seen = t.iteration
		t.path = append(t.path, v)
		if outcome, over := a.ended(); over {
			t.enter(outcome)
			return
		}
		if fresh {
			t.enter(t.playout(a.state, &t.rand))
			return
		}
		e := t.expand(v)
		if fresh = e >= 0; !fresh {
			e = t.choose(v)
		}
		t.edges[e].visits++
		v = t.edges[e].child
	}
}

// enter counts a visit of each node on the path. The outcome is that for the
// player to move in the last one.
func (t *tree[S]) enter(outcome game.Outcome) {
	points := uint32(1)
	switch outcome {
	case game.Win:
		points = 2
	case game.Lose:
		points = 0
	}
	for i := len(t.path) - 1; i >= 0; i-- {
		n := &t.nodes[t.path[i]]
		n.visits++
		n.points += points
		visits := float64(n.visits)
		n.value = 1 - float64(n.points)/(2*visits)
		n.spread = 1 / math.Sqrt(visits)
		points = 2 - points
	}
}

// choose returns the edge of greatest bound, the one tried first where there are
// several. All edges have been tried. The product is rounded before it is added
// so that equal bounds are equal on every processor.
func (t *tree[S]) choose(v int32) int {
	first := t.accounts[v].first
	factor := t.scale * exploration(t.nodes[v].visits)
	best, greatest := 0, math.Inf(-1)
	nodes := t.nodes
	for i, e := range t.tried(v) {
		n := &nodes[e.child]
		if bound := n.value + float64(factor*n.spread); bound > greatest {
			best, greatest = i, bound
		}
	}
	return first + best
}

// exploration returns √(2 ln N) for N visits, and 0 for none: a node that was
// never visited has a choice only where all of its moves lead back to the way.
func exploration(visits uint32) float64 {
	if visits < uint32(len(explorations)) {
		return explorations[visits]
	}
	return math.Sqrt(2 * math.Log(float64(visits)))
}

// explorations spares most nodes the logarithm.
var explorations = func() (table [1 << 10]float64) {
	for visits := 2; visits < len(table); visits++ {
		table[visits] = math.Sqrt(2 * math.Log(float64(visits)))
	}
	return table
}()

// expand tries the moves of a node until one leads to a new node, and returns
// its edge; it returns −1 where all moves have been tried. Those that lead to
// nodes that are there count as visited.
func (t *tree[S]) expand(v int32) int {
	a := &t.accounts[v]
	if a.edges == 0 {
		t.lay(v)
	}
	for a.tried < a.edges {
		edges := t.edges[a.first:][:a.edges]
		next := int(a.tried)
		drawn := next + t.rand.Below(len(edges)-next)
		edges[next], edges[drawn] = edges[drawn], edges[next]
		after := t.core.Play(a.state, edges[next].move)
		child, slot := t.index.find(t.accounts, after)
		if child < 0 {
			a.tried++
			edges[next].child = t.add(after, slot)
			return a.first + next
		}
		if slices.ContainsFunc(edges[:next], func(e edge) bool { return e.child == child }) {
			a.edges--
			edges[next] = edges[a.edges]
			continue
		}
		edges[next].child = child
		a.tried++
	}
	return -1
}

// lay appends the edges of a node, none of them tried.
func (t *tree[S]) lay(v int32) {
	a := &t.accounts[v]
	t.moves = t.core.Moves(t.moves[:0], a.state)
	a.first, a.edges = len(t.edges), uint16(len(t.moves))
	for _, m := range t.moves {
		t.edges = append(t.edges, edge{move: m})
	}
}
