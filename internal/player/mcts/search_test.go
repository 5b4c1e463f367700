package mcts

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/probe/probetest"
	"backsolve/internal/search"
	"backsolve/retro/oracle"
)

func TestOptions(t *testing.T) {
	rules := probetest.Rules(t, "quixo", 3)
	for want, o := range map[string]Options{
		"mcts:0":               {},
		"mcts:10000":           {Iterations: 10_000},
		"mcts:10000,keep-tree": {Iterations: 10_000, KeepTree: true},
	} {
		a := newAgent(t, rules, o)
		if a.Name() != want {
			t.Errorf("%+v is named %s, not %s", o, a.Name(), want)
		}
	}
}

// playGame plays a game of an agent against itself and returns its moves.
func playGame(t *testing.T, rules game.Grid, a player.Agent, seed uint64) string {
	p, text := rules.Start(), ""
	mover := begin(t, a, seed)
	for range 40 {
		if over(rules, p) {
			break
		}
		m := move(t, rules, mover, p)
		p, text = rules.Play(p, m), text+rules.FormatMove(m)+" "
	}
	if err := mover.Close(); err != nil {
		t.Error(err)
	}
	return text
}

// TestSeed plays the same game with the same seed, and different games with different seeds.
func TestSeed(t *testing.T) {
	for _, name := range []string{"quixo", "notakto"} {
		rules := probetest.Rules(t, name, 4)
		for _, o := range []Options{{}, {Iterations: 1}, {Iterations: 50}, {Iterations: 50, KeepTree: true}} {
			a := newAgent(t, rules, o)
			games := map[string]bool{}
			for seed := range uint64(8) {
				first, again := playGame(t, rules, a, seed), playGame(t, rules, a, seed)
				if first != again {
					t.Errorf("%s on %s: with seed %d once %s, once %s", a.Name(), name, seed, first, again)
				}
				games[first] = true
			}
			if len(games) < 2 {
				t.Errorf("%s on %s: eight seeds, one game", a.Name(), name)
			}
		}
	}
}

// TestNoIterations plays every legal move equally often.
func TestNoIterations(t *testing.T) {
	rules := probetest.Rules(t, "quixo", 3)
	p, err := rules.Parse("X.O/..X/..O o")
	if err != nil {
		t.Fatal(err)
	}
	moves := rules.Moves(nil, p)
	counts := map[game.Move]float64{}
	mover := begin(t, newAgent(t, rules, Options{}), 1)
	const each = 500
	for range each * len(moves) {
		counts[move(t, rules, mover, p)]++
	}
	for _, m := range moves {
		if math.Abs(counts[m]-each) > 6*math.Sqrt(each) {
			t.Errorf("of %d moves %v are %s", each*len(moves), counts[m], rules.FormatMove(m))
		}
	}
}

func TestOver(t *testing.T) {
	rules := probetest.Rules(t, "notakto", 3)
	s := begin(t, newAgent(t, rules, Options{Iterations: 10}), 1)
	if _, err := player.Move(t.Context(), s, game.Position{X: 7}); !errors.Is(err, player.ErrOver) {
		t.Errorf("a move after the end gives %v", err)
	}
}

// TestCancel ends a search that would take hours.
func TestCancel(t *testing.T) {
	rules := probetest.Rules(t, "quixo", 5)
	cause := errors.New("enough")
	mover := begin(t, newAgent(t, rules, Options{Iterations: MaxIterations}), 1)
	ctx, cancel := context.WithCancelCause(t.Context())
	calls := 0
	cancelled := &late{Context: ctx, after: 3, cancel: func() { calls++; cancel(cause) }}
	if _, err := player.Move(cancelled, mover, rules.Start()); !errors.Is(err, cause) || calls != 1 {
		t.Errorf("a search that was ended gives %v", err)
	}
	if n := len(mover.(*searcher[search.Masks]).tree.nodes); n > 4*reportEvery {
		t.Errorf("the search went on to %d nodes", n)
	}
	if _, err := player.Move(ctx, mover, rules.Start()); !errors.Is(err, cause) {
		t.Errorf("a search after the end gives %v", err)
	}
}

// late is a context that is cancelled once it has been asked some times.
type late struct {
	context.Context
	after  int
	cancel func()
}

func (l *late) Err() error {
	if l.after--; l.after == 0 {
		l.cancel()
	}
	return l.Context.Err()
}

// TestConverges wants that with many iterations nearly all moves keep the
// outcome, and more than with a few.
func TestConverges(t *testing.T) {
	if testing.Short() {
		t.Skip("a million iterations take long under the race detector")
	}
	for _, board := range []struct {
		name string
		n    int
	}{{"quixo", 3}, {"notakto", 3}, {"notakto", 4}} {
		t.Run(fmt.Sprintf("%s-%d", board.name, board.n), func(t *testing.T) {
			rules := probetest.Rules(t, board.name, board.n)
			solution := oracle.Solve(rules)
			few, many := kept(t, rules, solution, 10), kept(t, rules, solution, 5000)
			t.Logf("kept by %.1f %% with 10 iterations, by %.1f %% with 5,000", 100*few, 100*many)
			if many < 0.9 || many <= few {
				t.Errorf("the outcome is kept by %v of the moves with 10 iterations, by %v with 5,000", few, many)
			}
		})
	}
}

// kept returns the share of positions that are not lost in which the agent's
// move keeps the outcome.
func kept(t *testing.T, rules game.Grid, solution *oracle.Solution, iterations int) float64 {
	a := newAgent(t, rules, Options{Iterations: iterations})
	r := search.NewRand(1)
	positions, good := 0, 0
	for positions < 300 {
		p := solution.State(r.Below(solution.Len()))
		outcome, _ := solution.Value(p)
		if outcome == game.Lose || over(rules, p) {
			continue
		}
		m := move(t, rules, begin(t, a, uint64(positions)), p)
		positions++
		if after, _ := solution.Value(rules.Play(p, m)); after.Flip() == outcome {
			good++
		}
	}
	return float64(good) / float64(positions)
}

// TestNoGarbage searches again and again in the memory of the first search.
func TestNoGarbage(t *testing.T) {
	for _, name := range []string{"quixo", "notakto"} {
		tree := newTree(search.New(probetest.Rules(t, name, 4)), 1)
		grow := func() {
			tree.reset(search.Masks{})
			for range 300 {
				tree.iterate()
			}
		}
		for range 20 {
			grow()
		}
		if allocs := testing.AllocsPerRun(20, grow); allocs > 1 {
			t.Errorf("%s: %v allocations in a search", name, allocs)
		}
	}
}
