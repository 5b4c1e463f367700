package anygame

import (
	"bytes"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/game/games"
	"backsolve/internal/probe"
	"backsolve/tablebase/sparse"
)

// heap is a game of one heap from which one to most are taken; who takes the last one wins.
type heap struct {
	name        string
	start, most int
	broken      bool
}

func (h heap) Name() string                      { return h.name }
func (h heap) Start() int                        { return h.start }
func (heap) Terminal(s int) (game.Outcome, bool) { return game.Lose, s == 0 }
func (heap) Key(s int) uint64                    { return uint64(s) }
func (heap) FromKey(key uint64) int              { return int(key) }
func (heap) Format(s int) string                 { return strconv.Itoa(s) }
func (heap) Parse(text string) (int, error)      { return strconv.Atoi(text) }
func (h heap) Moves(after []int, s int) []int {
	if h.broken {
		return append(after, after[:1][s])
	}
	for n := 1; n <= min(h.most, s); n++ {
		after = append(after, s-n)
	}
	return after
}

// program returns a program with the games, of which it lists those that are not listed yet.
func program(t *testing.T, of ...Game) *cobra.Command {
	t.Helper()
	var entries []game.Game
	for _, g := range of {
		entries = append(entries, custom.Entry(g))
		if _, err := games.Lookup(g.Info().Name); err != nil {
			if err := games.Add(custom.Entry(g)); err != nil {
				t.Fatal(err)
			}
		}
	}
	root, err := newRoot("mygame", entries...)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// run runs a command of a program with the games, and returns what it prints, or its error.
func run(t *testing.T, games []Game, args ...string) (string, error) {
	t.Helper()
	root := program(t, games...)
	root.SilenceUsage, root.SilenceErrors = true, true
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetErr(&out)
	root.SetArgs(args)
	err := root.ExecuteContext(t.Context())
	return out.String(), err
}

// changing is a heap whose rules change while the program runs, as they do between two programs.
type changing struct {
	heap
	most *int
}

func (c changing) Moves(after []int, s int) []int {
	return heap{most: *c.most}.Moves(after, s)
}

// renewed has rules that are looked at anew each time.
type renewed struct {
	Game
	game changing
}

func (r renewed) Numbers() custom.Rules { return custom.NewRules(r.game) }

// Rules that change are noticed where a table of the old ones is there, and --force solves them.
func TestChangedRules(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tables")
	const old, changed = 3, 4
	most := old
	g := changing{heap{"heap", 21, 0, false}, &most}
	heaps := []Game{renewed{New(g), g}}
	for _, step := range []struct {
		most  int
		args  string
		says  string
		fails error
	}{
		{old, "heap", "start position  win in 11 for the player to move", nil},
		{old, "heap", "before; --force solves it again\n", nil},
		{changed, "heap", "the rules of heap have changed", probe.ErrOtherBoard},
		{changed, "query heap", "the rules of heap have changed", probe.ErrOtherBoard},
		{changed, "heap --force", "start position  win in 9 for", nil},
		{changed, "verify heap", "all 22 states", nil},
		{old, "verify heap", "solve the game again", probe.ErrOtherBoard},
	} {
		most = step.most
		says, err := run(t, heaps, append(strings.Fields(step.args), "--dir", dir)...)
		if err != nil {
			says += err.Error()
		}
		if !errors.Is(err, step.fails) || !strings.Contains(says, step.says) {
			t.Errorf("%s: %s, %v", step.args, says, err)
		}
	}
}

// spaced is a heap whose text has a second word that is not the side to move.
type spaced struct{ heap }

func (spaced) Format(s int) string { return "heap " + strconv.Itoa(s) }

func (spaced) Parse(text string) (int, error) { return strconv.Atoi(strings.TrimPrefix(text, "heap ")) }

// A query answers positions one by one, and from standard input line by line.
func TestQuery(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tables")
	games := []Game{New(spaced{heap{"spaced", 9, 3, false}})}
	if _, err := run(t, games, "spaced", "--dir", dir); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args, stdin, want string
		status            int
	}{
		{"startpos", "", "heap 9\n\nspaced\noutcome  win\n", 0},
		{"heap 8 o", "", "\nspaced, o to move\noutcome  lose\n", 0},
		{"heap 8 z", "", "", cli.StatusUsage},
		{"startpos moves heap+9", "", "", cli.StatusUsage},
		{"--fields position,outcome", "startpos\nheap 8 o\n", "heap 9\twin\nheap 8 o\tlose\n", 0},
		{"- --fields outcome", "heap 9\nheap 9 z\n", "win\n", cli.StatusUsage},
	} {
		root := program(t, games...)
		root.SilenceUsage, root.SilenceErrors = true, true
		var out bytes.Buffer
		root.SetOut(&out)
		root.SetErr(&bytes.Buffer{})
		root.SetIn(strings.NewReader(c.stdin))
		root.SetArgs(append([]string{"query", "spaced", "--dir", dir}, strings.Fields(c.args)...))
		err := root.ExecuteContext(t.Context())
		if !strings.Contains(out.String(), c.want) || err != nil != (c.status != 0) || err != nil && cli.TableStatus(err) != c.status {
			t.Errorf("%s: %q, %v", c.args, &out, err)
		}
	}
}

