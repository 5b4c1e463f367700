package mcts

import (
	"math"
	"strings"
	"testing"
	"time"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/player"
	"backsolve/internal/probe/probetest"
	"backsolve/internal/search"
)

func TestNamesOfOptions(t *testing.T) {
	for want, o := range map[string]Options{
		"mcts:600,weighted":        {Iterations: 600, Weighted: true},
		"mcts:600,exploration=1.2": {Iterations: 600, Exploration: 1.2},
		"mcts:600,time=50ms":       {Iterations: 600, Time: 50 * time.Millisecond},
		"mcts:600,keep-tree,time=2s,weighted,exploration=0.0625": {Iterations: 600, KeepTree: true, Time: 2 * time.Second, Weighted: true, Exploration: 1. / 16},
		"mcts:600,all-states,by-rate":                            {Iterations: 600, AllStates: true, ByRate: true},
	} {
		if got := o.String(); got != want {
			t.Errorf("%+v is named %s, not %s", o, got, want)
		}
	}
	quixo := game.Opaque[game.Position](probetest.Rules(t, "quixo", 3))
	for want, o := range map[string]Options{
		"all-states has random playouts only":            {AllStates: true, Weighted: true},
		"there are no weighted playouts of quixo 3×3; l": {Weighted: true},
	} {
		if _, err := New(quixo, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", o, err, want)
		}
	}
}

// By rate, the move with the best mean result is played, which in some positions is not the most visited one.
func TestByRate(t *testing.T) {
	rules, differ := probetest.Rules(t, "quixo", 4), 0
	for seed := range uint64(20) {
		p := begin(t, newAgent(t, rules, Options{Iterations: 300, ByRate: true, AllStates: true}), seed).(*searcher[search.Masks])
		move(t, rules, p, rules.Start())
		best, visits := 0.0, uint32(0)
		for _, e := range p.tree.tried(0) {
			best, visits = max(best, p.tree.nodes[e.child].value), max(visits, e.visits)
		}
		if p.mean != best {
			t.Errorf("seed %d: the move has %v, another one %v", seed, p.mean, best)
		}
		if p.visits != int(visits) {
			differ++
		}
	}
	if differ == 0 {
		t.Error("it is the most visited move every time")
	}
}

// A playout that does not end is a draw for all states on its way.
func TestLongestPath(t *testing.T) {
	core := search.New(probetest.Rules(t, "quixo", 4))
	tree := newTree(core, 1)
	tree.reset(search.Masks{})
	tree.all = true
	tree.path = make([]int32, longestPath)
	tree.playNodes(0)
	if n := tree.nodes[0]; len(tree.path) != longestPath || n.visits != longestPath || n.points != longestPath {
		t.Errorf("%+v after a path of %d", n, len(tree.path))
	}
}

// spread returns the ratio of the most visited move of Quixo's start to the least visited one.
func spread(t *testing.T, o Options) float64 {
	t.Helper()
	rules := probetest.Rules(t, "quixo", 4)
	p := begin(t, newAgent(t, rules, o), 1)
	move(t, rules, p, rules.Start())
	edges := p.(*searcher[search.Masks]).tree.tried(0)
	least, most := edges[0].visits, edges[0].visits
	for _, e := range edges {
		least, most = min(least, e.visits), max(most, e.visits)
	}
	return float64(most) / float64(least)
}

// √2 is the default; a larger constant explores more.
func TestOtherExploration(t *testing.T) {
	rules := probetest.Rules(t, "quixo", 3)
	standard, given := newAgent(t, rules, Options{Iterations: 100}), newAgent(t, rules, Options{Iterations: 100, Exploration: math.Sqrt2})
	for seed := range uint64(5) {
		if a, b := playGame(t, rules, standard, seed), playGame(t, rules, given, seed); a != b {
			t.Errorf("seed %d: %s, and %s with the C given", seed, a, b)
		}
	}
	little, usual, much := spread(t, Options{Iterations: 2000, Exploration: 0.3}), spread(t, Options{Iterations: 2000}), spread(t, Options{Iterations: 2000, Exploration: 20})
	if !(little > 1.5*usual && usual > 1.5*much && much < 1.2) {
		t.Errorf("the most visited move has %.2f, %.2f and %.2f times the visits of the least", little, usual, much)
	}
}

// A search with a time ends with it, and has then seen some playouts.
func TestTime(t *testing.T) {
	rules := probetest.Rules(t, "quixo", 4)
	p := begin(t, newAgent(t, rules, Options{Iterations: MaxIterations, Time: time.Millisecond}), 1)
	move(t, rules, p, rules.Start()) // else this takes an hour
	if n := p.(*searcher[search.Masks]).tree.iteration; n < timeEvery {
		t.Errorf("%d iterations were made", n)
	}
}

// Weighted playouts come from the core, and affect what is played.
func TestWeighted(t *testing.T) {
	for name, n := range map[string]int{"othello": 6, "uttt": 9} {
		rules, err := games.New(name, n)
		if err != nil {
			t.Fatal(err)
		}
		differ := 0
		for seed := range uint64(10) {
			var moves [2]game.Move
			for i, weighted := range []bool{false, true} {
				a, err := New(rules, Options{Iterations: 60, Weighted: weighted})
				if err != nil {
					t.Fatal(err)
				}
				if moves[i], err = player.Move(t.Context(), begin(t, a, seed), rules.Start()); err != nil {
					t.Fatal(err)
				}
			}
			if moves[0] != moves[1] {
				differ++
			}
		}
		if differ == 0 {
			t.Errorf("%s: weights change nothing", name)
		}
	}
}
