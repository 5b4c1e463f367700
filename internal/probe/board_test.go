package probe_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/probe"
	"backsolve/partition"
)

// TestParseFileName converts boards to file names and back.
func TestParseFileName(t *testing.T) {
	for _, g := range games.All() {
		for _, n := range g.Sizes() {
			if n > 7 || !partition.HasTables(g.Name) {
				continue
			}
			rules := g.New(n)
			masks := []uint64{0}
			if g.Name == "notakto" && n > 3 {
				masks = append(masks, 1, 1<<(n+1)|1<<2)
			}
			for _, taken := range masks {
				names := []string{probe.FileNameAfter(rules.Info(), taken), probe.FileNameAfter(rules.Info(), taken) + ".zst"}
				if g.Name == "notakto" && taken == 0 {
					names = append(names, probe.NimbersFileName(rules.Info()), probe.NimbersFileName(rules.Info())+".zst")
				}
				for _, name := range names {
					b, ok := probe.ParseFileName(name)
					if !ok || b.Info().Name != g.Name || b.Info().Size != n || b.Taken() != taken {
						t.Errorf("%s is read as %+v, %v", name, b, ok)
					}
				}
			}
		}
	}
	for _, name := range []string{
		"", ".tb", "-.tb", "quixo.tb", "quixo-.tb", "quixo-4.tb", "quixo-x.tb", "quixo-1x5.tb", "quixo-4x5,torus.tb", "quixo-5x5,five.tb", "quixo-5x5,both-win,four.tb", "notakto-5x5,-after-a1.tb", "quixo-04x04.tb", "quixo-9x9.tb", "quixo-4x4",
		"quixo-4x4.tb.zst.zst", "quixo-4x4-after-a1.tb", "chess-8x8.tb", "notakto-8x8.tb", "notakto-9x9.tb", "notakto-5x5-after-.tb", "notakto-5x5-after-c3-a1.tb",
		"nim-1-3-5.tb", "nim-3x3.tb", "dawson-3x9.tb", "dawson-3x3.tb", "othello-4x4.tb", "uttt-9x9.tb",
		"notakto-5x5-after-a1,c3.tb", "notakto-5x5-after-a1-a1.tb", "notakto-3x3-after-a1-a2-a3.tb", "notakto-5x5-after-f1.tb", "quixo-4x4.tb.partial",
		"quixo-4x4-grundy.tb", "notakto-5x5-after-c3-grundy.tb", "notakto-4x4-grundy-grundy.tb", "notakto-4x4-grundy", "-grundy.tb", "notakto-8x8-grundy.tb",
	} {
		if b, ok := probe.ParseFileName(name); ok {
			t.Errorf("%q is read as %+v", name, b)
		}
	}
}

// TestBoard parses positions before a table is open, and asks states and texts. Board, table
// and pairing have the same example.
func TestBoard(t *testing.T) {
	rules := newRules(t, "notakto", 3)
	dir := tables.Dir(t, rules, 1<<4, true)
	solvedIn(t, newRules(t, "quixo", 3), true)
	for _, test := range []struct {
		name    string
		n       int
		after   string
		example string
	}{
		{"quixo", 3, "", "X../.../..O x"},
		{"notakto", 3, "b2", ".../.X./..."},
		{"notakto", 8, "", "X......./......../......../......../......../......../......../........"},
		{"notakto", 12, "", "X.........../............/............/............/............/............/............/............/............/............/............/............"},
	} {
		b, err := probe.NewBoard(test.name, test.n, test.after)
		if err != nil {
			t.Fatal(err)
		}
		from, closeTable, err := b.Open(t.Context(), dir, probe.OnDemand{})
		if err != nil {
			t.Fatal(err)
		}
		if b.Example() != test.example || from.Example() != test.example {
			t.Errorf("the examples are %s and %s, want %s", b.Example(), from.Example(), test.example)
		}
		state, err := b.Rules().Parse(test.example)
		if err != nil {
			t.Fatal(err)
		}
		want, err := from.Ask(test.example, probe.WholeLine)
		if err != nil {
			t.Error(err)
		}
		if got, err := from.AskState(b.Rules(), state, probe.WholeLine); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("the state has the answer %+v, %v, its text %+v", got, err, want)
		}
		if err := closeTable(); err != nil {
			t.Error(err)
		}
		for _, err := range []error{second(b.Rules().Parse("nonsense")), second(from.Ask("nonsense", probe.NoLine))} {
			if _, ok := errors.AsType[*game.SyntaxError](err); !ok {
				t.Errorf("%v, want a syntax error", err)
			}
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestNewBoardRefuses checks the errors of invalid boards and their kinds.
func TestNewBoardRefuses(t *testing.T) {
	for _, test := range []struct {
		name   string
		n      int
		after  string
		is     error
		says   string
		column int
	}{
		{"quixoo", 4, "", probe.ErrNoBoard, "did you mean quixo?", 0},
		{"notakto", 9, "a1", probe.ErrAfter, "too many states", 0},
		{"quixo", 4, "a1", probe.ErrAfter, "quixo has no tables after given moves", 0},
		{"notakto", 16, "a1", probe.ErrAfter, "too many states", 0},
		{"notakto", 3, "a1,b2, c3", probe.ErrAfter, "the game is over after these moves", 0},
		{"notakto", 3, "a1,b2, d3", probe.ErrAfter, "\"d\" is not a column's letter", 8},
		{"notakto", 3, "ä", probe.ErrAfter, "column 1", 1},
		{"notakto", 3, ",", probe.ErrAfter, "the move ends here", 1},
		{"notakto", 3, "a1,a1", probe.ErrAfter, "already marked", 0},
	} {
		b, err := probe.NewBoard(test.name, test.n, test.after)
		if b != nil || !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s %d %s: %v, want %v that says %q", test.name, test.n, test.after, err, test.is, test.says)
		}
		if errors.Is(err, probe.ErrNoBoard) && errors.Is(err, probe.ErrAfter) {
			t.Errorf("%v is of both kinds", err)
		}
		syntax, ok := errors.AsType[*game.SyntaxError](err)
		if ok != (test.column > 0) || ok && (syntax.Column != test.column || syntax.Text != test.after) {
			t.Errorf("%s: %+v, want column %d", test.after, syntax, test.column)
		}
	}
}
