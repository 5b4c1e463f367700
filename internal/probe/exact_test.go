package probe_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/game/gametest"
	"backsolve/internal/probe"
)

// rulesOf returns the rules of a board of any game.
func rulesOf(t testing.TB, name string, n int) game.Rules {
	t.Helper()
	rules, err := games.New(name, n)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// best returns the value of a position from those of its children. If there are none, the game
// is over: lost, or won in misère play.
func best(misere bool, children []probe.Value) probe.Value {
	v := probe.Value{Outcome: game.Lose}
	if len(children) == 0 && misere {
		v.Outcome = game.Win
	}
	for _, c := range children {
		switch {
		case c.Outcome == game.Lose && (v.Outcome == game.Lose || c.Steps+1 < v.Steps):
			v = probe.Value{Outcome: game.Win, Steps: c.Steps + 1}
		case c.Outcome == game.Win && v.Outcome == game.Lose:
			v.Steps = max(v.Steps, c.Steps+1)
		}
	}
	return v
}

// nimValues returns the values of all heaps of at most 1, 3, 5, … counters, and their texts, by
// arithmetic alone.
func nimValues(n int, misere bool) (values []probe.Value, text func(i int) string) {
	weights, total := []int{}, 1
	for heap := range n {
		weights, total = append(weights, total), total*(2*heap+2)
	}
	counters := func(i, heap int) int { return i / weights[heap] % (2*heap + 2) }
	values = make([]probe.Value, total)
	var children []probe.Value
	for i := range values {
		children = children[:0]
		for heap, weight := range weights {
			for taken := 1; taken <= counters(i, heap); taken++ {
				children = append(children, values[i-taken*weight])
			}
		}
		values[i] = best(misere, children)
	}
	return values, func(i int) string {
		var heaps []string
		for heap := range n {
			heaps = append(heaps, fmt.Sprint(counters(i, heap)))
		}
		return strings.Join(heaps, "/")
	}
}

// TestNim compares the formula, the memo solver and a full table on all positions from starts
// of up to seven heaps.
func TestNim(t *testing.T) {
	for n := 1; n <= 7; n++ {
		if n > 5 && testing.Short() || n > 6 && os.Getenv("BACKSOLVE_LONG") == "" {
			break
		}
		for name, misere := range map[string]bool{"nim": false, "nim-misere": true} {
			rules := rulesOf(t, name, n)
			known, _ := game.ExactOf(rules)
			solve := probe.MemoSolve(rules, known.Key, 1<<20)
			values, text := nimValues(n, misere)
			for i, want := range values {
				s, err := rules.Parse(text(i))
				if err != nil {
					t.Fatal(err)
				}
				if got, err := solve(s); err != nil || got != want || known.Outcome(s) != want.Outcome {
					t.Fatalf("%s %s is solved as %v and known as %v, want %v: %v", name, text(i), got, known.Outcome(s), want, err)
				}
			}
			if n <= 4 || n <= 6 && os.Getenv("BACKSOLVE_LONG") != "" {
				checkNimAnswers(t, name, n, values, text)
			}
		}
	}
}

// checkNimAnswers compares all answers with the values of the positions.
func checkNimAnswers(t *testing.T, name string, n int, values []probe.Value, text func(int) string) {
	t.Helper()
	value := map[string]probe.Value{}
	for i, v := range values {
		value[text(i)] = v
	}
	board, err := probe.NewBoard(name, n, "")
	if err != nil {
		t.Fatal(err)
	}
	for position, want := range value {
		a, err := board.Strategy().Ask(position, probe.NoLine)
		if err != nil || a.Value != want || a.Position != position {
			t.Fatalf("%s %s: %+v, %v", name, position, a, err)
		}
		checkExact(t, a, func(text string) probe.Value { return value[strings.TrimSuffix(text, " o")] })
	}
}

// checkExact checks that an answer has all moves, the best first, with their values, and that
// its nimber is the least that no move leads to.
func checkExact(t *testing.T, a *probe.Answer, value func(position string) probe.Value) {
	t.Helper()
	nimber, known := a.Nimber.Value()
	reached := map[int]bool{}
	for i, m := range a.Moves {
		n, has := m.Nimber.Value()
		reached[n] = true
		if want := value(m.Position).Before(); m.Value != want || has != known {
			t.Fatalf("%s: %s is %v with the nimber %v, want %v", a.Position, m.Move, m.Value, m.Nimber, want)
		}
		if i > 0 && !better(a.Moves[i-1], m) {
			t.Fatalf("%s: %v stands before %v", a.Position, a.Moves[i-1], m)
		}
	}
	if known && (reached[nimber] || (nimber == 0) != (a.Outcome == game.Lose)) {
		t.Fatalf("%s is a %v of nimber %d", a.Position, a.Outcome, nimber)
	}
	for n := range nimber {
		if !reached[n] {
			t.Fatalf("%s has the nimber %d, but no move leads to %d", a.Position, nimber, n)
		}
	}
	if source := map[bool]probe.Source{true: probe.FromRules, false: probe.FromFormula}[a.Terminal]; a.Terminal != (len(a.Moves) == 0) ||
		a.Source != source && (a.Game != "dawson" || a.Source != probe.FromSearch) {
		t.Fatalf("%s has %d moves and comes from %q", a.Position, len(a.Moves), a.Source)
	}
}

// dawson plays Dawson's chess on the texts of its positions.
type dawson struct {
	misere bool
	values map[string]probe.Value
}

func (d dawson) value(text string) probe.Value {
	if v, ok := d.values[text]; ok {
		return v
	}
	var children []probe.Value
	for file, c := range []byte(text) {
		if c != '.' {
			continue
		}
		after := []byte(text)
		for beside := max(file-1, 0); beside <= min(file+1, len(text)-1); beside++ {
			after[beside] = '-'
		}
		after[file] = 'X'
		children = append(children, d.value(string(after)))
	}
	v := best(d.misere, children)
	d.values[text] = v
	return v
}

// TestDawson compares answers on up to 20 files with playing all games to the end: misère play
// by the memo solver, normal play also by Grundy values.
func TestDawson(t *testing.T) {
	most := 20
	if testing.Short() {
		most = 14
	}
	for n := 1; n <= most; n++ {
		for name, misere := range map[string]bool{"dawson": true, "dawson-normal": false} {
			d := dawson{misere, map[string]probe.Value{}}
			d.value(strings.Repeat(".", n))
			board, err := probe.NewBoard(name, n, "")
			if err != nil {
				t.Fatal(err)
			}
			for position, want := range d.values {
				a, err := board.Strategy().Ask(position, probe.NoLine)
				if err != nil {
					t.Fatal(err)
				}
				if _, nimber := a.Nimber.Value(); a.Value != want || len(a.Moves) != strings.Count(position, ".") || nimber == misere {
					t.Fatalf("%s: %+v, want %v", position, a, want)
				}
				checkExact(t, a, d.value)
			}
		}
	}
}

// TestDawsonsProblem checks that on 3×9 the first player wins through the centre, in misère and
// in normal play.
func TestDawsonsProblem(t *testing.T) {
	for _, name := range []string{"dawson", "dawson-normal"} {
		board, err := probe.NewBoard(name, 9, "")
		if err != nil {
			t.Fatal(err)
		}
		a, err := board.Strategy().Ask(".........", probe.WholeLine)
		if err != nil || a.Outcome != game.Win {
			t.Fatalf("%+v, %v", a, err)
		}
		if !slices.ContainsFunc(a.Moves, func(m probe.Move) bool { return m.Move == "e" && m.Outcome == game.Win }) {
			t.Errorf("%s: the moves are %v", name, a.Moves)
		}
		if len(a.Line.Plies) != a.Steps || a.Line.Truncated || a.Line.Repeats != -1 {
			t.Errorf("%s: %v, but the line is %+v", name, a.Value, a.Line)
		}
	}
}

// TestManyHeaps checks that answers about any heaps have steps, as there are few enough states.
func TestManyHeaps(t *testing.T) {
	board, err := probe.NewBoard("nim", 8, "")
	if err != nil {
		t.Fatal(err)
	}
	text := "8/8/8/8/8/8/8/8 o"
	if os.Getenv("BACKSOLVE_LONG") != "" {
		text = strings.ReplaceAll(text, "8", "15") // all others follow
	}
	a, err := board.Strategy().Ask(text, probe.NoLine)
	if err != nil || a.Outcome != game.Lose || a.Steps < 8 || len(a.Moves) != strings.Count(text, "5")*15+strings.Count(text, "8")*8 {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestTooManyStates limits the memo: a formula still answers, without steps, and the memo
// solver reports the limit, whatever was asked before.
func TestTooManyStates(t *testing.T) {
	nim := probe.NewExact(rulesOf(t, "nim", 3), 4)
	for _, c := range []struct {
		text  string
		steps int
	}{{"0/0/3", 1}, {"1/2/3", -1}, {"0/1/1", 2}, {"0/3/0", 1}, {"1/3/5", -1}, {"0/0/0", 0}} {
		a, err := nim.Ask(c.text, probe.NoLine)
		if err != nil || a.Steps != c.steps {
			t.Fatalf("%s: %+v, %v", c.text, a, err)
		}
		for _, m := range a.Moves {
			if (m.Steps < 0) != (c.steps < 0) {
				t.Errorf("%s: %v", c.text, a.Moves)
			}
		}
	}
	chess := probe.NewExact(rulesOf(t, "dawson", 9), 4)
	for range 2 {
		if a, err := chess.Ask("-X-X-....", probe.NoLine); err != nil || a.Steps < 0 {
			t.Errorf("%+v, %v", a, err)
		}
		_, err := chess.Ask(".........", probe.NoLine)
		if want := "the outcome is not known: .........: too many states follow to be solved one at a time"; !errors.Is(err, probe.ErrUnknown) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		if _, _, err := chess.Rate(nil, rulesOf(t, "dawson", 9).Start(), nil); !errors.Is(err, probe.ErrUnknown) {
			t.Error(err)
		}
	}
}

// byText returns a key of the states of a memo solver.
func byText(rules game.Rules) func(game.State) uint64 {
	return func(s game.State) uint64 {
		h := fnv.New64a()
		h.Write(rules.AppendFormat(nil, s))
		return h.Sum64()
	}
}

// TestMemoSolve solves a game with passes and draws, and refuses one that can repeat.
func TestMemoSolve(t *testing.T) {
	strip := gametest.NewStrip(7)
	solve := probe.MemoSolve(strip, byText(strip), 1<<20)
	known := map[game.State]game.Outcome{}
	gametest.Value(strip, strip.Start(), known)
	outcomes := map[game.Outcome]int{}
	for s, want := range known {
		v, err := solve(s)
		if err != nil || v.Outcome != want || (v.Steps < 0) != (want == game.Draw) {
			t.Fatalf("%s: %v, %v, want %v", strip.Format(s), v, err, want)
		}
		outcomes[want]++
	}
	if len(outcomes) != 3 {
		t.Errorf("outcomes %v", outcomes)
	}
	quixo := rulesOf(t, "quixo", 3)
	if _, err := probe.MemoSolve(quixo, byText(quixo), 1<<20)(quixo.Start()); err == nil || !strings.Contains(err.Error(), "a position repeats") {
		t.Errorf("a game that goes round: %v", err)
	}
}

// TestExactBoards opens boards that have no tables.
func TestExactBoards(t *testing.T) {
	for _, name := range []string{"dawson", "dawson-normal", "nim", "nim-misere"} {
		g, err := games.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if sizes := probe.StrategySizes(g); len(sizes) != g.MaxSize-g.MinSize+1 {
			t.Errorf("%s is answered on boards of size %v", name, sizes)
		}
		board, err := probe.NewBoard(name, 5, "")
		if err != nil {
			t.Fatal(err)
		}
		from, closing, err := board.Open(t.Context(), t.TempDir(), probe.OnDemand{})
		if err != nil {
			t.Fatal(err)
		}
		if a, err := from.Ask(board.Example(), probe.NoLine); err != nil || a.Game != name || a.Size != 5 || a.Steps < 0 || !from.HasSteps() {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
		if _, err := from.Ask("nonsense", probe.NoLine); err == nil {
			t.Errorf("%s: nonsense is answered", name)
		}
		checkAppendAsk(t, from, board.Example())
		if err := closing(); err != nil {
			t.Error(err)
		}
		if err := board.Unsolvable(); err == nil || !strings.HasPrefix(err.Error(), name+" has no tables and needs none: ") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := probe.NewBoard(name, 5, "a1"); !errors.Is(err, probe.ErrAfter) {
			t.Errorf("%s after a1: %v", name, err)
		}
	}
	if _, err := probe.NewBoard("nim", 21, ""); err == nil || err.Error() != "there is no nim board of size 21; sizes go from 1 to 20" {
		t.Error(err)
	}
}
