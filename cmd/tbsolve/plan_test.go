package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"backsolve/cmd/cli"
	"backsolve/game/games"
	"backsolve/internal/durable"
	"backsolve/internal/probe"
	"backsolve/partition"
)

// TestPlanAgrees compares what --plan announces with what the command does: both end with the
// same status and the same error.
func TestPlanAgrees(t *testing.T) {
	nothing := func(*testing.T, string) {}
	solved := func(commands ...string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			for _, c := range commands {
				if status, says := runHere(t, append(strings.Fields(c), "--quiet", "--dir", dir)...); status != 0 {
					t.Fatal(says)
				}
			}
		}
	}
	file := func(name, text string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	directory := func(name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
				t.Fatal(err)
			}
		}
	}
	held := func(name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			l, err := durable.Lock(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { l.Unlock() })
		}
	}
	gone := func(name string, before func(*testing.T, string)) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			before(t, dir)
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	opening := solved("notakto 3 --keep opening=20KB")
	for _, c := range []struct {
		what    string
		prepare func(*testing.T, string)
		command string
		status  int
	}{
		{"nothing", nothing, "quixo 2", 0},
		{"nothing", nothing, "tictactoe 2 --steps --packed", 0},
		{"nothing", nothing, "notakto 3 --grundy", 0},
		{"nothing", nothing, "notakto 3 --after b2", 0},
		{"nothing", nothing, "notakto 3 --keep result", 0},
		{"nothing", nothing, "notakto 3 --keep opening", 0},
		{"nothing", nothing, "quixo 3 --down-to-class 5", 0},
		{"nothing", nothing, "notakto 3 --keep opening=1B", cli.StatusRefused},
		{"nothing", nothing, "quixo 3 --memory 1MiB", cli.StatusRefused},
		{"nothing", nothing, "notakto 3 --keep result --memory 1MiB", cli.StatusRefused},
		{"the table", solved("quixo 2"), "quixo 2", 0},
		{"the table", solved("quixo 2"), "quixo 2 --memory 1MiB", 0},
		{"a table without steps", solved("quixo 2"), "quixo 2 --steps", cli.StatusFailed},
		{"a table without steps", solved("quixo 2"), "quixo 2 --steps --force", 0},
		{"a packed table without steps", solved("quixo 2 --packed"), "quixo 2 --steps", cli.StatusFailed},
		{"a table with nimbers", solved("notakto 3 --grundy"), "notakto 3", 0},
		{"no table by its name", file("quixo-2x2.tb", "thesis"), "quixo 2", cli.StatusBadTable},
		{"a table that is not packed", solved("quixo 2"), "quixo 2 --packed", cli.StatusFailed},
		{"a packed table that is no archive", solved("quixo 2 --steps --packed"), "quixo 2 --steps --packed=archive", cli.StatusFailed},
		{"no table by its name", file("quixo-2x2.tb", "thesis"), "quixo 2 --force", 0},
		{"a directory", directory("quixo-2x2.tb"), "quixo 2", cli.StatusFailed},
		{"a directory", directory("quixo-2x2.tb"), "quixo 2 --force", cli.StatusFailed},
		{"a directory", directory("quixo-2x2.tb.partial"), "quixo 2", cli.StatusFailed},
		{"another solve", solved("quixo 3 --steps --down-to-class 5"), "quixo 3", cli.StatusFailed},
		{"another solve", solved("quixo 3 --steps --down-to-class 5"), "quixo 3 --force", 0},
		{"the same solve", solved("quixo 3 --steps --down-to-class 5"), "quixo 3 --steps", 0},
		{"a solve at work", held("quixo-2x2.tb"), "quixo 2", cli.StatusFailed},
		{"a solve at work", held("notakto-3x3"), "notakto 3 --keep result", cli.StatusFailed},
		{"a solve at work", held("notakto-3x3.tb"), "notakto 3 --keep opening", cli.StatusFailed},
		{"the result", solved("notakto 3 --keep result"), "notakto 3 --keep result", 0},
		{"no result by its name", file("notakto-3x3.json", "{}"), "notakto 3 --keep result", cli.StatusFailed},
		{"no result by its name", file("notakto-3x3.json", "{}"), "notakto 3 --keep result --force", 0},
		{"nothing", nothing, "hounds --outcomes", 0},
		{"the table", solved("hounds"), "hounds", 0},
		{"no table by its name", file("hounds.tb", "thesis"), "hounds", cli.StatusBadTable},
		{"no table by its name", file("hounds.tb", "thesis"), "hounds --force", 0},
		{"a solve at work", held("hounds.tb.work"), "hounds", cli.StatusFailed},
		{"no result, but its opening table", gone("notakto-3x3.json", opening), "notakto 3 --keep opening=20KB", cli.StatusFailed},
		{"no result, but its opening table", gone("notakto-3x3.json", opening), "notakto 3 --keep result", 0},
	} {
		dir := t.TempDir()
		c.prepare(t, dir)
		args := append(strings.Fields(c.command), "--quiet", "--dir", dir)
		planned, says := runHere(t, append(args, "--plan")...)
		got, does := runHere(t, args...)
		if planned != c.status || got != c.status {
			t.Errorf("%s, and %s: the plan has status %d, the solve %d, want %d\n%s\n%s", c.what, c.command, planned, got, c.status, says, does)
		} else if got != 0 && !strings.HasSuffix(says, does) {
			t.Errorf("%s, and %s: the plan says %q, the solve %q", c.what, c.command, says, does)
		}
	}
}

// TestAdvicePlans compares the solves that messages advise with --plan: they are possible here,
// and where a message says that no table can be made here, --plan says the same.
func TestAdvicePlans(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv(probe.DirVariable, "")
	advised := regexp.MustCompile(`with: tbsolve ([^;(]*)`)
	for _, g := range games.All() {
		for _, n := range g.Sizes() {
			board := g.New(n).Info()
			if partition.Solvable(board) != nil {
				continue
			}
			says := cli.Sentence(&probe.MissingError{Board: board, Dir: "tables"})
			if strings.Contains(says, "this machine cannot make") {
				if status, plan := runHere(t, g.Name, fmt.Sprint(n), "--plan"); status != cli.StatusRefused {
					t.Errorf("%s; but the plan has status %d: %s", says, status, plan)
				}
			}
			if command := advised.FindStringSubmatch(says); command != nil {
				if status, plan := runHere(t, append(strings.Fields(command[1]), "--plan")...); status != 0 {
					t.Errorf("%s; but the plan has status %d: %s", says, status, plan)
				}
			} else if !strings.Contains(says, "this machine cannot make") {
				t.Errorf("nothing is advised: %s", says)
			}
		}
	}
}

// The plan of a game by its positions, with loops and without, is at least the memory that the solve takes, and not much more.
func TestGamePlanHolds(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector takes memory of its own")
	}
	for _, game := range []string{"hounds", "connect4-4x4"} {
		var memory struct {
			Planned int64 `json:"memory_bytes"`
			Taken   int64 `json:"peak_memory_bytes"`
		}
		for _, args := range [][]string{{"--plan"}, nil} {
			out, err := tbsolve(t, append(args, game, "--json", "--quiet", "--dir", filepath.Join(t.TempDir(), "tables"))...).Output()
			if err != nil || json.Unmarshal(out, &memory) != nil {
				t.Fatalf("%s: %v, %s", game, err, out)
			}
		}
		if memory.Planned < memory.Taken || memory.Planned > 4*memory.Taken {
			t.Errorf("%s is planned with %d bytes of memory, and takes %d", game, memory.Planned, memory.Taken)
		}
	}
}
