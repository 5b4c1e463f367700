package probetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
)

// Tables has the tables that the tests of a package share, each solved once.
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

// Dir returns a directory with a table that Solve made. It must not be changed.
func (s *Tables) Dir(t testing.TB, rules game.Grid, taken uint64, steps bool) string {
	t.Helper()
	s.lock.Lock()
	defer s.lock.Unlock()
	dir := filepath.Join(s.root, fmt.Sprintf("steps=%v", steps))
	if _, err := os.Stat(filepath.Join(dir, probe.FileNameAfter(rules.Info(), taken))); err == nil {
		return dir
	}
	check(t, os.MkdirAll(dir, 0o755))
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

// OpenAfter opens a table of Notakto after given cells are marked until the test ends.
func (s *Tables) OpenAfter(t testing.TB, n int, steps bool, cells ...string) *probe.Table {
	t.Helper()
	rules := Rules(t, "notakto", n)
	taken := Mask(t, rules, cells...)
	return openIn(t, s.Dir(t, rules, taken, steps), rules, taken)
}

// boards are those that the oracle solves in a moment.
var boards = []struct {
	game string
	n    int
}{{"notakto", 1}, {"notakto", 2}, {"notakto", 3}, {"notakto", 4}, {"quixo", 2}, {"quixo", 3}, {"tictactoe", 2}, {"tictactoe", 3}}

// Each runs a test on the tables of all small boards, with and without steps.
func (s *Tables) Each(t *testing.T, test func(t *testing.T, table *probe.Table)) {
	for _, b := range boards {
		if testing.Short() && (b.n == 4 || b.game == "tictactoe" && b.n == 3) {
			continue // they take long under the race detector; Quixo 3×3 has the same threads
		}
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

// EachAfter runs a test on tables of Notakto after given moves, with those of the whole game.
func (s *Tables) EachAfter(t *testing.T, test func(t *testing.T, table, whole *probe.Table)) {
	for _, b := range afterBoards {
		if testing.Short() && b.n == 4 && len(b.cells) == 1 {
			continue // it takes long under the race detector; after more cells there are the same threads
		}
		for _, steps := range []bool{true, false} {
			t.Run(fmt.Sprintf("%d-%s/steps=%v", b.n, strings.Join(b.cells, "-"), steps), func(t *testing.T) {
				test(t, s.OpenAfter(t, b.n, steps, b.cells...), s.Open(t, "notakto", b.n, steps))
			})
		}
	}
}
