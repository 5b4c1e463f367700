package probe_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"backsolve/game/custom"
	"backsolve/game/examples/hounds"
	"backsolve/game/games"
	"backsolve/internal/probe"
	"backsolve/partition"
	"backsolve/retro/generic"
)

// A board of a game that is defined by its positions has a table of its own kind, found by name and by file.
func TestListedBoard(t *testing.T) {
	if err := games.Add(custom.Entry(custom.List(hounds.Game{}))); err != nil {
		t.Fatal(err)
	}
	g, err := games.Lookup("hounds")
	if err != nil {
		t.Fatal(err)
	}
	b, err := probe.NewBoard("hounds", g.MinSize, "")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if b.Info().Variant != "" || b.Grid() != nil || b.Strategy() != nil || b.Unsolvable() != nil || b.Example() == "" || b.Taken() != 0 {
		t.Errorf("%v: %v", b, b.Unsolvable())
	}
	if s, err := b.Parse("startpos"); err != nil || s != b.Start() {
		t.Errorf("it starts with %v, %v", s, err)
	}
	if _, err := b.OpenTable(t.Context(), dir); !errors.Is(err, probe.ErrOtherBoard) {
		t.Errorf("a table of blocks: %v", err)
	}
	some := probe.OnDemand{Solver: onlySolver{}}
	var missing *probe.MissingError
	for name, err := range map[string]error{
		"OpenSparse": second(b.OpenSparse(t.Context(), dir)), "Missing": b.Missing(dir),
		"Known": func() error {
			known, closeTable, err := b.Known(t.Context(), dir)
			if known != nil || closeTable == nil || closeTable() != nil {
				t.Errorf("nothing is known: %v", known)
			}
			return err
		}(),
		"Open": func() error {
			from, _, err := b.Open(t.Context(), dir, some)
			if from != nil {
				t.Errorf("nothing answers: %v", from)
			}
			return err
		}(),
	} {
		if !errors.As(err, &missing) || missing.Dir != dir || missing.Board != b.Info() || !strings.Contains(err.Error(), "there is no table of hounds in "+dir) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := b.Missing(filepath.Join(dir, "none")); !errors.As(err, new(*probe.DirError)) {
		t.Errorf("no directory: %v", err)
	}
	path := filepath.Join(dir, "hounds"+probe.FileSuffix)
	if err := generic.Make(t.Context(), path, "test", probe.ParseSparseName("hounds.tb").Numbers(), generic.Options{}); err != nil {
		t.Fatal(err)
	}
	of, err := probe.BoardOf(t.Context(), path)
	if err != nil || of.Info().Variant != "" || of.String() != b.String() {
		t.Fatal(of, err)
	}
	for name, open := range map[string]func() (probe.Answerer, func() error, error){
		"known": func() (probe.Answerer, func() error, error) { return b.Known(t.Context(), dir) },
		"open":  func() (probe.Answerer, func() error, error) { return b.Open(t.Context(), dir, some) },
		"by file": func() (probe.Answerer, func() error, error) {
			return of.Open(t.Context(), "/nowhere", probe.OnDemand{})
		},
	} {
		from, closeTable, err := open()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		table, is := from.(*probe.Sparse)
		if !is || table.Stored().States() != 1111 {
			t.Errorf("%s: %v answers", name, from)
		}
		if a, err := from.Ask("startpos", probe.NoLine); err != nil || a.Source != probe.FromTable || a.Steps < 1 {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
		if err := closeTable(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := from.Ask("startpos", probe.NoLine); err == nil {
			t.Errorf("%s: it stays open", name)
		}
	}
	for name, ok := range map[string]bool{"hounds.tb": true, "hounds.tb.zst": true, "hounds": false, "hounds.zst": false} {
		if rules := probe.ParseSparseName(name); (rules != nil) != ok {
			t.Errorf("%s: %v", name, rules)
		}
	}
}

// A game without tables is searched or not at all, and a position of Othello may be a record.
func TestBoardWithoutTables(t *testing.T) {
	b, err := probe.NewBoard("othello", 8, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Open(t.Context(), t.TempDir(), probe.OnDemand{}); !errors.Is(err, probe.ErrSearchDisabled) || !errors.Is(err, partition.ErrNoTables) {
		t.Errorf("without a search: %v", err)
	}
	from, closeTable, err := b.Open(t.Context(), t.TempDir(), probe.OnDemand{Solver: onlySolver{&probe.Rater{Source: probe.FromSearch}}})
	if err != nil || from == nil || closeTable() != nil {
		t.Errorf("with a search: %v, %v", from, err)
	}
	moves, err := b.Parse("startpos moves f5 d6 c3")
	if err != nil {
		t.Fatal(err)
	}
	if s, err := b.Parse("f5d6c3"); err != nil || s != moves {
		t.Errorf("the record is %v, %v, not %v", s, err, moves)
	}
	for _, text := range []string{"f5d6a1", "f5d6z9", ""} {
		if s, err := b.Parse(text); err == nil {
			t.Errorf("%q is read as %s", text, b.Rules().Format(s))
		}
	}
}

// A board is answered by its strategy or its table; if there is neither, the error says so.
func TestKnown(t *testing.T) {
	rules := newRules(t, "notakto", 3)
	for name, c := range map[string]struct {
		game  string
		n     int
		dir   string
		known bool
	}{
		"a table": {"notakto", 3, solvedIn(t, rules, true), true}, "no table": {"notakto", 3, t.TempDir(), false},
		"a strategy": {"nim", 3, t.TempDir(), true}, "a pairing": {"notakto", 8, t.TempDir(), true},
	} {
		b, err := probe.NewBoard(c.game, c.n, "")
		if err != nil {
			t.Fatal(err)
		}
		for way, open := range map[string]func() (probe.Answerer, func() error, error){
			"known": func() (probe.Answerer, func() error, error) { return b.Known(t.Context(), c.dir) },
			"open":  func() (probe.Answerer, func() error, error) { return b.Open(t.Context(), c.dir, probe.OnDemand{}) },
		} {
			from, closeTable, err := open()
			if (from != nil) != c.known || (err == nil) != c.known || (closeTable == nil) != (way == "open" && !c.known) {
				t.Errorf("%s, %s: %v, %v", name, way, from, err)
			}
			if !c.known {
				if !errors.As(err, new(*probe.MissingError)) {
					t.Errorf("%s, %s: %v", name, way, err)
				}
				continue
			}
			if _, err := from.Ask("startpos", probe.NoLine); err != nil {
				t.Errorf("%s, %s: %v", name, way, err)
			}
			if err := closeTable(); err != nil {
				t.Errorf("%s, %s: %v", name, way, err)
			}
			if _, err := from.Ask("startpos", probe.NoLine); (err != nil) != (name == "a table") {
				t.Errorf("%s, %s, closed: %v", name, way, err)
			}
		}
	}
}
