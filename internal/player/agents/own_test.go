package agents

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/game/examples"
	"backsolve/game/examples/hounds"
	"backsolve/internal/player"
	"backsolve/retro/generic"
)

// Agents play a game defined by its positions: by its table the hounds catch the hare in 23 plies
// at most, whoever plays the hare.
func TestOwnGame(t *testing.T) {
	if err := examples.Add(); err != nil {
		t.Fatal(err)
	}
	rules, dir := custom.List(hounds.Game{}), t.TempDir()
	if err := generic.Make(t.Context(), filepath.Join(dir, "hounds.tb"), "", rules.Numbers(), generic.Options{}); err != nil {
		t.Fatal(err)
	}
	e := &Env{Rules: rules, Dir: dir}
	defer e.Close()
	if _, err := e.Table(); err == nil {
		t.Error("there is a table of blocks")
	}
	for _, hare := range []string{"random", "greedy", "mcts:30", "minimax:depth=3", "shortest", "optimal:blunder=0.5"} {
		var players [2]player.Player
		for side, name := range []string{"shortest", hare} {
			a, err := Parse(t.Context(), name, e)
			if err != nil {
				t.Fatal(err)
			}
			if players[side], err = a.Begin(rand.Uint64()); err != nil {
				t.Fatal(err)
			}
			defer players[side].Close()
		}
		s, plies := rules.Start(), 0
		for ; ; plies++ {
			if _, over := rules.Terminal(s); over {
				break
			}
			m, err := player.Move(t.Context(), players[rules.Turn(s)], s)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := rules.ParseMove(s, game.MoveText(rules, s, m)); err != nil {
				t.Fatal(err)
			}
			s = rules.Play(s, m)
		}
		winner, won := game.Winner(rules, s)
		if !won || winner != game.X || plies > 23 || hare == "shortest" && plies != 23 {
			t.Errorf("against %s: winner %v, %t, after %d plies at %s", hare, winner, won, plies, rules.Format(s))
		}
	}
}
