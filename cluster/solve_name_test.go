package cluster

import (
	"testing"

	"backsolve/bitboard"
	"backsolve/game"
)

// Keys and objects are named without characters that NATS refuses.
func TestNamesOfSolves(t *testing.T) {
	for size, want := range map[game.Size]string{
		6: "notakto-6-stream", game.Sized(4, 5, 0, 0): "notakto-4x5-stream",
		game.Sized(5, 5, 0, bitboard.Torus|bitboard.Normal): "notakto-5x5-torus-normal-stream",
	} {
		if got := (&Solve{Game: "notakto", Size: size, Stream: true}).name(); got != want {
			t.Errorf("%v is named %s, want %s", size, got, want)
		}
	}
}
