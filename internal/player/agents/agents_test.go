package agents

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/game/gametest"
	"backsolve/internal/player"
	"backsolve/internal/player/qlearning"
	"backsolve/internal/player/zero/untrained"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newEnv returns the environment of a board with its table.
func newEnv(t testing.TB, name string, n int, steps bool) *Env {
	t.Helper()
	rules, dir := probetest.Rules(t, name, n), t.TempDir()
	probetest.Solve(t, dir, rules, 0, steps)
	e := &Env{Rules: game.Opaque[game.Position](rules), Dir: dir}
	t.Cleanup(func() { e.Close() })
	return e
}

// newBoard returns the environment of a board without tables.
func newBoard(t *testing.T, name string, n int) *Env {
	t.Helper()
	rules, err := games.New(name, n)
	if err != nil {
		t.Fatal(err)
	}
	return &Env{Rules: rules, Dir: t.TempDir()}
}

// learn saves weights of a board in a file whose name has a comma.
func learn(t *testing.T, rules game.Rules) string {
	t.Helper()
	grid, ok := game.GridOf(rules)
	if !ok {
		t.Fatalf("%v is no grid", rules.Info())
	}
	w, err := qlearning.Train(t.Context(), grid, qlearning.DefaultOptions(10, 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a,b.json")
	if err := w.Save(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// newNetwork saves the weights of an untrained network for a board in a file whose name has
// a comma.
func newNetwork(t *testing.T, rules game.Rules) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a,b.weights")
	untrained.Save(t, rules.Info().Name, rules.Info().Size, path)
	return path
}

// Every kind of agent is made from its name, says that name, and plays.
func TestParse(t *testing.T) {
	e := newEnv(t, "notakto", 4, true)
	path, net := learn(t, e.Rules), newNetwork(t, e.Rules)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for text, name := range map[string]string{
		"random":                            "random",
		"greedy":                            "greedy",
		"pairing":                           "pairing",
		"optimal":                           "optimal",
		"optimal:blunder=0":                 "optimal",
		"optimal:blunder=0.050":             "optimal:blunder=0.05",
		"shortest:blunder=1e-2":             "shortest:blunder=0.01",
		"trap":                              "trap",
		"minimax:depth=3":                   "minimax:depth=3",
		"minimax:time=20ms":                 "minimax:time=20ms",
		"minimax:time=0.02s,depth=3":        "minimax:depth=3,time=20ms",
		"mcts:0":                            "mcts:0",
		"mcts:100":                          "mcts:100",
		"mcts:100,keep-tree":                "mcts:100,keep-tree",
		`qlearning:weights="` + path + `"`:  `qlearning:weights=` + path,
		`zero:weights="` + net + `"`:        `zero:weights="` + net + `",sims=100`,
		`zero:sims=0,weights="` + net + `"`: `zero:weights="` + net + `",sims=0`,
		"engine:" + self + " x":             "engine:" + self + " x",
		"mcts:100,exploration=1.20":         "mcts:100,exploration=1.2",
		"mcts:100,time=0.1s,keep-tree":      "mcts:100,keep-tree,time=100ms",
		`engine:"` + self + ` 'a, b'",move-time=5s`: `engine:"` + self + ` 'a, b'",move-time=5s`,
	} {
		a, err := Parse(t.Context(), text, e)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if a.Name() != name {
			t.Errorf("%s is named %s, want %s", text, a.Name(), name)
		}
		kind, _, _ := strings.Cut(name, ":")
		if seen[kind] = true; kind != "engine" { // this one speaks no UGI
			checkMove(t, e.Rules, a)
		}
	}
	for _, k := range Kinds() {
		if !seen[k.Name] {
			t.Errorf("%s was not made", k.Name)
		}
	}
}

// checkMove lets an agent move once.
func checkMove(t *testing.T, rules game.Rules, a player.Agent) {
	t.Helper()
	p, err := a.Begin(1)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	m, err := player.Move(t.Context(), p, rules.Start())
	if err != nil || !slices.Contains(rules.Moves(nil, rules.Start()), m) {
		t.Errorf("%s moves %v, %v", a.Name(), m, err)
	}
}

// On boards that are not grids, and in games of any kind, agents play that need neither a table
// nor weights; a strategy may stand in for a table.
func TestAgentsOfAnyGame(t *testing.T) {
	for _, e := range []*Env{newBoard(t, "notakto", 12), newBoard(t, "notakto", 8), {Rules: gametest.NewStrip(6)}, newBoard(t, "othello", 6), newBoard(t, "uttt", 9),
		newBoard(t, "nim", 5), newBoard(t, "nim-misere", 1), newBoard(t, "dawson", 26), newBoard(t, "dawson-normal", 2), newBoard(t, "notakto-boards", 3)} {
		names := []string{"random", "greedy", "minimax:depth=1", "mcts:0", "mcts:20,keep-tree"}
		switch e.Rules.Info().Name {
		case "strip":
		case "notakto":
			names = append(names, "pairing", "optimal", "optimal:blunder=0.5")
		case "othello":
			names = append(names, "mcts:20,weighted", `zero:sims=5,weights="`+newNetwork(t, e.Rules)+`"`)
		case "uttt":
			names = append(names, "mcts:20,weighted", "mcts:20,keep-tree,weighted,exploration=0.7")
		default:
			names = append(names, "optimal", "shortest", "trap", "shortest:blunder=0.5")
		}
		for _, name := range names {
			a, err := Parse(t.Context(), name, e)
			if err != nil {
				t.Errorf("%s of %v: %v", name, e.Rules.Info(), err)
				continue
			}
			checkMove(t, e.Rules, a)
		}
	}
}

// What cannot be read is refused with the column and what goes there.
func TestNamesThatAreWrong(t *testing.T) {
	e := newEnv(t, "notakto", 3, true)
	const known = "agents are random, greedy, qlearning, minimax, mcts, zero, pairing, optimal, shortest, trap, engine"
	for text, want := range map[string]string{
		"":                            `"", column 1: there is no such agent; ` + known + `; an example is "mcts:1000"`,
		"Random":                      `"Random", column 1: there is no such agent; did you mean random? (` + known + `); an example is "mcts:1000"`,
		"mtcs:100":                    `"mtcs:100", column 1: there is no such agent; did you mean mcts? (` + known + `); an example is "mcts:1000"`,
		"random:1":                    `"random:1", column 8: random has no options; an example is "random"`,
		"greedy:":                     `"greedy:", column 8: greedy has no options; an example is "greedy"`,
		"optimal:":                    `"optimal:", column 9: there is no such option; options of optimal are blunder; an example is "optimal:blunder=0.05"`,
		"optimal:blundr=0.1":          `"optimal:blundr=0.1", column 9: there is no such option; did you mean blunder? (options of optimal are blunder); an example is "optimal:blunder=0.05"`,
		"optimal:blunder":             `"optimal:blunder", column 16: expected an equals sign and a value; an example is "optimal:blunder=0.05"`,
		"optimal:blunder=":            `"optimal:blunder=", column 17: expected a value; an example is "optimal:blunder=0.05"`,
		"optimal:blunder=2":           `"optimal:blunder=2", column 17: expected a probability, a number from 0 to 1; an example is "optimal:blunder=0.05"`,
		"optimal:blunder=NaN":         `"optimal:blunder=NaN", column 17: expected a probability, a number from 0 to 1; an example is "optimal:blunder=0.05"`,
		"optimal:blunder=0,blunder=0": `"optimal:blunder=0,blunder=0", column 19: blunder is given twice; an example is "optimal:blunder=0.05"`,
		"minimax":                     `"minimax", column 8: it needs a limit: depth, time or both; an example is "minimax:depth=6"`,
		"minimax:depth=0":             `"minimax:depth=0", column 15: expected a whole number from 1 to 200; an example is "minimax:depth=6"`,
		"minimax:time=100":            `"minimax:time=100", column 14: expected a time from 1ms to 24h, as 100ms or 2.5s; an example is "minimax:depth=6"`,
		"minimax:time=1ns":            `"minimax:time=1ns", column 14: expected a time from 1ms to 24h, as 100ms or 2.5s; an example is "minimax:depth=6"`,
		"mcts":                        `"mcts", column 5: expected the number of iterations; an example is "mcts:10000"`,
		"mcts:":                       `"mcts:", column 6: expected the number of iterations; an example is "mcts:10000"`,
		"mcts:-1":                     `"mcts:-1", column 6: expected a whole number from 0 to 100000000; an example is "mcts:10000"`,
		"mcts:1e3":                    `"mcts:1e3", column 6: expected a whole number from 0 to 100000000; an example is "mcts:10000"`,
		"mcts:9,keep-tree=no":         `"mcts:9,keep-tree=no", column 17: keep-tree takes no value; an example is "mcts:10000"`,
		"mcts:9,":                     `"mcts:9,", column 8: there is no such option; options of mcts are keep-tree, time, weighted, exploration, all-states, by-rate; an example is "mcts:10000"`,
		"mcts:9,exploration=0":        `"mcts:9,exploration=0", column 20: expected a number above 0, at most 1000; an example is "mcts:10000"`,
		"mcts:9,exploration=NaN":      `"mcts:9,exploration=NaN", column 20: expected a number above 0, at most 1000; an example is "mcts:10000"`,
		"qlearning":                   `"qlearning", column 10: it needs a file of weights, which lab train makes; an example is "qlearning:weights=quixo-4x4.weights.json"`,
		"qlearning:weights":           `"qlearning:weights", column 18: expected an equals sign and a value; an example is "qlearning:weights=quixo-4x4.weights.json"`,
		"zero":                        `"zero", column 5: it needs a file of weights, which lab train makes; an example is "zero:weights=notakto-4x4.weights,sims=100"`,
		"zero:weights=a,sims=-1":      `"zero:weights=a,sims=-1", column 21: expected a whole number from 0 to 10000000; an example is "zero:weights=notakto-4x4.weights,sims=100"`,
		"zero:weights=a,sim=1":        `"zero:weights=a,sim=1", column 16: there is no such option; did you mean sims? (options of zero are weights, sims); an example is "zero:weights=notakto-4x4.weights,sims=100"`,
		"engine":                      `"engine", column 7: expected the command of the engine; an example is "engine:./engine -t 2,move-time=500ms"`,
		`engine:"a b`:                 `"engine:\"a b", column 12: the double quote is not closed; an example is "engine:./engine -t 2,move-time=500ms"`,
		`engine:"a" b`:                `"engine:\"a\" b", column 11: after the closing quote goes a comma or nothing; within double quotes use single ones; an example is "engine:./engine -t 2,move-time=500ms"`,
		"engine:é,time=1s":            `"engine:é,time=1s", column 10: there is no such option; options of engine are move-time; an example is "engine:./engine -t 2,move-time=500ms"`,
	} {
		_, err := Parse(t.Context(), text, e)
		if syntax := (*game.SyntaxError)(nil); !errors.As(err, &syntax) || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	long := strings.Repeat("mcts:", 1<<20)
	if _, err := Parse(t.Context(), long, e); err == nil || len(err.Error()) > 300 {
		t.Errorf("%.400v", err)
	}
}

// Agents that are named well and still cannot be made.
func TestAgentsThatCannotBe(t *testing.T) {
	e := newEnv(t, "quixo", 2, false)
	empty := &Env{Rules: e.Rules, Dir: t.TempDir()}
	board := func(name string, n int) *Env { return newBoard(t, name, n) }
	for _, c := range []struct {
		name string
		env  *Env
		want string
	}{
		{"optimal", empty, "there is no table of quixo 2×2 in " + empty.Dir},
		{"shortest", e, "shortest cannot play: the table of quixo 2×2 was solved without steps"},
		{"mcts:9,weighted", e, "there are no weighted playouts of quixo 2×2; leave out weighted"},
		{"optimal", board("othello", 6), "othello has no tables"},
		{"pairing", e, "there is no pairing of quixo 2×2; pairing plays notakto 4×4, 8×8, 12×12 and so on up to 24×24"},
		{"pairing", board("notakto", 9), "there is no pairing of notakto 9×9; pairing plays notakto 4×4, 8×8, 12×12 and so on up to 24×24"},
		{"optimal", board("notakto", 9), "board too large to solve: notakto 9×9 has 2417851639229258349412352 states; sizes 1 to 7 can be solved; the second player's pairing answers on boards of size 8, 12, 16, 20, 24"},
		{"optimal", board("quixo", 6), "board too large to solve: quixo 6×6 has 150094635296999121 states; sizes 2 to 5 can be solved"},
		{"shortest", board("notakto", 8), "shortest cannot play: the second player's pairing knows no steps; choose optimal"},
		{`qlearning:weights="` + learn(t, newEnv(t, "notakto", 3, false).Rules) + `"`, board("notakto", 12),
			"weights are of boards of at most 8×8 cells, which notakto 12×12 is not; choose another agent"},
		{"optimal", &Env{Rules: gametest.NewStrip(5)}, `there is no game "strip"`},
		{"qlearning:weights=none.json", e, "none.json"},
		{"zero:weights=none.weights", e, "none.weights"},
		{`zero:weights="` + newNetwork(t, newEnv(t, "notakto", 3, false).Rules) + `"`, e, "the weights are of notakto of size 3, not of quixo 2×2; train some on that board"},
		{"engine:no-such-program", e, "the engine cannot be started: "},
		{"engine:'a", e, "the command of the engine has a quote that is not closed"},
	} {
		if _, err := Parse(t.Context(), c.name, c.env); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	var missing *probe.MissingError
	if _, err := Parse(t.Context(), "optimal", empty); !errors.As(err, &missing) {
		t.Errorf("%T", err)
	}
}

// All agents share one table.
func TestTableIsShared(t *testing.T) {
	e := newEnv(t, "notakto", 3, true)
	first, err := e.Table()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"optimal", "shortest:blunder=0.5"} {
		if _, err := Parse(t.Context(), name, e); err != nil {
			t.Fatal(err)
		}
	}
	if again, err := e.Table(); err != nil || again != first {
		t.Errorf("%p and %p, %v", first, again, err)
	}
	for range 2 {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestHelp(t *testing.T) {
	lines, words := strings.Split(strings.TrimSuffix(Help(), "\n"), "\n"), Complete()
	if len(lines) != len(Kinds()) || len(words) != len(Kinds()) {
		t.Fatalf("%d lines, %d words, %d kinds", len(lines), len(words), len(Kinds()))
	}
	for i, k := range Kinds() {
		if !strings.HasPrefix(lines[i], "  "+k.Form+"  ") || !strings.HasSuffix(lines[i], k.Summary) {
			t.Errorf("%s: %q", k.Name, lines[i])
		}
		if _, err := read(k.Example); err != nil || words[i] != k.Example+"\t"+k.Summary {
			t.Errorf("%q: %v", words[i], err)
		}
	}
}

// Whatever is typed is read or refused with a place in it.
func TestReadAnything(t *testing.T) {
	parts := rapid.SampledFrom([]string{"mcts", "engine", "minimax", "optimal", ":", ",", "=", `"`, "'", "blunder", "depth", "é", "\xff", "1", " ", "move-time"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(parts).Draw(t, "parts"), "")
		_, err := read(text)
		var syntax *game.SyntaxError
		if err != nil && (!errors.As(err, &syntax) || syntax.Column < 1 || syntax.Column > len([]rune(text))+1) {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
