// Package untrained makes networks for tests.
package untrained

import (
	"testing"

	"backsolve/game/games"
	"backsolve/internal/player/zero"
	"backsolve/internal/player/zero/network"
)

// Save saves the weights of a small network for a board, which has learned nothing.
func Save(t testing.TB, name string, n int, path string) {
	t.Helper()
	rules, err := games.New(name, n)
	if err != nil {
		t.Fatal(err)
	}
	view, err := zero.NewView(rules, zero.Encoding{})
	if err != nil {
		t.Fatal(err)
	}
	shape := network.Shape{Inputs: view.Inputs(), Actions: view.Actions(), Width: 8}
	w := &zero.Weights{Network: network.New(shape), Made: zero.Made{Game: name, Size: n, Shape: shape, Search: zero.DefaultSearch(1), Run: []byte("{}")}}
	if err := w.Save(path); err != nil {
		t.Fatal(err)
	}
}
