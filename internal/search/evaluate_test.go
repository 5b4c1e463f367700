package search

import (
	"testing"

	"pgregory.net/rapid"

	"backsolve/game"
)

// evaluatorOf returns the evaluator of a board.
func evaluatorOf(t *testing.T, rules game.Grid) Evaluator[Masks] {
	t.Helper()
	e, ok := New(rules).(Evaluator[Masks])
	if !ok {
		t.Fatalf("%s has no evaluator", rules.Name())
	}
	return e
}

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
		rules := newRules(t, c.name, c.n)
		p, err := rules.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := evaluatorOf(t, rules).Evaluate(MasksOf(p)); got != c.want {
			t.Errorf("%s looks like %d, want %d", c.text, got, c.want)
		}
	}
}

// TestEvaluationIsBounded: evaluations stay within the bounds, and in a game of two colours one
// player's gain is the other's loss.
func TestEvaluationIsBounded(t *testing.T) {
	everyCore(t, func(t *testing.T, rules game.Grid) {
		if rules.Marks() == 1 && rules.Size() == 1 {
			return // its only state that is not over is the start
		}
		e, core := evaluatorOf(t, rules), New(rules)
		rapid.Check(t, func(t *rapid.T) {
			s := rapid.Custom(func(t *rapid.T) Masks { return drawState(t, rules) }).Filter(func(s Masks) bool {
				_, over := core.Terminal(s)
				return !over
			}).Draw(t, "state")
			got := e.Evaluate(s)
			if max(got, -got) > MaxEvaluation {
				t.Fatalf("%v looks like %d", s, got)
			}
			if swapped := e.Evaluate(Masks{Mover: s.Waiting, Waiting: s.Mover}); rules.Marks() == 2 && swapped != -got {
				t.Fatalf("%v looks like %d to one player and like %d to the other", s, got, swapped)
			}
		})
	})
}
