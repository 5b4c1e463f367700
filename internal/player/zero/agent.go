package zero

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/player/zero/network"
	"backsolve/internal/search"
)

// DefaultSimulations is the number of simulations for a move where none is given.
const DefaultSimulations = 100

// Agent plays by a network, without chance: a position always has the same move, and its symmetric images
// have the images of that move; if trees are kept between moves, this holds only for a player's first move.
type Agent struct {
	view    View
	weights *Weights
	options Search

	lock sync.Mutex
	free []*searchState // of closed players

	aside     sync.Mutex
	evaluator *Evaluator // of positions side by side, without a pass between calls
}

// searchState is reused by the next player, which profits from the cached evaluations.
type searchState struct {
	tree      *Tree
	evaluator *Evaluator
}

// memory is the size of the evaluation cache of a search state, in bytes.
const memory = 64 << 20

// New returns the agent of a board by weights, which searches as in training. The error says why they do not fit.
func New(rules game.Rules, w *Weights, simulations int) (*Agent, error) {
	board := rules.Info()
	if w.Game != board.Name || w.Size != board.Size {
		return nil, fmt.Errorf("the weights are of %s of size %d, not of %v; train some on that board", w.Game, w.Size, board)
	}
	view, err := NewView(rules, w.Encoding)
	if err != nil {
		return nil, err
	}
	options := w.Search
	options.Simulations = simulations
	if err := options.Check(); err != nil {
		return nil, err
	}
	return &Agent{view: view, weights: w, options: options}, nil
}

// Name is zero:weights=FILE,sims=100, without the file where there is none.
func (a *Agent) Name() string {
	file := a.weights.path
	switch {
	case strings.ContainsAny(file, ",\""):
		file = `weights="` + file + `",`
	case file != "":
		file = "weights=" + file + ","
	}
	return fmt.Sprintf("zero:%ssims=%d", file, a.options.Simulations)
}

// Zeros returns the agent with a network of zeros, which shows what the search does alone.
func (a *Agent) Zeros() *Agent {
	w := *a.weights
	w.Network, w.path = network.New(w.Shape), ""
	return &Agent{view: a.view, weights: &w, options: a.options}
}

// Begin returns a player. The seed is not used, as there is no chance.
func (a *Agent) Begin(uint64) (player.Player, error) {
	return &searcher{agent: a, state: a.acquireState()}, nil
}

// Drawing returns an agent with the name of this one that draws its first moves of a game in
// proportion to their visits or, without simulations, to their probabilities. Training games
// begin this way, and networks, which play without chance, can meet in different games.
func (a *Agent) Drawing(moves int) player.Agent { return &drawing{a, moves} }

type drawing struct {
	*Agent
	moves int
}

func (d *drawing) Begin(seed uint64) (player.Player, error) {
	return &searcher{agent: d.Agent, state: d.acquireState(), rand: player.NewRand(seed), left: d.moves}, nil
}

func (a *Agent) acquireState() *searchState {
	a.lock.Lock()
	defer a.lock.Unlock()
	if last := len(a.free) - 1; last >= 0 {
		m := a.free[last]
		a.free = a.free[:last]
		return m
	}
	return &searchState{NewTree(a.view, a.options), NewEvaluator(a.view, a.weights.Network, 1, memory, 1)}
}

func (a *Agent) releaseState(s *searchState) {
	a.lock.Lock()
	defer a.lock.Unlock()
	a.free = append(a.free, s)
}

// Canonical returns a value that is the same for positions that are the same to the agent.
func (a *Agent) Canonical(s game.State) State {
	state, _ := a.view.Of(s)
	return state
}

// HoldsOut reports whether states were held out of the training of the network.
func (a *Agent) HoldsOut() bool { return a.weights.HeldOut > 0 }

// HeldOut reports whether a position was one of them.
func (a *Agent) HeldOut(s game.State) bool {
	return HeldOut(a.weights.HeldOut, a.weights.Seed, a.Canonical(s))
}

