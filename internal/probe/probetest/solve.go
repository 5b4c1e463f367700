// Package probetest makes tables for tests.
package probetest

import (
	"context"
	"path/filepath"
	"testing"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/probe"
	"backsolve/partition"
	"backsolve/retro"
	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

// Rules returns the rules of a game on the n×n board.
func Rules(t testing.TB, name string, n int) game.Grid {
	t.Helper()
	rules, err := games.NewGrid(name, n)
	check(t, err)
	return rules
}

// Solve makes a table in dir, of the states that follow once the taken cells are marked.
func Solve(t testing.TB, dir string, rules game.Grid, taken uint64, steps bool) {
	t.Helper()
	space, err := partition.NewAfter(rules, taken)
	check(t, err)
	solve(t, filepath.Join(dir, probe.FileNameAfter(rules.Info(), taken)), space, probe.Shape(space, steps))
}

// SolveNimbers makes the table with the nimbers of a board in a directory.
func SolveNimbers(t testing.TB, dir string, rules game.Grid) {
	t.Helper()
	space, err := partition.New(rules)
	check(t, err)
	solve(t, filepath.Join(dir, probe.NimbersFileName(rules.Info())), space, probe.NimbersShape(space))
}

func solve(t testing.TB, path string, space *partition.Space, shape tablebase.Shape) {
	t.Helper()
	w, err := writer.Create(path, shape, false)
	check(t, err)
	defer w.Close()
	_, err = retro.Solve(context.Background(), space, w, retro.Options{Steps: shape.Steps, Nimbers: shape.Nimbers})
	check(t, err)
}

// Archived makes the table of a board with steps, and an archive of it, in a directory of the test.
func Archived(t testing.TB, name string, n int) (plain, archive string, rules game.Grid) {
	t.Helper()
	dir := t.TempDir()
	rules = Rules(t, name, n)
	Solve(t, dir, rules, 0, true)
	plain = filepath.Join(dir, probe.FileName(rules.Info()))
	archive, err := writer.Archive(context.Background(), plain, false, nil)
	check(t, err)
	return plain, archive, rules
}

// Open returns the table that Solve makes, open until the test ends.
func Open(t testing.TB, rules game.Grid, taken uint64, steps bool) *probe.Table {
	t.Helper()
	dir := t.TempDir()
	Solve(t, dir, rules, taken, steps)
	return openIn(t, dir, rules, taken)
}

func openIn(t testing.TB, dir string, rules game.Grid, taken uint64) *probe.Table {
	t.Helper()
	table, err := probe.OpenAfter(dir, rules, taken)
	check(t, err)
	t.Cleanup(func() { table.Close() })
	return table
}

// Mask returns the mask of cells by their names.
func Mask(t testing.TB, rules game.Grid, names ...string) (cells uint64) {
	t.Helper()
	for _, name := range names {
		m, err := rules.ParseMove(rules.Start(), name)
		check(t, err)
		cells |= 1 << m.To
	}
	return cells
}

// Parse reads a valid position of a table.
func Parse(t testing.TB, table *probe.Table, text string) game.Position {
	t.Helper()
	p, err := table.Rules().Parse(text)
	check(t, err)
	return p
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
