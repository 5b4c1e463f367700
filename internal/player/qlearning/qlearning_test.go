package qlearning

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/internal/player"
)

func TestNew(t *testing.T) {
	rules := newRules(t, "quixo", 3)
	w := train(t, rules, DefaultOptions(5, 1))
	if a := newAgent(t, rules, w); a.Name() != "qlearning" {
		t.Errorf("named %s", a.Name())
	}
	path := filepath.Join(t.TempDir(), "w.json")
	save(t, w, path)
	loaded, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	a := newAgent(t, rules, loaded)
	if want := "qlearning:weights=" + path; a.Name() != want {
		t.Errorf("named %s, not %s", a.Name(), want)
	}
	for _, other := range []game.Grid{newRules(t, "quixo", 4), newRules(t, "notakto", 3)} {
		if _, err := New(opaque(other), w); err == nil || !strings.Contains(err.Error(), "the weights are of quixo 3×3, not of") {
			t.Errorf("%s %d: %v", other.Name(), other.Size(), err)
		}
	}
	w.Values = w.Values[1:]
	if _, err := New(opaque(rules), w); err == nil || !strings.Contains(err.Error(), "there are 18 weights") {
		t.Error(err)
	}
}

// TestMoveByHand plays with weights that like marks in the top row and dislike
// the opponent's there.
func TestMoveByHand(t *testing.T) {
	rules := newRules(t, "quixo", 3)
	w := &Weights{Game: "quixo", Size: 3, Options: DefaultOptions(1, 1), Values: make([]float64, 19)}
	w.Values[3], w.Values[4] = 1, -2
	p, err := rules.Parse("OX./.../... x")
	if err != nil {
		t.Fatal(err)
	}
	// What goes in at a3 pushes the O out of the top row.
	for seed := range uint64(10) {
		mover, err := newAgent(t, rules, w).Begin(seed)
		if err != nil {
			t.Fatal(err)
		}
		m, err := player.Move(t.Context(), mover, p)
		if text := rules.FormatMove(m); err != nil || text != "a1a3" && text != "a2a3" {
			t.Errorf("seed %d: %s, %v", seed, text, err)
		}
		if err := mover.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestChanceBetweenEqualMoves plays all of them.
func TestChanceBetweenEqualMoves(t *testing.T) {
	rules := newRules(t, "notakto", 3)
	w := &Weights{Game: "notakto", Size: 3, Options: DefaultOptions(1, 1), Values: make([]float64, 19)}
	p := newPlayer(t, rules, w)
	moves := map[game.Move]bool{}
	for range 200 {
		m, err := player.Move(t.Context(), p, rules.Start())
		if err != nil {
			t.Fatal(err)
		}
		moves[m] = true
	}
	if len(moves) != 9 {
		t.Errorf("%d of nine equal moves are played", len(moves))
	}
}

func TestMoveRefuses(t *testing.T) {
	rules := newRules(t, "notakto", 3)
	p := newPlayer(t, rules, train(t, rules, DefaultOptions(1, 1)))
	if _, err := player.Move(t.Context(), p, game.Position{X: 7}); !errors.Is(err, player.ErrOver) {
		t.Errorf("a move after the end gives %v", err)
	}
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, err := player.Move(ctx, p, rules.Start()); !errors.Is(err, cause) {
		t.Errorf("a move in a context that has ended gives %v", err)
	}
}
