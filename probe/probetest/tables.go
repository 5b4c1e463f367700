package probetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"backsolve/game"
	"backsolve/probe"
)

// Tables are the tables that the tests of a package share, each solved once.
type Tables struct {
	root string // has a directory for those with steps, and one for those without
	lock sync.Mutex
}

// Main runs the tests of a package and exits; call it in TestMain.
func (s *Tables) Main(m *testing.M) {
	var err error
	if s.root, err = os.MkdirTemp("", "solved"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	os.RemoveAll(s.root)
	os.Exit(status)
}

// Dir returns a directory with a table as Solve makes it, which must stay as it is.
func (s *Tables) Dir(t testing.TB, rules game.Grid, taken uint64, steps bool) string {
	t.Helper()
	s.lock.Lock()
	defer s.lock.Unlock()
	dir := filepath.Join(s.root, fmt.Sprintf("steps=%v", steps))
	if _, err := os.Stat(filepath.Join(dir, probe.FileNameAfter(rules.Info(), taken))); err == nil {
		return dir
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	Solve(t, dir, rules, taken, steps)
	return dir
}

// Open opens the table of a board until the test ends.
func (s *Tables) Open(t testing.TB, name string, n int, steps bool) *probe.Table {
	t.Helper()
	if testing.Short() && name == "quixo" && n == 4 {
		t.Skip("solving it takes long under the race detector")
	}
	rules := Rules(t, name, n)
	return openIn(t, s.Dir(t, rules, 0, steps), rules, 0)
}

// OpenAfter opens a table of Notakto after the moves on some cells until the test
// ends.
func (s *Tables) OpenAfter(t testing.TB, n int, steps bool, cells ...string) *probe.Table {
	t.Helper()
	rules := Rules(t, "notakto", n)
	taken := Mask(t, rules, cells...)
	return openIn(t, s.Dir(t, rules, taken, steps), rules, taken)
}

// Mask returns the mask of cells by their names.
func Mask(t testing.TB, rules game.Grid, names ...string) (cells uint64) {
	t.Helper()
	for _, name := range names {
		m, err := rules.ParseMove(rules.Start(), name)
		if err != nil {
			t.Fatal(err)
		}
		cells |= 1 << m.To
	}
	return cells
}

// boards are those that the oracle can hold in a moment.
var boards = []struct {
	game string
	n    int
}{{"notakto", 1}, {"notakto", 2}, {"notakto", 3}, {"notakto", 4}, {"quixo", 2}, {"quixo", 3}, {"tictactoe", 2}, {"tictactoe", 3}}

// Each runs a test on the tables of all small boards, with steps and without.
func (s *Tables) Each(t *testing.T, test func(t *testing.T, table *probe.Table)) {
	for _, b := range boards {
		for _, steps := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s-%d/steps=%v", b.game, b.n, steps), func(t *testing.T) {
				test(t, s.Open(t, b.game, b.n, steps))
			})
		}
	}
}

var afterBoards = []struct {
	n     int
	cells []string
}{{2, []string{"b1"}}, {3, []string{"b2"}}, {4, []string{"b3"}}, {4, []string{"a1", "c3", "d2"}}}

// EachAfter runs a test on tables of Notakto after given moves, each with the one
// of the whole game.
func (s *Tables) EachAfter(t *testing.T, test func(t *testing.T, table, whole *probe.Table)) {
	for _, b := range afterBoards {
		for _, steps := range []bool{true, false} {
			t.Run(fmt.Sprintf("%d-%s/steps=%v", b.n, strings.Join(b.cells, "-"), steps), func(t *testing.T) {
				test(t, s.OpenAfter(t, b.n, steps, b.cells...), s.Open(t, "notakto", b.n, steps))
			})
		}
	}
}

// Parse reads a position of a table that the test knows to be right.
func Parse(t testing.TB, table *probe.Table, text string) game.Position {
	t.Helper()
	p, err := table.Rules().Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
