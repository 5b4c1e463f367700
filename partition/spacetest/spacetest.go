// Package spacetest makes spaces for tests.
package spacetest

import (
	"testing"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/partition"
)

// New returns the rules of a board and its space.
func New(t testing.TB, name string, n int) (game.Grid, *partition.Space) {
	t.Helper()
	return After(t, name, n, 0)
}

// After is New for the game after the cells of a mask are taken.
func After(t testing.TB, name string, n int, taken uint64) (game.Grid, *partition.Space) {
	t.Helper()
	rules, err := games.NewGrid(name, n)
	if err != nil {
		t.Fatal(err)
	}
	space, err := partition.NewAfter(rules, taken)
	if err != nil {
		t.Fatal(err)
	}
	return rules, space
}