// listed is a heap whose rules panic at numbers that no position has.
type listed struct{ heap }

func (listed) FromKey(key uint64) int {
	return [22]int{1: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21}[key]
}

// Whatever reads a stranger's table reports a key that no position has, with its place.
func TestForeignKey(t *testing.T) {
	games, dir := []Game{New(listed{heap{"foreign", 21, 3, false}})}, t.TempDir()
	path := filepath.Join(dir, "foreign.tb")
	err := sparse.Write(path, sparse.Header{Game: "foreign", Start: 21}, 1, func(int) iter.Seq2[uint64, sparse.Value] {
		return func(yield func(uint64, sparse.Value) bool) {
			for s := range uint64(22) {
				if v := (sparse.Value{Outcome: game.Lose, Steps: int(s) / 2}); s%4 == 0 && !yield(s, v) || s%4 != 0 && !yield(s, sparse.Value{Outcome: game.Win, Steps: 2*(int(s)/4) + 1}) {
					return
				}
			}
			yield(1000, sparse.Value{Outcome: game.Win, Steps: 99})
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for args, status := range map[string]int{"verify foreign": cli.StatusFailed, "pack foreign": cli.StatusFailed, "export foreign": cli.StatusBadTable, "info foreign": 0, "query foreign startpos": 0} {
		says, err := run(t, games, append(strings.Fields(args), "--dir", dir)...)
		if err != nil {
			says += err.Error()
		}
		if got := cli.TableStatus(err); err == nil && status != 0 || err != nil && got != status || status != 0 && !strings.Contains(says, "the number 1000 of tier 0") {
			t.Errorf("%s has status %d: %s, %v", args, got, says, err)
		}
	}
	if _, err := os.Stat(path + ".zst"); err == nil {
		t.Error("it is packed")
	}
}

// A table of outcomes alone is solved, asked, shown and exported without steps.
func TestOutcomes(t *testing.T) {
	games, dir := []Game{New(heap{"long-heap", 21, 3, false})}, t.TempDir()
	for _, step := range []struct{ args, says string }{
		{"rules long-heap", "its games may be of any length; if best play takes 32,765 plies or more"},
		{"long-heap --plan", "\nplies             any number; if best play takes 32,765 plies"},
		{"long-heap --outcomes", "start position  win for the player to move\n"},
		{"verify long-heap", "all 22 states"},
		{"info long-heap --by class", "22"},
		{"query long-heap 20 --line", "lose"},
		{"export long-heap", "\n20,lose,,false,1,"},
	} {
		args := strings.Fields(step.args)
		if args[0] != "rules" {
			args = append(args, "--dir", dir)
		}
		if says, err := run(t, games, args...); err != nil || !strings.Contains(says, step.says) {
			t.Errorf("%s: %s, %v", step.args, says, err)
		}
	}
}

// Mistakes of an author and of a user are told in a sentence.
func TestMistakes(t *testing.T) {
	good := New(heap{"heap", 21, 3, false})
	for want, games := range map[string][]Game{
		"has no games":           nil,
		"two games called twice": {New(heap{"twice", 21, 3, false}), New(heap{"twice", 21, 3, false})},
		"info is a command":      {New(heap{"info", 21, 3, false})},
		"lower-case letters":     {New(heap{"Heap", 21, 3, false})},
	} {
		if _, err := newProgram("mygame", games...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	if err := good.Check(0, 1); err != nil {
		t.Error(err)
	}
	broken := []Game{New(heap{"broken", 21, 3, true})}
	dir := t.TempDir()
	for args, want := range map[string]string{
		"rules broken":                 "at 21: the rules panic: runtime error: index out of range",
		"rules broken --all --games 0": "at 21: the rules panic: runtime error: index out of range",
		"broken":                       "at anygame_test.go:",
		"info":                         "mygame info takes GAME; for example: mygame info broken",
		"info brokn":                   "did you mean broken?",
		"query broken startpos":        "there is no table of broken in " + dir,
		"solve broken --plan":          "mygame solve is gone; type: mygame GAME",
		"query none.tb":                "none.tb: cannot open the table",
		"query anygame_test.go":        "not a backsolve table",
	} {
		if strings.Count(args, " ") > 0 && !strings.HasPrefix(args, "rules") && !strings.Contains(args, ".") {
			args += " --dir=" + dir
		}
		if _, err := run(t, broken, strings.Fields(args)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
	for _, args := range [][]string{{"rules", "broken"}, {"rules", "broken", "--all", "--games=0"}, {"broken", "--dir", dir}, {"broken", "--plan"}} {
		if _, err := run(t, broken, args...); cli.TableStatus(err) != cli.StatusRules {
			t.Errorf("%v with wrong rules has status %d: %v", args, cli.TableStatus(err), err)
		}
	}
	if _, err := run(t, []Game{good}, "heap", "--dir", filepath.Join(dir, "a", "b", "c")); cli.TableStatus(err) != cli.StatusRefused {
		t.Errorf("a directory that cannot be made: %v", err)
	}
}
