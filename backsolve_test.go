package backsolve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"backsolve"
	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
)

// dir has the tables of examples and tests.
var dir string

// boards are those in dir, all with steps.
var boards = []struct {
	name, game string
	size       int
}{{"notakto 3", "notakto", 3}, {"quixo 2", "quixo", 2}, {"quixo:3", "quixo", 3}, {" tictactoe 3x3\n", "tictactoe", 3}}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if dir, err = os.MkdirTemp("", "tables"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	for _, b := range boards {
		t, err := backsolve.Solve(context.Background(), dir, b.name, backsolve.Options{Steps: true})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		t.Close()
	}
	return m.Run()
}

func open(t *testing.T, board string) *backsolve.Table {
	t.Helper()
	table, err := backsolve.Open(dir, board)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return table
}

// Positions may be the start, and moves after it.
func TestStartpos(t *testing.T) {
	table := open(t, "quixo 3")
	for text, want := range map[string]string{"startpos": ".../.../... x", "startpos moves a1c1 a3a1": ".../.../O.X x", ".../.../..X o moves a3a1": ".../.../O.X x"} {
		got, err := table.Ask(text)
		same, other := table.Ask(want)
		if err != nil || other != nil || !reflect.DeepEqual(got, same) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
		if v, err := table.Value(text); err != nil || v != same.Value {
			t.Errorf("%s: %v, %v", text, v, err)
		}
		if n, err := table.Nimber(text); err != nil || n != same.Nimber {
			t.Errorf("%s: %v, %v", text, n, err)
		}
	}
	for _, wrong := range []string{"startpos x", "startpos moves a1a1"} {
		if _, err := table.Ask(wrong); !errors.Is(err, backsolve.ErrPosition) {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

// TestStatesAndAnswers asks stored states of every board by text and by masks, and compares the
// answers with package probe. The images of all states add up to the game.
func TestStatesAndAnswers(t *testing.T) {
	for _, b := range boards {
		t.Run(fmt.Sprint(b.game, b.size), func(t *testing.T) {
			table := open(t, b.name)
			rules, err := games.NewGrid(b.game, b.size)
			if err != nil {
				t.Fatal(err)
			}
			below, err := probe.Open(dir, rules)
			if err != nil {
				t.Fatal(err)
			}
			defer below.Close()
			images, n := uint64(0), 0
			for s, err := range table.States() {
				if err != nil {
					t.Fatal(err)
				}
				images += s.Images
				if n++; n%7 != 1 { // a seventh is asked
					continue
				}
				checkState(t, table, below, s)
			}
			if want := game.StateCount(rules.Info()).Uint64(); images != want {
				t.Errorf("the states have %d images, the game has %d states", images, want)
			}
		})
	}
}

func checkState(t *testing.T, table *backsolve.Table, below *probe.Table, s backsolve.State) {
	t.Helper()
	p := probetest.Parse(t, below, s.Position)
	want, err := below.AskState(nil, p, probe.NoLine)
	if err != nil {
		t.Fatal(err)
	}
	got, err := table.Ask(s.Position)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []backsolve.Value{s.Value, got.Value} {
		if v.String() != want.Value.String() {
			t.Errorf("%s is %v, not %v", s.Position, want.Value, v)
		}
	}
	if v, err := table.Value(s.Position); err != nil || v != s.Value {
		t.Errorf("the value of %s is %v, %v", s.Position, v, err)
	}
	if v, err := table.Lookup(p.X, p.O, p.Mark == game.O); err != nil || v != s.Value {
		t.Errorf("looked up, %s is %v, %v", s.Position, v, err)
	}
	wantJSON, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if gotJSON, err := json.Marshal(got); err != nil || !bytes.Equal(gotJSON, wantJSON) {
		t.Errorf("%s, %v; want %s", gotJSON, err, wantJSON)
	}
}

// TestLookupOfO checks that exchanging the marks and the side to move keeps the value.
func TestLookupOfO(t *testing.T) {
	table := open(t, "quixo 3")
	const position, exchanged = "XO./.../..X o", "OX./.../..O x"
	v, err := table.Lookup(0b100_000_001, 0b10, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{position, exchanged} {
		if w, err := table.Value(text); err != nil || v != w {
			t.Errorf("%s is %v, %v, and %v by its masks", text, w, err, v)
		}
	}
	if w, err := table.Lookup(0b100_000_001, 0b10, false); err != nil || w == v {
		t.Errorf("whoever is to move, it is %v, %v", w, err)
	}
}

func TestLookupDoesNotAllocate(t *testing.T) {
	table := open(t, "quixo 3")
	if n := testing.AllocsPerRun(100, func() { table.Lookup(0b100_000_001, 0b10, true) }); n > 0 {
		t.Errorf("a lookup allocates %v times", n)
	}
}

func TestBoard(t *testing.T) {
	want := backsolve.Board{Game: "quixo", Size: "3", Name: "quixo 3×3", Marks: 2, Steps: true, Start: ".../.../... x", States: 4599}
	if got := open(t, "quixo 3").Board(); got != want {
		t.Errorf("%+v, not %+v", got, want)
	}
	whole := probetest.Open(t, probetest.Rules(t, "notakto", 4), 0, false)
	opening, _ := probetest.Opening(t, whole, 2)
	table, err := backsolve.OpenFile(opening.Stored().Path())
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	want = backsolve.Board{Game: "notakto", Size: "4", Name: "notakto 4×4", Marks: 1, Opening: true, Start: "..../..../..../....", States: 512}
	if got := table.Board(); got != want {
		t.Errorf("%+v, not %+v", got, want)
	}
	a, err := table.Ask("X.../..../..../....")
	if err != nil || a.Partial != (len(a.Moves) < 15) {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err = table.Ask("X.X./.X.X/..../..X."); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("beyond the opening: %v", err)
	}
}

// TestErrors checks the kind and text of every error.
func TestErrors(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "quixo-3x3.tb")
	if err := os.WriteFile(bad, []byte("hello"), 0o644); err != nil {
		t.Fatal(err)
	}
	closed, err := backsolve.Open(dir, "quixo 2")
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	table := open(t, "quixo 3")
	empty := t.TempDir()
	sparse, err := backsolve.Solve(t.Context(), dir, "connect4-4x4", backsolve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer sparse.Close()
	for _, c := range []struct {
		name string
		err  error
		kind error
		text string
	}{
		{"no game", second(backsolve.Open(dir, "quicko 3")), backsolve.ErrBoard, `there is no game "quicko"; did you mean quixo?`},
		{"no size", second(backsolve.Open(dir, "quixo 0")), backsolve.ErrBoard, "sizes go from"},
		{"too large", second(backsolve.Open(dir, "quixo 8")), backsolve.ErrBoard, "board too large to solve"},
		{"no size given", second(backsolve.Open(dir, "quixo")), backsolve.ErrBoard, `"quixo" names no board; give a game and a size, as in quixo 4`},
		{"too many words", second(backsolve.Open(dir, "quixo 3 4")), backsolve.ErrBoard, "there is no quixo board"},
		{"no tables", second(backsolve.Open(dir, "nim 3")), backsolve.ErrBoard, "needs none"},
		{"masks of no grid", second(sparse.Lookup(0, 0, false)), backsolve.ErrPosition, "positions of connect4-4x4 have no masks"},
		{"too large to solve", second(backsolve.Solve(t.Context(), empty, "notakto 12", backsolve.Options{})), backsolve.ErrBoard, "too large"},
		{"no table", second(backsolve.Open(empty, "quixo 3")), fs.ErrNotExist, "there is no table of quixo 3×3 in "},
		{"no directory", second(backsolve.Open(filepath.Join(empty, "x"), "quixo 3")), fs.ErrNotExist, "there are no tables in " + filepath.Join(empty, "x") + ", which does not exist"},
		{"no file", second(backsolve.OpenFile(filepath.Join(empty, "x.tb"))), fs.ErrNotExist, "x.tb"},
		{"no table's bytes", second(backsolve.OpenFile(bad)), backsolve.ErrBadTable, "not a backsolve table"},
		{"in the way", second(backsolve.Solve(t.Context(), filepath.Dir(bad), "quixo 3", backsolve.Options{})), backsolve.ErrBadTable, "not a backsolve table"},
		{"no position", second(table.Ask("X")), backsolve.ErrPosition, `"X", column 2`},
		{"no value", second(table.Value("")), backsolve.ErrPosition, "there is no position"},
		{"both marks", second(table.Lookup(1, 1, false)), backsolve.ErrPosition, "not a position of quixo 3×3"},
		{"off the board", second(table.Lookup(1<<9, 0, false)), backsolve.ErrPosition, "not a position of quixo 3×3"},
		{"O in Notakto", second(open(t, "notakto 3").Lookup(0, 1, false)), backsolve.ErrPosition, "not a position of notakto 3×3"},
		{"closed", second(closed.Ask("../.. x")), fs.ErrClosed, "the table is closed"},
	} {
		if !errors.Is(c.err, c.kind) || !strings.Contains(c.err.Error(), c.text) {
			t.Errorf("%s: %v; want %v, and %q in it", c.name, c.err, c.kind, c.text)
		}
		for _, other := range []error{backsolve.ErrBoard, backsolve.ErrPosition, backsolve.ErrBadTable, fs.ErrNotExist, fs.ErrClosed} {
			if other != c.kind && errors.Is(c.err, other) {
				t.Errorf("%s: %v is %v as well", c.name, c.err, other)
			}
		}
	}
}

// Boards of all kinds are solved, opened, asked and verified by the texts that tbsolve takes.
func TestBoards(t *testing.T) {
	in := t.TempDir()
	for _, c := range []struct {
		text, game, size string
		start            backsolve.Value
	}{
		{"quixo 3x4", "quixo", "3x4", backsolve.Value{Outcome: backsolve.Win, Steps: 9}},
		{"notakto:3x3,torus", "notakto", "3x3,torus", backsolve.Value{Outcome: backsolve.Lose, Steps: 5}},
		{"connect4-4x4", "connect4-4x4", "1", backsolve.Value{Outcome: backsolve.Draw, Steps: -1}},
	} {
		stages := map[string]bool{}
		o := backsolve.Options{Steps: true, Progress: func(e backsolve.Event) { stages[e.Stage] = true }}
		table, err := backsolve.Solve(t.Context(), in, c.text, o)
		if err != nil || !stages["solve"] {
			t.Fatalf("%s: %v, %v", c.text, stages, err)
		}
		if err := table.Verify(t.Context(), o); err != nil || !stages["states"] {
			t.Errorf("%s: %v, %v", c.text, stages, err)
		}
		table.Close()
		if table, err = backsolve.Open(in, c.text); err != nil {
			t.Fatal(err)
		}
		b, states := table.Board(), uint64(0)
		for s, err := range table.States() {
			if states++; err != nil || s.Images == 0 {
				t.Fatal(s, err)
			}
		}
		if b.Game != c.game || b.Size != c.size || states != b.States {
			t.Errorf("%s is %+v, with %d states", c.text, b, states)
		}
		answer, err := table.Ask("startpos")
		if v, other := table.Value("startpos"); err != nil || other != nil || v != answer.Value || v != c.start || answer.Size != c.size {
			t.Errorf("%s begins with %+v, %v; %v, %v", c.text, answer, err, v, other)
		}
		table.Close()
	}
	// What is there without steps does not do where they are asked for.
	for _, text := range []string{"quixo 2", "connect4-4x4"} {
		other := t.TempDir()
		table, err := backsolve.Solve(t.Context(), other, text, backsolve.Options{})
		if err != nil || table.Board().Steps {
			t.Fatal(text, err)
		}
		table.Close()
		if _, err := backsolve.Solve(t.Context(), other, text, backsolve.Options{Steps: true}); err == nil || !strings.Contains(err.Error(), "exists, but has no steps") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestNimbers compares nimbers, in answers and alone, with package probe, however their table
// was made or opened.
func TestNimbers(t *testing.T) {
	in := t.TempDir()
	solve := func(o backsolve.Options) *backsolve.Table {
		table, err := backsolve.Solve(t.Context(), in, "notakto 3", o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { table.Close() })
		return table
	}
	if b := solve(backsolve.Options{}).Board(); b.Nimbers || b.Steps {
		t.Errorf("%+v", b)
	}
	if err := os.Remove(filepath.Join(in, "notakto-3x3.tb")); err != nil {
		t.Fatal(err)
	}
	probetest.SolveNimbers(t, in, probetest.Rules(t, "notakto", 3))
	if b := solve(backsolve.Options{}).Board(); !b.Nimbers || b.Steps { // the nimbers alone
		t.Errorf("%+v", b)
	}
	table := solve(backsolve.Options{Steps: true, Nimbers: true})
	file, err := backsolve.OpenFile(filepath.Join(in, "notakto-3x3.tb"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	below, err := probe.Open(in, probetest.Rules(t, "notakto", 3))
	if err != nil {
		t.Fatal(err)
	}
	defer below.Close()
	for _, of := range []*backsolve.Table{table, file} {
		if b := of.Board(); !b.Nimbers || !b.Steps {
			t.Errorf("%+v", b)
		}
		known := 0
		for s, err := range of.States() {
			if err != nil {
				t.Fatal(err)
			}
			checkState(t, of, below, s)
			want, err := below.Nimber(probetest.Parse(t, below, s.Position))
			got, wrong := of.Nimber(s.Position)
			if err != nil || wrong != nil || got.String() != want.String() {
				t.Errorf("%s has the nimber %v, %v, not %v", s.Position, got, wrong, want)
			}
			if _, ok := got.Value(); ok {
				known++
			}
		}
		if known < 20 {
			t.Errorf("only %d nimbers are known", known)
		}
		if n, err := of.Nimber("XXX/.../..."); err != nil || n != (backsolve.Nimber{}) {
			t.Errorf("at the end the nimber is %v, %v", n, err)
		}
		if _, err := of.Nimber("X"); !errors.Is(err, backsolve.ErrPosition) {
			t.Errorf("no position: %v", err)
		}
	}
	if _, err := backsolve.Solve(t.Context(), in, "quixo 2", backsolve.Options{Nimbers: true}); !errors.Is(err, backsolve.ErrBoard) {
		t.Errorf("a game without nimbers: %v", err)
	}
	// A table under another name has no nimbers beside it.
	if err := os.Rename(filepath.Join(in, "notakto-3x3.tb"), filepath.Join(in, "mine.tb")); err != nil {
		t.Fatal(err)
	}
	mine, err := backsolve.OpenFile(filepath.Join(in, "mine.tb"))
	if err != nil {
		t.Fatal(err)
	}
	defer mine.Close()
	if b := mine.Board(); b.Nimbers || !b.Steps {
		t.Errorf("%+v", b)
	}
}

// TestSolveIsTheEngine compares a table's bytes with the tables of package retro, for all
// options.
func TestSolveIsTheEngine(t *testing.T) {
	want := probetest.Open(t, probetest.Rules(t, "quixo", 3), 0, true).Stored().Identity()
	for _, o := range []backsolve.Options{{Steps: true}, {Steps: true, Threads: 3, Memory: 64 << 20}} {
		in := filepath.Join(t.TempDir(), "a", "b")
		var told []uint64
		o.Progress = func(e backsolve.Event) { told = append(told, e.Done, e.Total) }
		table, err := backsolve.Solve(t.Context(), in, "quixo 3", o)
		if err != nil {
			t.Fatal(err)
		}
		table.Close()
		below, err := probe.Open(in, probetest.Rules(t, "quixo", 3))
		if err != nil {
			t.Fatal(err)
		}
		if below.Stored().Identity() != want {
			t.Errorf("%+v makes another table", o)
		}
		below.Close()
		if n := len(told); n == 0 || told[n-1] != told[n-2] || slices.Max(told) != told[n-1] {
			t.Errorf("told %d", told)
		}
	}
}

// TestSolveExisting opens existing tables unless they lack what was asked for.
func TestSolveExisting(t *testing.T) {
	in := t.TempDir()
	solve := func(steps bool) error {
		table, err := backsolve.Solve(t.Context(), in, "quixo 2", backsolve.Options{Steps: steps})
		if err == nil {
			err = table.Close()
		}
		return err
	}
	if err := errors.Join(solve(false), solve(false)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(in, "quixo-2x2.tb")
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := solve(true); err == nil || !strings.Contains(err.Error(), "quixo-2x2.tb exists, but has no steps; remove it") {
		t.Errorf("steps where there are none: %v", err)
	}
	if after, err := os.Stat(path); err != nil || after.ModTime() != before.ModTime() || !os.SameFile(before, after) {
		t.Errorf("the table did not stay: %v", err)
	}
	whole := probetest.Open(t, probetest.Rules(t, "notakto", 4), 0, false)
	_, openings := probetest.Opening(t, whole, 2)
	if _, err := backsolve.Solve(t.Context(), openings, "notakto 4", backsolve.Options{}); err == nil || !strings.Contains(err.Error(), "has the emptiest positions alone") {
		t.Errorf("an opening table is there: %v", err)
	}
}

// TestSolveMemory checks that a refused solve leaves nothing behind, and that one is refused only
// if there is no way to fit the board: Quixo 4×5 needs 202 MB at once, and 58 in shards.
func TestSolveMemory(t *testing.T) {
	in := filepath.Join(t.TempDir(), "none")
	for _, o := range []backsolve.Options{{Memory: 1 << 20}, {Steps: true, Memory: 1 << 20}} {
		_, err := backsolve.Solve(t.Context(), in, "quixo 4", o)
		if err == nil || !strings.Contains(err.Error(), "no more than 1.0 MiB may be used (the memory option can allow more)") {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := os.Stat(in); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory was made: %v", err)
	}
	begun := errors.New("begun")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(begun)
	if _, err := backsolve.Solve(ctx, t.TempDir(), "quixo 4x5", backsolve.Options{Threads: 1, Memory: 100e6}); !errors.Is(err, begun) {
		t.Errorf("Quixo 4×5 in 100 MB: %v", err)
	}
}

// TestSolveStops checks that a cancelled solve returns the cause, and that the next one
// resumes.
func TestSolveStops(t *testing.T) {
	in := t.TempDir()
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := func(e backsolve.Event) {
		if e.Done > 0 {
			cancel(enough)
		}
	}
	if _, err := backsolve.Solve(ctx, in, "quixo 3", backsolve.Options{Progress: stop}); !errors.Is(err, enough) {
		t.Errorf("stopped: %v", err)
	}
	table, err := backsolve.Solve(t.Context(), in, "quixo 3", backsolve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if v, err := table.Value(table.Board().Start); err != nil || v.Steps != -1 {
		t.Errorf("%v, %v", v, err)
	}
}

func TestWords(t *testing.T) {
	for v, want := range map[backsolve.Value]string{
		{Outcome: backsolve.Win, Steps: 21}:  "win in 21",
		{Outcome: backsolve.Draw, Steps: -1}: "draw",
		{Outcome: backsolve.Lose, Steps: -1}: "lose",
	} {
		if v.String() != want {
			t.Errorf("%v, not %s", v, want)
		}
	}
}
