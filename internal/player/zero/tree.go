package zero

import (
	"errors"
	"fmt"
	"math"

	"backsolve/internal/player/zero/network"
	"backsolve/internal/search"
)

// Search has the parameters of a search. DefaultSearch returns the usual ones.
type Search struct {
	// Simulations is their number for each move. With 0 the network's most probable move is played.
	Simulations int `json:"simulations"`
	// C1 and C2 are the constants of AlphaZero. A Constant above 0 replaces the factor that they form.
	C1       float64 `json:"c1"`
	C2       float64 `json:"c2"`
	Constant float64 `json:"c_puct"`
	// KeyStates excludes moves that lose at once. A state that has no
	// other moves is lost, and one with a move that wins at once is won.
	KeyStates bool `json:"key_states"`
	// Proved backs up values proved by the ends of games in the tree: a player with
	// a move to a lost state wins, one with moves only to won states loses, and one with a move to a
	// drawn state has at least a draw (Cazenave, Saffidine: Score bounded Monte-Carlo tree
	// search, 2010). A proved state is not visited again.
	Proved bool `json:"proved"`
	// EachOnce visits all moves of a state once, the most probable first, before the formula decides.
	EachOnce bool `json:"each_once,omitempty"`
	// Discount, if above 0, multiplies a value for each ply that it is backed up: an early win is worth
	// more than a late one, and of the proved moves only those that seem to win soonest or lose
	// latest keep the value. Where games can cycle, a search needs it to make progress.
	Discount float64 `json:"discount,omitempty"`
	// Keep keeps the part of the tree after the moves that are made, and adds simulations to it.
	Keep bool `json:"keep,omitempty"`
	// Graph uses one node for a state however it is reached, so that all moves to it share its
	// results (Childs, Brodeur, Kocsis: Transpositions and move groups in Monte Carlo
	// tree search, UCT2, 2008). A simulation that returns to a state ends as a draw. Such a
	// search is not kept between moves.
	Graph bool `json:"graph,omitempty"`
}

// MaxSimulations is the largest number of simulations for a move.
const MaxSimulations = 10_000_000

// DefaultSearch returns the usual constants.
func DefaultSearch(simulations int) Search {
	return Search{Simulations: simulations, C1: 0.25, C2: 19652}
}

// Check returns an error for invalid parameters.
func (o Search) Check() error {
	switch {
	case o.Simulations < 0 || o.Simulations > MaxSimulations:
		return fmt.Errorf("%d is not a number of simulations; give one from 0 to %d", o.Simulations, MaxSimulations)
	case !(o.C1 >= 0 && o.C1 < 1000), !(o.Constant >= 0 && o.Constant < 1000):
		return fmt.Errorf("c1 is %v and c_puct %v; give numbers from 0 to 1000", o.C1, o.Constant)
	case o.Constant == 0 && !(o.C2 > 0 && o.C2 < 1e12):
		return fmt.Errorf("c2 is %v; give a number above 0, or c_puct instead", o.C2)
	case o.Graph && o.Keep:
		return errors.New("a search in a graph is not kept between moves; leave out graph or keep")
	case !(o.Discount >= 0 && o.Discount <= 1):
		return fmt.Errorf("discount is %v; give a number from 0 to 1", o.Discount)
	}
	return nil
}

// Tree is a search from one state. A simulation goes down from the root, always along the
// move of greatest
//
//	Q + P·√ΣN/(1+N)·(c₁ + log((ΣN+c₂+1)/c₂))
//
// where N is the number of the move's visits, Q their mean value for the player who
// makes it, 0 before the first, P the network's probability of it among the moves that are
// searched, and ΣN the visits of all moves of the state; of equal moves it takes the more probable
// one. It ends in a new state, and backs up the network's value for it, or in
// a state whose value is known. The root's own evaluation is not a simulation. A tree is
// not safe for concurrent use.
type Tree struct {
	view    View
	options Search
	nodes   []node
	edges   []edge
	path    []step
	leaf    int32
	actions []int16
	logits  []float32
	priors  []float32
	calm    []float32 // the root's without noise, once there is some
	spare   spare
	known   map[State]int32 // the nodes of a graph
}

// node is a state in the tree; the root is the first.
type node struct {
	state        State
	first, count int32 // its edges
	visits       int32 // of all of them
	kind         kind
	draws        bool    // a move leads to a state that is proved to be drawn
	passed       bool    // the simulation has come through it
	value        float32 // of one that is decided, for the player to move
	plies        int32   // of one that is decided, to the end as far as proved
	total        float64 // of its evaluation and the values of its visits, for the player to move
}

type kind uint8

const (
	fresh   kind = iota // its evaluation is missing
	open                // it is searched
	decided             // its value is known: it is over, or proved
)

