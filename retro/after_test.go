package retro

import (
	"fmt"
	"testing"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/partition"
	"backsolve/partition/spacetest"
)

func spaceAfter(t *testing.T, n int, taken uint64) (game.Grid, *partition.Space) {
	t.Helper()
	return spacetest.After(t, "notakto", n, taken)
}

// afterBoards are games of Notakto after given moves.
var afterBoards = []struct {
	n     int
	taken uint64
}{{3, 0}, {4, 0}, {5, 0}, {4, 1 << 5}, {5, 1 << 12}, {5, 1 << 3}, {5, 1<<0 | 1<<13}}

// A solve after given moves agrees with the whole table.
func TestAfterAgreesWithTheWholeTable(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector")
	}
	for _, b := range afterBoards {
		for _, steps := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d-%x/steps=%v", b.n, b.taken, steps), func(t *testing.T) {
				rules, space := spaceAfter(t, b.n, b.taken)
				whole := solveBoard(t, "notakto", b.n, steps)
				path, _ := solve(t, space, Options{Steps: steps})
				after := &solved{t, rules, space, openTable(t, path)}
				free := bitboard.All(b.n) &^ b.taken
				// All positions of the smaller boards, every n-th of 5×5.
				stride := uint64(1)
				if b.n == 5 {
					stride = 991
				}
				for rest := uint64(0); rest < 1<<uint(b.n*b.n); rest += stride {
					p := game.Position{X: rest&free | b.taken}
					if got, want := after.value(p), whole.value(p); got != want {
						t.Fatalf("%s: %v after the moves, %v in the whole table", rules.Format(p), got, want)
					}
				}
			})
		}
	}
}
