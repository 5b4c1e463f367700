package player

import (
	"errors"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/game/gametest"
	"backsolve/internal/probe"
)

// Agents that know only the rules play games of any kind to the end, take turns, and pass if they
// must.
func TestAnyGame(t *testing.T) {
	for _, rules := range []game.Rules{gametest.NewStrip(7), newRules(t, "notakto", 9), newRules(t, "quixo", 6), newRules(t, "nim", 5), newRules(t, "dawson", 12), newRules(t, "notakto-boards", 3)} {
		passes, draws := 0, 0
		for seed := range uint64(30) {
			players := []Player{begin(t, Random(rules), seed), begin(t, Greedy(rules), seed)}
			positions, moves := play(t, rules, rules.Start(), 2000, players...)
			for i, s := range positions {
				if want := game.Side(i % 2); rules.Turn(s) != want {
					t.Fatalf("%s: it is the turn of %v, want %v", rules.Format(s), rules.Turn(s), want)
				}
			}
			for _, m := range moves {
				if m == game.Pass {
					passes++
				}
			}
			last := positions[len(positions)-1]
			outcome, over := rules.Terminal(last)
			if !over {
				t.Fatalf("%v is not over in %s", rules.Info(), rules.Format(last))
			}
			if _, won := game.Winner(rules, last); won == (outcome == game.Draw) {
				t.Errorf("%s is a %v, won: %t", rules.Format(last), outcome, won)
			} else if !won {
				draws++
			}
		}
		if any := rules.Info().Name == "strip"; any != (passes > 0) || any != (draws > 0) {
			t.Errorf("%v: %d passes and %d draws", rules.Info(), passes, draws)
		}
	}
}

// Random and greedy moves of any game have the right frequencies: a move that draws at once ranks
// with one that does not end the game.
func TestChoiceInAnyGame(t *testing.T) {
	strip := gametest.NewStrip(5)
	for _, text := range []string{"..... x", "X...O o", "X.X.. o", "O.X.. x", ".X... o"} {
		s, err := strip.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		all := map[game.Move]int{}
		for _, m := range strip.Moves(nil, s) {
			all[m] = 0
		}
		wantUniform(t, strip, begin(t, Random(strip), 1), s, all)
		wantUniform(t, strip, begin(t, Greedy(strip), 1), s, greedyMoves(strip, s))
	}
	wide := newRules(t, "notakto", 9)
	s := wide.Start()
	wantUniform(t, wide, begin(t, Random(wide), 1), s, greedyMoves(wide, s))
}

// A player with a strategy keeps the outcome that it gives, and returns an error in
// positions that it does not know.
func TestPerfectByStrategy(t *testing.T) {
	board, err := probe.NewBoard("notakto", 12, "")
	if err != nil {
		t.Fatal(err)
	}
	rules, answers := board.Rules(), board.Strategy()
	if _, err := Perfect(rules, answers, Strength{Policy: Shortest}); !errors.Is(err, ErrNoSteps) {
		t.Errorf("shortest without steps: %v", err)
	}
	best, err := Perfect(rules, answers, Strength{Policy: Optimal})
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(3) {
		_, moves := play(t, rules, rules.Start(), 12*12, begin(t, Random(rules), seed), begin(t, best, seed))
		if len(moves)%2 == 0 {
			t.Errorf("seed %d: the second player has lost after %d plies", seed, len(moves))
		}
	}
	s := rules.Start()
	for _, text := range []string{"a1", "b1"} {
		m, err := rules.ParseMove(s, text)
		if err != nil {
			t.Fatal(err)
		}
		s = rules.Play(s, m)
	}
	_, err = Move(t.Context(), begin(t, best, 1), s)
	if want := "; choose an agent that needs no values"; !errors.Is(err, probe.ErrUnknown) || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v, want …%s", err, want)
	}
}
