package minimax

import (
	"testing"

	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/probe/probetest"
	"backsolve/internal/search"
)

// otherGame is a game without its own core.
type otherGame struct{ game.Grid }

func (otherGame) Name() string { return "other" }

func TestEvaluationOfOtherGame(t *testing.T) {
	rules := otherGame{probetest.Rules(t, "quixo", 3)}
	if got := newAgent(Options{Depth: 1}, search.New(rules)).evaluate(search.Masks{Mover: 3}); got != 0 {
		t.Errorf("it looks like %d", got)
	}
}

// TestEvaluationHelps lets the agent play against itself without an evaluation. With it, it wins
// some two games in three.
func TestEvaluationHelps(t *testing.T) {
	if testing.Short() {
		t.Skip("400 games take long under the race detector")
	}
	for _, board := range []struct {
		name string
		n    int
	}{{"quixo", 4}, {"notakto", 6}} {
		rules := probetest.Rules(t, board.name, board.n)
		won, lost := 0, 0
		for number := range 200 {
			a := begun(t, rules, Options{Depth: 2}, uint64(number))
			b := begun(t, rules, Options{Depth: 2}, uint64(number))
			b.evaluate = func(search.Masks) int { return 0 }
			switch winner := playMatch(t, rules, number, a, b); winner {
			case a:
				won++
			case b:
				lost++
			}
		}
		if won <= lost {
			t.Errorf("%s: %d won, %d lost", board.name, won, lost)
		}
	}
}

// playMatch plays a game, every other one begun by b, and returns the winner. The first two plies
// are random.
func playMatch(t *testing.T, rules game.Grid, number int, a, b *searcher[search.Masks]) *searcher[search.Masks] {
	players := []*searcher[search.Masks]{a, b}
	r := search.NewRand(uint64(number))
	p := rules.Start()
	for ply := range 100 {
		turn := (number + ply) % 2
		if outcome, over := rules.Terminal(p); over {
			if outcome == game.Lose {
				turn = 1 - turn
			}
			return players[turn]
		}
		moves := rules.Moves(nil, p)
		m := moves[r.Below(len(moves))]
		if ply >= 2 {
			var err error
			if m, err = player.Move(t.Context(), players[turn], p); err != nil {
				t.Fatal(err)
			}
		}
		p = rules.Play(p, m)
	}
	return nil
}
