package mcts

import (
	"math"
	"slices"

	"backsolve/game"
	"backsolve/internal/search"
)

// node holds what UCB1 reads of hundreds of nodes in each iteration, apart from detail.
type node struct {
	// value is 1 − w/n and spread is 1/√n. With the parent's √(2 ln N) they give
	// the bound without a division.
	value, spread float64
	visits        uint32 // n
	points        uint32 // 2w: a win of the state's player is 2, a draw 1
}

// detail is the rest of a node, which few iterations read.
type detail[S comparable] struct {
	state S
	first int    // the index of its first edge, or ^outcome if the game is over
	seen  int32  // the last iteration that visited it
	tried uint16 // edges that lead to a node; they come first
	edges uint16 // number of edges; 0 until addEdges
}

func (a *detail[S]) ended() (game.Outcome, bool) { return game.Outcome(^a.first), a.first < 0 }

// edge is a move. Moves to the same state share one edge once they are tried.
type edge struct {
	child  int32 // its node, if tried
	visits uint32
	move   game.Move
}

// tree is the graph of one search; node 0 is the root. Searches reuse its slices.
type tree[S comparable] struct {
	core      search.Rules[S]
	playout   func(s S, r *search.Rand) game.Outcome
	scale     float64 // of the bound's second term: C/√2
	all       bool    // states of playouts become nodes
	rand      search.Rand
	nodes     []node
	details   []detail[S]
	edges     []edge
	index     index[S]
	iteration int32 // the number of iterations, including those kept from earlier searches
	path      []int32
	moves     []game.Move
	spare     struct { // the source of keep's last copy
		nodes   []node
		details []detail[S]
		edges   []edge
	}
}

func newTree[S comparable](core search.Rules[S], seed uint64) *tree[S] {
	return &tree[S]{core: core, playout: core.Playout, scale: 1, index: index[S]{core: core}, rand: search.NewRand(seed)}
}

func (t *tree[S]) reset(root S) {
	t.nodes, t.details, t.edges = t.nodes[:0], t.details[:0], t.edges[:0]
	t.iteration = 0
	t.index.reset(0)
	_, slot := t.index.find(t.details, root)
	t.add(root, slot)
}

// add adds a node for a new state, in the index slot that find returned.
func (t *tree[S]) add(s S, slot int) int32 {
	a := detail[S]{state: s}
	if outcome, over := t.core.Terminal(s); over {
		a.first = ^int(outcome)
	}
	t.nodes = append(t.nodes, node{})
	t.details = append(t.details, a)
	t.index.put(t.details, int32(len(t.details)-1), slot)
	return int32(len(t.nodes) - 1)
}

func (t *tree[S]) tried(v int32) []edge {
	a := &t.details[v]
	return t.edges[max(a.first, 0):][:a.tried]
}

// iterate backs the result of a new node or a terminal one up along the path.
func (t *tree[S]) iterate() {
	t.iteration++
	t.path = t.path[:0]
	v, fresh := int32(0), false
	for {
		a := &t.details[v]
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
		if fresh && t.all {
			t.playNodes(v)
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

// longestPath ends a path through playouts as a draw.
const longestPath = 1000

// playNodes backs the result of a playout up along all nodes on the way, repeated ones each time.
func (t *tree[S]) playNodes(v int32) {
	for {
		if outcome, over := t.details[v].ended(); over {
			t.enter(outcome)
			return
		}
		if len(t.path) >= longestPath {
			t.enter(game.Draw)
			return
		}
		state := t.details[v].state
		t.moves = t.core.Moves(t.moves[:0], state)
		after := t.core.Play(state, t.moves[t.rand.Below(len(t.moves))])
		child, slot := t.index.find(t.details, after)
		if child < 0 {
			child = t.add(after, slot)
		}
		v = child
		t.path = append(t.path, v)
	}
}

// enter counts a visit to each node on the path. outcome is for the player to move at the last.
func (t *tree[S]) enter(outcome game.Outcome) {
	points := uint32(1 + search.Sign(outcome))
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

// choose returns the edge with the greatest bound, the first tried if several have it, once all have been
// tried. The conversion rules out a fused multiply-add, so that equal bounds are equal on every processor.
func (t *tree[S]) choose(v int32) int {
	first := t.details[v].first
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

// exploration returns √(2 ln N), and 0 for an unvisited node, all of whose moves lead back to the path.
func exploration(visits uint32) float64 {
	if visits < uint32(len(explorations)) {
		return explorations[visits]
	}
	return math.Sqrt(2 * math.Log(float64(visits)))
}

// explorations is a table that saves most nodes the logarithm.
var explorations = func() (table [1 << 10]float64) {
	for visits := 2; visits < len(table); visits++ {
		table[visits] = math.Sqrt(2 * math.Log(float64(visits)))
	}
	return table
}()

// expand tries moves until one leads to a new node, and returns its edge, or −1 if none is left. Moves to
// existing nodes count as tried.
func (t *tree[S]) expand(v int32) int {
	a := &t.details[v]
	if a.edges == 0 {
		t.addEdges(v)
	}
	for a.tried < a.edges {
		edges := t.edges[a.first:][:a.edges]
		next := int(a.tried)
		drawn := next + t.rand.Below(len(edges)-next)
		edges[next], edges[drawn] = edges[drawn], edges[next]
		after := t.core.Play(a.state, edges[next].move)
		child, slot := t.index.find(t.details, after)
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

// addEdges appends the edges of a node, all untried.
func (t *tree[S]) addEdges(v int32) {
	a := &t.details[v]
	t.moves = t.core.Moves(t.moves[:0], a.state)
	a.first, a.edges = len(t.edges), uint16(len(t.moves))
	for _, m := range t.moves {
		t.edges = append(t.edges, edge{move: m})
	}
}
