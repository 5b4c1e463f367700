package player

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/partition"
	"backsolve/probe"
	"backsolve/retro"
	"backsolve/tablebase"
)

// boards are those whose tables the tests use.
var boards = []struct {
	name string
	size int
}{
	{"quixo", 2}, {"quixo", 3}, {"quixo", 4},
	{"notakto", 1}, {"notakto", 2}, {"notakto", 3}, {"notakto", 4}, {"notakto", 5},
}

// tables is where the tests' tables lie; each is solved once.
var tables struct {
	root string
	lock sync.Mutex
}

func TestMain(m *testing.M) {
	var err error
	if tables.root, err = os.MkdirTemp("", "player"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	os.RemoveAll(tables.root)
	os.Exit(status)
}

// forEachBoard runs a test with the table, with steps, of each board.
func forEachBoard(t *testing.T, test func(t *testing.T, table *probe.Table)) {
	for _, b := range boards {
		t.Run(fmt.Sprintf("%s-%d", b.name, b.size), func(t *testing.T) { test(t, open(t, b.name, b.size, true)) })
	}
}

// open opens the table of a board for the length of the test.
func open(t testing.TB, name string, n int, steps bool) *probe.Table {
	t.Helper()
	if testing.Short() && name == "quixo" && n == 4 {
		t.Skip("solving it takes long under the race detector")
	}
	rules := newRules(t, name, n)
	table, err := probe.Open(solved(t, rules, steps), rules)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return table
}

// solved returns a directory with the table of a board.
func solved(t testing.TB, rules game.Rules, steps bool) string {
	t.Helper()
	tables.lock.Lock()
	defer tables.lock.Unlock()
	dir := filepath.Join(tables.root, fmt.Sprintf("steps=%v", steps))
	path := filepath.Join(dir, probe.FileName(rules))
	if _, err := os.Stat(path); err == nil {
		return dir
	}
	space, err := partition.New(rules)
	if err != nil {
		t.Fatal(err)
	}
	shape := tablebase.Shape{Game: rules.Name(), Size: rules.Size(), Planes: 1, Steps: steps}
	if space.Draws() {
		shape.Planes = 2
	}
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

func newRules(t testing.TB, name string, n int) game.Rules {
	t.Helper()
	rules, err := games.New(name, n)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// parse reads a position that the test knows to be right.
func parse(t testing.TB, rules game.Rules, text string) game.Position {
	t.Helper()
	p, err := rules.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// perfect returns an agent that plays by a table.
func perfect(t testing.TB, table *probe.Table, s Strength) Agent {
	t.Helper()
	a, err := Perfect(table, s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// begin begins a game for an agent.
func begin(t testing.TB, a Agent, seed uint64) Player {
	t.Helper()
	p, err := a.Begin(seed)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// move returns the move of a player, which must be legal.
func move(t testing.TB, rules game.Rules, player Player, p game.Position) game.Move {
	t.Helper()
	m, err := player.Move(t.Context(), p)
	if err != nil {
		t.Fatalf("%s: %v", rules.Format(p), err)
	}
	if _, err := rules.ParseMove(p, rules.FormatMove(m)); err != nil {
		t.Fatalf("%s: %v", rules.Format(p), err)
	}
	return m
}

// play plays a game of so many plies, or until it is over, and returns its
// positions and moves.
func play(t testing.TB, rules game.Rules, p game.Position, plies int, players ...Player) (positions []game.Position, moves []game.Move) {
	t.Helper()
	positions = []game.Position{p}
	for i := range plies {
		if _, over := rules.Terminal(p); over {
			break
		}
		m := move(t, rules, players[i%len(players)], p)
		p = rules.Play(p, m)
		positions, moves = append(positions, p), append(moves, m)
	}
	return positions, moves
}

// random returns the generator of a test's positions.
func random() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }
