package probe

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/partition"
	"backsolve/retro"
	"backsolve/tablebase"
)

// tables is where the tests' tables lie: each is solved once, in a directory
// with its name in it, with steps or without.
var tables struct {
	root string
	lock sync.Mutex
}

func TestMain(m *testing.M) {
	var err error
	if tables.root, err = os.MkdirTemp("", "probe"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	os.RemoveAll(tables.root)
	os.Exit(status)
}

// solved returns a directory with the table of a board.
func solved(t testing.TB, rules game.Grid, steps bool) string {
	t.Helper()
	return solvedAfter(t, rules, 0, steps)
}

// solvedAfter returns a directory with the table of the game that goes on after
// the given cells are marked.
func solvedAfter(t testing.TB, rules game.Grid, taken uint64, steps bool) string {
	t.Helper()
	tables.lock.Lock()
	defer tables.lock.Unlock()
	dir := filepath.Join(tables.root, fmt.Sprintf("steps=%v", steps))
	path := filepath.Join(dir, FileNameAfter(rules.Info(), taken))
	if _, err := os.Stat(path); err == nil {
		return dir
	}
	space, err := partition.NewAfter(rules, taken)
	if err != nil {
		t.Fatal(err)
	}
	shape := retro.Shape(space, steps)
	shape.Game = ShapeGame(rules.Info(), taken)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w, err := tablebase.Create(path, shape, false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := retro.Solve(context.Background(), space, w, retro.Options{Steps: steps}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// open opens the table of a board for the length of the test.
func open(t testing.TB, name string, n int, steps bool) *Table {
	t.Helper()
	if testing.Short() && name == "quixo" && n == 4 {
		t.Skip("solving it takes long under the race detector")
	}
	rules := newRules(t, name, n)
	table, err := Open(solved(t, rules, steps), rules)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return table
}

func newRules(t testing.TB, name string, n int) game.Grid {
	t.Helper()
	rules, err := games.NewGrid(name, n)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// parse reads a position that the test knows to be right.
func parse(t testing.TB, table *Table, text string) game.Position {
	t.Helper()
	p, err := table.Rules().Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// altered opens a copy of a board's table with a class changed. Its checksums
// hold.
func altered(t *testing.T, name string, n int, steps bool, class int, change func(*tablebase.Planes, *tablebase.Counts)) *Table {
	t.Helper()
	original := open(t, name, n, steps)
	table, err := Open(copyOf(t, original, class, change), original.rules)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return table
}

// copyOf returns a directory with a copy of a table with a class changed.
func copyOf(t *testing.T, original *Table, class int, change func(*tablebase.Planes, *tablebase.Counts)) (dir string) {
	t.Helper()
	dir = t.TempDir()
	w, err := tablebase.Create(filepath.Join(dir, filepath.Base(original.stored.Path())), original.stored.Shape(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i, c := range original.stored.Classes() {
		masks, err := original.stored.Masks(i)
		if err != nil {
			t.Fatal(err)
		}
		var planes tablebase.Planes
		if err := original.stored.Planes(i, 0, c.Blocks, &planes); err != nil {
			t.Fatal(err)
		}
		counts := tablebase.Counts{ByWeight: slices.Clone(c.Counts.ByWeight), BySteps: slices.Clone(c.Counts.BySteps)}
		if c.Class == class {
			change(&planes, &counts)
		}
		if err := w.Seal(tablebase.Class{Class: c.Class, IndexBits: c.IndexBits, Masks: masks}, planes, counts); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return dir
}
