package minimax

import (
	"testing"

	"pgregory.net/rapid"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/player/playout"
	"backsolve/probe/solved"
)

func TestEvaluationByHand(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int
		text string
		want int
	}{
		{"quixo", 3, ".../.../... x", 0},
		{"quixo", 3, "X../.../... x", 3},      // three lines of one
		{"quixo", 3, "X../.../... o", -3},     // the same of the opponent
		{"quixo", 3, "XX./.O./... x", 7 - 4},  // 4 + 1 + 1 + 1; four lines of one
		{"notakto", 3, "XX./.../...", 6 - 64}, // six safe cells, c3 is not
		{"notakto", 3, "XX./..X/...", 64 - 5},
	} {
		rules := solved.Rules(t, c.name, c.n)
		p, err := rules.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		got := newEvaluation(rules)(playout.StateOf(p))
		if got != c.want {
			t.Errorf("%s looks like %d, by hand %d", c.text, got, c.want)
		}
	}
}

// otherGame is a game that nothing is known of.
type otherGame struct{ game.Grid }

func (otherGame) Name() string { return "other" }

func TestEvaluationOfOtherGame(t *testing.T) {
	rules := otherGame{solved.Rules(t, "quixo", 3)}
	if got := newEvaluation(rules)(playout.State{Mover: 3}); got != 0 {
		t.Errorf("it looks like %d", got)
	}
}

// TestEvaluationIsNoWin stays far from what is certain, and in a game of two
// colours sees one player's good as the other's bad.
func TestEvaluationIsNoWin(t *testing.T) {
	for _, g := range games.All() {
		for n := g.MinSize; n <= g.MaxSize; n++ {
			rules := g.New(n)
			if rules.Marks() == 1 && n == 1 {
				continue // its only state that is not over is the start
			}
			evaluate := newEvaluation(rules)
			rapid.Check(t, func(t *rapid.T) {
				s := drawState(t, rules)
				got := evaluate(s)
				if got >= surelyWon || got <= surelyLost {
					t.Fatalf("%v looks like %d", s, got)
				}
				if swapped := evaluate(playout.State{Mover: s.Waiting, Waiting: s.Mover}); rules.Marks() == 2 && swapped != -got {
					t.Fatalf("%v looks like %d to one player and like %d to the other", s, got, swapped)
				}
			})
		}
	}
}

// TestEvaluationHelps lets the agent play against itself with no idea what a
// position looks like. With the evaluation it wins some two games of three.
func TestEvaluationHelps(t *testing.T) {
	if testing.Short() {
		t.Skip("400 games take long under the race detector")
	}
	for _, board := range []struct {
		name string
		n    int
	}{{"quixo", 4}, {"notakto", 6}} {
		rules := solved.Rules(t, board.name, board.n)
		won, lost := 0, 0
		for number := range 200 {
			a := begun(t, rules, Options{Depth: 2}, uint64(number))
			b := begun(t, rules, Options{Depth: 2}, uint64(number))
			b.evaluate = func(playout.State) int { return 0 }
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

// playMatch plays a game, in every other one of which b begins, and returns who
// won. The first two plies are random.
func playMatch(t *testing.T, rules game.Grid, number int, a, b *searcher) *searcher {
	players := []*searcher{a, b}
	r := playout.NewRand(uint64(number))
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
			if m, err = players[turn].Move(t.Context(), p); err != nil {
				t.Fatal(err)
			}
		}
		p = rules.Play(p, m)
	}
	return nil
}