type edge struct {
	action int16
	visits int32
	child  int32 // 0 if there is none yet
	prior  float32
	total  float64 // sum of the values of the visits, for the player who makes the move
}

type step struct{ node, edge int32 }

// NewTree returns a tree; Reset gives it a root.
func NewTree(v View, o Search) *Tree { return &Tree{view: v, options: o} }

// mostCleared is the size of a map above which a new one takes less time than clearing it.
const mostCleared = 4096

// Reset begins a search.
func (t *Tree) Reset(s State) {
	t.nodes, t.edges, t.path, t.calm = t.nodes[:0], t.edges[:0], t.path[:0], t.calm[:0]
	if t.options.Graph && (t.known == nil || len(t.known) > mostCleared) {
		t.known = map[State]int32{}
	} else {
		clear(t.known)
	}
	t.add(s)
}

// add adds a node with its edges. In a graph it returns the state's node if there is one.
func (t *Tree) add(s State) int32 {
	if t.options.Graph {
		if at, ok := t.known[s]; ok {
			return at
		}
		t.known[s] = int32(len(t.nodes))
	}
	n, wins := node{state: s, first: int32(len(t.edges))}, false
	if outcome, over := t.view.Terminal(s); over {
		n.kind, n.value = decided, float32(search.Sign(outcome))
	} else {
		wins = t.addEdges(s)
		n.count = int32(len(t.edges)) - n.first
		switch {
		case wins:
			n.kind, n.value, n.plies = decided, 1, 1
		case n.count == 0:
			n.kind, n.value, n.plies = decided, -1, 1
		}
	}
	at := int32(len(t.nodes))
	t.nodes = append(t.nodes, n)
	for i := n.first; wins && i < n.first+n.count; i++ {
		end := t.add(t.view.Play(s, int(t.edges[i].action)))
		t.edges[i].child = end
	}
	return at
}

// addEdges adds the moves of a state that are searched, and reports whether these win at once.
func (t *Tree) addEdges(s State) (wins bool) {
	first := len(t.edges)
	t.actions = t.view.Legal(t.actions[:0], s)
	for _, a := range t.actions {
		value := t.endWorth(s, a)
		if value > 0 && !wins {
			t.edges, wins = t.edges[:first], true
		}
		if value > 0 || value == 0 && !wins {
			t.edges = append(t.edges, edge{action: a})
		}
	}
	return wins
}

// endWorth returns the worth of a move that ends the game, or 0 for others and without KeyStates.
func (t *Tree) endWorth(s State, action int16) float32 {
	if !t.options.KeyStates {
		return 0
	}
	var after State
	if v, ok := t.view.(imaging); ok {
		after = v.image(s, int(action))
	} else {
		after = t.view.Play(s, int(action))
	}
	if outcome, over := t.view.Terminal(after); over {
		return float32(-search.Sign(outcome))
	}
	return 0
}

func (t *Tree) edgesOf(n *node) []edge { return t.edges[n.first : n.first+n.count] }

// Decided reports whether the value of the root is known, and returns it.
func (t *Tree) Decided() (value float32, ok bool) {
	return t.worth(&t.nodes[0]), t.nodes[0].kind == decided
}

// worth returns the worth of a decided node to the player to move.
func (t *Tree) worth(n *node) float32 {
	if t.options.Discount == 0 {
		return n.value
	}
	return n.value * float32(math.Pow(t.options.Discount, float64(n.plies)))
}

// discounted returns the worth of a value to the other player one ply earlier.
func (t *Tree) discounted(value float32) float32 {
	if t.options.Discount == 0 {
		return -value
	}
	return -float32(t.options.Discount) * value
}

// Mean returns the mean value of the visits to the root's moves, 0 without visits.
func (t *Tree) Mean() float32 {
	root, total := &t.nodes[0], 0.0
	for _, e := range t.edgesOf(root) {
		total += e.total
	}
	if root.visits == 0 {
		return 0
	}
	return float32(total / float64(root.visits))
}

// Over reports whether no move is searched at the root.
func (t *Tree) Over() bool { return t.nodes[0].count == 0 }

// Select begins a simulation. If it ends in a state that has to be evaluated, Select returns the
// state, and Expand must follow; otherwise it is done. The root must not be decided.
func (t *Tree) Select() (s State, evaluate bool) {
	t.path = t.path[:0]
	for at := int32(0); ; {
		n := &t.nodes[at]
		switch n.kind {
		case fresh:
			t.leaf = at
			return n.state, true
		case decided:
			t.backUp(t.worth(n))
			return State{}, false
		}
		if n.passed {
			t.backUp(0)
			return State{}, false
		}
		// In a graph, simulations by other ways may have proved enough.
		if t.options.Graph && t.options.Proved && t.prove(n) {
			continue
		}
		n.passed = true
		e := t.choose(n)
		t.path = append(t.path, step{at, e})
		if t.edges[e].child == 0 {
			child := t.add(t.view.Play(n.state, int(t.edges[e].action)))
			t.edges[e].child = child
		}
		at = t.edges[e].child
	}
}

