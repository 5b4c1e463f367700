package ugi

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/partition"
	"backsolve/player"
	"backsolve/probe"
	"backsolve/retro"
	"backsolve/tablebase"
)

// root is where the tests' tables lie; each is solved once.
var (
	root string
	lock sync.Mutex
)

// TestMain is also the program of the engines that the tests play against.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == engineArgument {
		os.Exit(fakeEngine(os.Args[2:]))
	}
	var err error
	if root, err = os.MkdirTemp("", "ugi"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(status int) {
		os.RemoveAll(root)
		os.Exit(status)
	}))
}

func newRules(t testing.TB, name string, n int) game.Rules {
	t.Helper()
	rules, err := games.New(name, n)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// open opens the table, of the game that goes on after the taken cells are marked,
// for the length of the test.
func open(t testing.TB, name string, n int, taken uint64, steps bool) *probe.Table {
	t.Helper()
	lock.Lock()
	defer lock.Unlock()
	rules := newRules(t, name, n)
	dir := filepath.Join(root, fmt.Sprintf("steps=%v", steps))
	path := filepath.Join(dir, probe.FileNameAfter(rules, taken))
	if _, err := os.Stat(path); err != nil {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		solve(t, path, rules, taken, steps)
	}
	table, err := probe.OpenAfter(dir, rules, taken)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return table
}

func solve(t testing.TB, path string, rules game.Rules, taken uint64, steps bool) {
	t.Helper()
	space, err := partition.NewAfter(rules, taken)
	if err != nil {
		t.Fatal(err)
	}
	shape := tablebase.Shape{Game: probe.ShapeGame(rules, taken), Size: rules.Size(), Planes: 1, Steps: steps}
	if space.Draws() {
		shape.Planes = 2
	}
	w, err := tablebase.Create(path, shape, false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := retro.Solve(context.Background(), space, w, retro.Options{Steps: steps}); err != nil {
		t.Fatal(err)
	}
}

// newHost returns a host of a table with an optimal player and an option for its
// seed.
func newHost(t testing.TB, table *probe.Table) *Host {
	t.Helper()
	agent, err := player.Perfect(table, player.Strength{Policy: player.Optimal})
	if err != nil {
		t.Fatal(err)
	}
	var seed uint64
	return &Host{
		Name: "test " + table.Board(), Author: "nobody",
		Rules: table.Rules(), Start: table.Start(), Answers: table,
		Begin: func() (player.Player, error) { return agent.Begin(seed) },
		Options: []Option{{"Seed", "string default 0", func(value string) (err error) {
			seed, err = strconv.ParseUint(value, 10, 64)
			return err
		}}},
	}
}

// clock is what differs between runs.
var clock = regexp.MustCompile(`time \d+ nps \d+`)

// talk returns the lines with which a host answers commands, without the time that
// it took.
func talk(t testing.TB, h *Host, commands ...string) []string {
	t.Helper()
	var out bytes.Buffer
	if err := Serve(t.Context(), strings.NewReader(strings.Join(commands, "\n")), &out, h); err != nil {
		t.Fatal(err)
	}
	if out.Len() == 0 {
		return nil
	}
	text, whole := strings.CutSuffix(clock.ReplaceAllString(out.String(), "time T nps N"), "\n")
	if !whole {
		t.Fatalf("the last line is cut: %q", text)
	}
	return strings.Split(text, "\n")
}
