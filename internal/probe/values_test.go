package probe_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
)

// drawPositions returns random positions of a table, both sides to move.
func drawPositions(r *rand.Rand, table *probe.Table, n int) (all []game.Position) {
	for range n {
		p := probe.RandomPosition(table.Rules(), r)
		p.X |= table.Space().Taken
		if table.Rules().Marks() == 2 && r.IntN(2) == 1 {
			p.X, p.O, p.Mark = p.O, p.X, game.O
		}
		all = append(all, p)
	}
	return all
}

// checkValues compares the values of many positions with those of single ones.
func checkValues(t *testing.T, table *probe.Table) {
	t.Helper()
	positions := drawPositions(rand.New(rand.NewPCG(1, 2)), table, 1000)
	values := make([]probe.Value, len(positions))
	if done, err := table.Values(positions, values); err != nil || done != len(positions) {
		t.Fatalf("%d values, %v", done, err)
	}
	for i, p := range positions {
		if want, err := table.Value(p); err != nil || values[i] != want {
			t.Fatalf("%s: %v, want %v, %v", table.Rules().Format(p), values[i], want, err)
		}
	}
	// The first invalid position ends it, wherever it is.
	for _, at := range []int{0, 1, 255, 256, 700, 999} {
		wrong := append([]game.Position(nil), positions...)
		wrong[at] = game.Position{X: 1, O: 1}
		got := make([]probe.Value, len(wrong))
		if done, err := table.Values(wrong, got); !errors.Is(err, probe.ErrPosition) || done != at {
			t.Errorf("position %d is invalid: %d values, %v", at, done, err)
		}
		for i := range at {
			if got[i] != values[i] {
				t.Fatalf("before invalid position %d, %d is %v, want %v", at, i, got[i], values[i])
			}
		}
	}
}

func TestValues(t *testing.T) {
	eachBoard(t, func(t *testing.T, table *probe.Table) {
		checkValues(t, table)
		table.Number()
		checkValues(t, table)
		table.CheckAlways()
		checkValues(t, table)
	})
	eachAfter(t, func(t *testing.T, table, _ *probe.Table) { checkValues(t, table) })
}
