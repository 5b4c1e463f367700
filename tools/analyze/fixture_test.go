package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"backsolve/game/games"
	"backsolve/partition"
	"backsolve/probe"
	"backsolve/retro"
	"backsolve/tablebase"
)

// solve puts the table of a board into a directory, of the game that goes on
// after the taken cells are marked.
func solve(t *testing.T, dir, name string, n int, taken uint64, steps bool) {
	t.Helper()
	rules, err := games.New(name, n)
	if err != nil {
		t.Fatal(err)
	}
	space, err := partition.NewAfter(rules, taken)
	if err != nil {
		t.Fatal(err)
	}
	shape := tablebase.Shape{Game: probe.ShapeGame(rules, taken), Size: n, Planes: 1, Steps: steps}
	if space.Draws() {
		shape.Planes = 2
	}
	w, err := tablebase.Create(filepath.Join(dir, probe.FileNameAfter(rules, taken)), shape, false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := retro.Solve(context.Background(), space, w, retro.Options{Steps: steps}); err != nil {
		t.Fatal(err)
	}
}

// open solves a board and opens its table for the length of the test.
func openTable(t *testing.T, name string, n int, steps bool) *probe.Table {
	t.Helper()
	dir := t.TempDir()
	solve(t, dir, name, n, 0, steps)
	rules, err := games.New(name, n)
	if err != nil {
		t.Fatal(err)
	}
	table, err := probe.Open(dir, rules)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return table
}

// written writes the whole report on a table and returns its files by name.
func written(t *testing.T, table *probe.Table, o probe.WalkOptions) map[string]string {
	t.Helper()
	r, err := newReport(context.Background(), table, parts, o)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "report")
	if _, err := r.write(context.Background(), dir); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(data)
	}
	return all
}
