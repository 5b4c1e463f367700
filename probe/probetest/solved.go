// Package probetest makes tables for tests.
package probetest

import (
	"context"
	"path/filepath"
	"testing"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/partition"
	"backsolve/probe"
	"backsolve/retro"
	"backsolve/tablebase/writer"
)

// Rules returns the rules of a game on the n×n board.
func Rules(t testing.TB, name string, n int) game.Grid {
	t.Helper()
	rules, err := games.NewGrid(name, n)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// Solve puts the table of a board into a directory: of the game that goes on after the
// taken cells are marked, with steps or without.
func Solve(t testing.TB, dir string, rules game.Grid, taken uint64, steps bool) {
	t.Helper()
	space, err := partition.NewAfter(rules, taken)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, probe.FileNameAfter(rules.Info(), taken))
	w, err := writer.Create(path, probe.Shape(space, steps), false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := retro.Solve(context.Background(), space, w, retro.Options{Steps: steps}); err != nil {
		t.Fatal(err)
	}
}

// Open returns the table that Solve makes, open until the test ends.
func Open(t testing.TB, rules game.Grid, taken uint64, steps bool) *probe.Table {
	t.Helper()
	dir := t.TempDir()
	Solve(t, dir, rules, taken, steps)
	return openIn(t, dir, rules, taken)
}

// openIn opens a table until the test ends.
func openIn(t testing.TB, dir string, rules game.Grid, taken uint64) *probe.Table {
	t.Helper()
	table, err := probe.OpenAfter(dir, rules, taken)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return table
}

// SolveNimbers puts the table with the nimbers of a board into a directory.
func SolveNimbers(t testing.TB, dir string, rules game.Grid) {
	t.Helper()
	space, err := partition.New(rules)
	if err != nil {
		t.Fatal(err)
	}
	w, err := writer.Create(filepath.Join(dir, probe.NimbersFileName(rules.Info())), probe.NimbersShape(space), false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := retro.Solve(context.Background(), space, w, retro.Options{Nimbers: true}); err != nil {
		t.Fatal(err)
	}
}