// unvisited exceeds any score, as c_puct and the square root of the visits are bounded.
const unvisited = 1e9

func (t *Tree) choose(n *node) int32 {
	c := t.options.Constant
	if c == 0 {
		c = t.options.C1 + math.Log((float64(n.visits)+t.options.C2+1)/t.options.C2)
	}
	c *= math.Sqrt(float64(n.visits))
	best, greatest := int32(-1), 0.0
	for i, e := range t.edgesOf(n) {
		if t.options.Proved && e.child != 0 && t.nodes[e.child].kind == decided {
			continue // the child is decided; as n is not, another child is open
		}
		score := float64(c*float64(e.prior)) / float64(1+e.visits)
		switch {
		case e.visits > 0 && t.options.Graph:
			score += t.sharedWorth(e.child)
		case e.visits > 0:
			score += e.total / float64(e.visits)
		case t.options.EachOnce:
			score = unvisited
		}
		if best < 0 || score > greatest || score == greatest && e.prior > t.edges[best].prior {
			best, greatest = n.first+int32(i), score
		}
	}
	return best
}

// sharedWorth returns the worth of a move to a state of a graph, from all simulations through that state.
func (t *Tree) sharedWorth(state int32) float64 {
	n := &t.nodes[state]
	switch {
	case n.kind == decided:
		return float64(t.discounted(t.worth(n)))
	case n.passed:
		return 0
	}
	return float64(t.discounted(float32(n.total / float64(1+n.visits))))
}

// proved reports whether an edge leads to a state with a value for the player who moves there.
func (t *Tree) proved(e *edge, value float32) bool {
	return e.child != 0 && t.nodes[e.child].kind == decided && t.nodes[e.child].value == value
}

// Expand ends the simulation that Select has begun with the evaluation of its state.
func (t *Tree) Expand(v Evaluation) {
	n := &t.nodes[t.leaf]
	edges := t.edgesOf(n)
	t.logits = t.logits[:0]
	for _, e := range edges {
		t.logits = append(t.logits, v.Logits[e.action])
	}
	t.priors = append(t.priors[:0], t.logits...)
	network.Softmax(t.priors, t.logits)
	for i := range edges {
		edges[i].prior = t.priors[i]
	}
	n.kind = open
	n.total = float64(v.Value)
	t.backUp(v.Value)
}

// backUp counts a simulation; value is for the player to move at the end of its path.
func (t *Tree) backUp(value float32) {
	for i := len(t.path) - 1; i >= 0; i-- {
		value = t.discounted(value)
		n, e := &t.nodes[t.path[i].node], &t.edges[t.path[i].edge]
		e.visits++
		e.total += float64(value)
		n.visits++
		n.passed = false
		if t.options.Proved && t.nodes[e.child].kind == decided && t.prove(n) {
			value = t.worth(n)
		} else if n.draws {
			value = max(value, 0)
		}
		n.total += float64(value)
	}
}

// prove decides a node by the states that its moves lead to, where they suffice.
func (t *Tree) prove(n *node) bool {
	best, all, plies := float32(-1), true, int32(0)
	for _, e := range t.edgesOf(n) {
		if e.child == 0 || t.nodes[e.child].kind != decided {
			all = false
			continue
		}
		child := &t.nodes[e.child]
		switch value := -child.value; {
		case value > best, value == best && (child.plies < plies) == (value > 0):
			best, plies = value, child.plies
		}
	}
	if best < 1 && !all {
		n.draws = best == 0
		return false
	}
	n.kind, n.value, n.plies = decided, best, plies+1
	return true
}

// AddNoise replaces a share of the priors of the evaluated root's moves, and any earlier noise,
// by draws divided by their sum: with gamma variates as draws, Dirichlet noise.
func (t *Tree) AddNoise(share float64, draw func() float64) {
	edges := t.edgesOf(&t.nodes[0])
	noise, sum := make([]float64, len(edges)), 0.0
	for i := range noise {
		noise[i] = draw()
		sum += noise[i]
	}
	if sum == 0 {
		return // all draws were too small for a float64
	}
	for i := range edges {
		if i == len(t.calm) {
			t.calm = append(t.calm, edges[i].prior)
		}
		edges[i].prior = float32(float64((1-share)*float64(t.calm[i])) + float64(share*noise[i]/sum))
	}
}