// HeldOut reports whether a training with a seed holds out a state, as one of a share: a hash decides.
func HeldOut(share float64, seed uint64, s State) bool {
	h := search.Mix(search.Mix(search.Mix(seed)+s[0]) + s[1])
	if s[2] != 0 {
		h = search.Mix(h + s[2])
	}
	return float64(h>>11) < share*(1<<53)
}

// Choice returns a move as the network sees it: the inputs of the position, and the action.
func (a *Agent) Choice(s game.State, m game.Move) (inputs []float32, action int) {
	state, move := a.view.Of(s)
	inputs = make([]float32, a.view.Inputs())
	a.view.Encode(inputs, state)
	legal := a.view.Legal(nil, state)
	return inputs, int(legal[slices.IndexFunc(legal, func(x int16) bool { return move(int(x)) == m })])
}

// Estimate returns what the network alone says of a position that is not over: its value
// for the player to move, and the move of greatest probability, the first of several.
func (a *Agent) Estimate(s game.State) (value float32, best game.Move) {
	m := a.acquireState()
	defer a.releaseState(m)
	state, move := a.view.Of(s)
	value = m.setRoot(state)
	return value, move(m.tree.Best())
}

// setRoot gives the tree a root with the network's probabilities, and returns the value.
func (m *searchState) setRoot(s State) (value float32) {
	v := m.evaluator.One(s)
	m.tree.Reset(s)
	if _, decided := m.tree.Decided(); !decided {
		m.tree.Select()
		m.tree.Expand(v)
	}
	return v.Value
}

// searcher draws its next moves, as many as are left, and then plays the best ones.
type searcher struct {
	agent *Agent
	state *searchState
	kept  bool // the tree is of this game
	rand  *rand.Rand
	left  int
}

// Think searches until the simulations are done or ctx ends, but always evaluates the position.
func (p *searcher) Think(ctx context.Context, s game.State, limits *player.Search) (game.Move, error) {
	move, err := p.search(ctx, s, limits)
	if err != nil {
		return game.Move{}, err
	}
	limits.Best = move(p.state.tree.Best())
	if p.left > 0 {
		p.left--
		limits.Best = move(p.state.tree.Draw(p.rand))
	}
	return limits.Best, nil
}

// checkEvery is the number of simulations between two checks of the context.
const checkEvery = 8

// search searches a position, and returns what move an action of the tree stands for.
func (p *searcher) search(ctx context.Context, s game.State, limits *player.Search) (move func(action int) game.Move, err error) {
	state, move, err := See(p.agent.view, s)
	if err != nil {
		return nil, err
	}
	t := p.state.tree
	if !p.kept || !t.Advance(state) {
		t.Reset(state)
	}
	p.kept = p.agent.options.Keep
	left := p.agent.options.Simulations
	if limits.MaxNodes > 0 {
		left = min(left, limits.MaxNodes)
	}
	if !t.Open() {
		left++ // the root is evaluated before the first simulation
	}
	one := []searching{{tree: t}}
	for done := (player.Searched{}); done.Nodes < left && (limits.MaxDepth == 0 || done.Depth < limits.MaxDepth); {
		some := min(checkEvery, left-done.Nodes)
		if limits.Report != nil { // someone is watching, and a large network is slow
			some = 1
		}
		one[0].left = some
		if err := sideBySide(context.WithoutCancel(ctx), p.state.evaluator, one); err != nil {
			return nil, err
		}
		done.Nodes += some - one[0].left
		done.Depth, done.Best = max(done.Depth, len(t.path)), move(t.Best())
		limits.Tell(done)
		if one[0].left > 0 || ctx.Err() != nil { // with some left, the root's value is proved
			break
		}
	}
	return move, nil
}

func (p *searcher) Close() error {
	if p.state != nil {
		p.agent.releaseState(p.state)
		p.state = nil
	}
	return nil
}
