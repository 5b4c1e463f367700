package mcts

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"backsolve/game"
	"backsolve/internal/probe/probetest"
	"backsolve/internal/search"
)

// known is what a tree holds about a state: visits, points and the moves tried, each with its
// state and how often it was chosen.
func known(t *tree[search.Masks], v int32) string {
	outcome, over := t.details[v].ended()
	text := fmt.Sprint(t.nodes[v], t.details[v].edges, over)
	if over {
		text += outcome.String()
	}
	for _, e := range t.tried(v) {
		text += fmt.Sprint(e.move, e.visits, t.details[e.child].state)
	}
	return text
}

// reach adds all states that tried moves lead to from a state.
func reach(t *tree[search.Masks], v int32, states map[search.Masks]string) {
	s := t.details[v].state
	if _, ok := states[s]; ok {
		return
	}
	states[s] = known(t, v)
	for _, e := range t.tried(v) {
		reach(t, e.child, states)
	}
}

// TestKeep: exactly the reachable nodes are kept, and the search can resume from them.
func TestKeep(t *testing.T) {
	for _, board := range []struct {
		name string
		n    int
	}{{"quixo", 2}, {"quixo", 3}, {"notakto", 4}, {"quixo", 5}} {
		t.Run(fmt.Sprintf("%s-%d", board.name, board.n), func(t *testing.T) {
			rules := probetest.Rules(t, board.name, board.n)
			rapid.Check(t, func(t *rapid.T) {
				tree := newTree(search.New(rules), rapid.Uint64().Draw(t, "seed"))
				tree.reset(drawState(t, rules))
				for range rapid.IntRange(1, 4).Draw(t, "moves") {
					for range rapid.SampledFrom([]int{1, 20, 500}).Draw(t, "iterations") {
						tree.iterate()
					}
					v := int32(rapid.IntRange(0, len(tree.nodes)-1).Draw(t, "node"))
					want := map[search.Masks]string{}
					reach(tree, v, want)
					root := tree.details[v].state
					if !tree.keep(root, len(want)) {
						t.Fatalf("%d nodes are not kept", len(want))
					}
					got := map[search.Masks]string{}
					reach(tree, 0, got)
					if len(tree.nodes) != len(want) || fmt.Sprint(got) != fmt.Sprint(want) || tree.details[0].state != root {
						t.Fatalf("of %d nodes that can be reached %d are kept, or they have changed", len(want), len(tree.nodes))
					}
				}
			})
		})
	}
}

func TestKeepRefuses(t *testing.T) {
	rules := probetest.Rules(t, "notakto", 3)
	tree := newTree(search.New(rules), 1)
	if tree.keep(search.Masks{}, 100) {
		t.Error("a tree is kept where there is none")
	}
	grow := func() {
		tree.reset(search.Masks{})
		for range 100 {
			tree.iterate()
		}
	}
	grow()
	if tree.keep(search.Masks{Mover: 0x7f}, 1000) {
		t.Error("a tree is kept for a state that is not in it")
	}
	if tree.keep(search.Masks{}, len(tree.nodes)-1) {
		t.Error("more nodes are kept than are wanted")
	}
	grow()
	tree.iteration = mostKept + 1
	if tree.keep(search.Masks{}, 1000) {
		t.Error("a tree is kept after too many iterations")
	}
}

// TestKeepTreeInGames plays games in which a tree is kept: its knowledge of a position exceeds
// one search, and stays within bounds.
func TestKeepTreeInGames(t *testing.T) {
	const iterations = 300
	rules := probetest.Rules(t, "quixo", 4)
	s := begin(t, newAgent(t, rules, Options{Iterations: iterations, KeepTree: true}), 1).(*searcher[search.Masks])
	more := 0
	p := rules.Start()
	for range 30 {
		m := move(t, rules, s, p)
		if s.tree.nodes[0].visits > iterations {
			more++
		}
		if most := (keptPerIteration + 1) * iterations; len(s.tree.nodes) > most+1 {
			t.Fatalf("%d nodes, more than %d", len(s.tree.nodes), most)
		}
		if p = rules.Play(p, m); over(rules, p) {
			p = rules.Start()
		}
	}
	if more < 10 {
		t.Errorf("only %d searches of 30 began with what was known", more)
	}
}

func over(rules game.Grid, p game.Position) bool {
	_, over := rules.Terminal(p)
	return over
}

// TestNoKeepTree begins anew with each move.
func TestNoKeepTree(t *testing.T) {
	rules := probetest.Rules(t, "quixo", 4)
	s := begin(t, newAgent(t, rules, Options{Iterations: 100}), 1).(*searcher[search.Masks])
	p := rules.Start()
	for range 3 {
		p = rules.Play(p, move(t, rules, s, p))
		if n := s.tree.nodes[0].visits; n != 100 {
			t.Errorf("after 100 iterations the position has been visited %d times", n)
		}
	}
	if !slices.ContainsFunc(s.tree.tried(0), func(e edge) bool { return e.visits > 1 }) {
		t.Error("no move was looked at twice")
	}
}
