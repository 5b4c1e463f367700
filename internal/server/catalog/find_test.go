package catalog

import (
	"errors"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/partition"
	"backsolve/tablebase"
)

// What is found answers what the table answers that is opened alone.
func TestFind(t *testing.T) {
	dir := newDir(t)
	solve(t, dir, "notakto", 4, 1<<0|1<<6) // a4 and c3
	c, _ := open(t, dir)
	for _, b := range []struct {
		game  string
		n     int
		after string
	}{{"notakto", 2, ""}, {"notakto", 3, ""}, {"notakto", 3, "b2"}, {"quixo", 2, ""}, {"notakto", 4, "a4,c3"}, {"notakto", 4, "c3, a4"}, {"notakto", 8, ""}, {"notakto", 24, ""}} {
		board, err := probe.NewBoard(b.game, b.n, b.after)
		if err != nil {
			t.Fatal(err)
		}
		alone, closeTable, err := board.Open(t.Context(), dir, probe.OnDemand{})
		if err != nil {
			t.Fatal(err)
		}
		h := find(t, c, b.game, b.n, b.after)
		text := board.Example()
		got, err := h.Answerer().Ask(text, 5)
		want, wantErr := alone.Ask(text, 5)
		if err != nil || wantErr != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v: %v, %v, got %+v\nwant %+v", b, err, wantErr, got, want)
		}
		if isTable := board.Strategy() == nil; (h.Table() != nil) != isTable || (h.Identity() != "") != isTable {
			t.Errorf("%v: table %v, identity %q", b, h.Table(), h.Identity())
		}
		h.Release()
		closeTable()
	}
}

// Each error says what is wrong and can be told from the others.
func TestFindRefuses(t *testing.T) {
	dir := newDir(t)
	truncate(t, dir, "quixo-2x2.tb", 1)
	c, _ := open(t, dir)
	for _, test := range []struct {
		game  string
		n     int
		after string
		is    error
		says  string
	}{
		{"quix", 3, "", probe.ErrNoBoard, "did you mean quixo?"},
		{"quixo", 9, "", probe.ErrNoBoard, "sizes go from 2 to 8"},
		{"quixo", 1 << 30, "", probe.ErrNoBoard, "sizes go from 2 to 8"},
		{"quixo", -1, "", probe.ErrNoBoard, "sizes go from 2 to 8"},
		{"notakto", 28, "", probe.ErrNoBoard, "8, 12, 16, 20, 24"},
		{"quixo", 6, "", partition.ErrTooLarge, "sizes 2 to 5 can be solved"},
		{"quixo", 2, "a1", probe.ErrAfter, "no tables after given moves"},
		{"notakto", 8, "a1", probe.ErrAfter, "too many states"},
		{"notakto", 3, "a1,a2,a3", probe.ErrAfter, "give fewer"},
		{"notakto", 3, "d1", probe.ErrAfter, `column 1: "d" is not a column's letter`},
		{"notakto", 3, "a1,a1", probe.ErrAfter, "already marked"},
		{"notakto", 3, "a1", fs.ErrNotExist, "there is no table of notakto 3×3 after a1 in " + dir},
		{"notakto", 6, "", fs.ErrNotExist, "there is no table of notakto 6×6 in " + dir},
		{"quixo", 2, "", tablebase.ErrTruncated, "quixo-2x2.tb"},
	} {
		h, err := c.Find(test.game, test.n, test.after)
		if !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.says) || h != (Handle{}) {
			t.Errorf("%s %d %q: %v, want %v that says %q", test.game, test.n, test.after, err, test.is, test.says)
		}
		for _, other := range []error{probe.ErrNoBoard, probe.ErrAfter, partition.ErrTooLarge, tablebase.ErrTruncated} {
			if other != test.is && errors.Is(err, other) {
				t.Errorf("%s %d %q: %v is a %v, too", test.game, test.n, test.after, err, other)
			}
		}
	}
	syntax, ok := errors.AsType[*game.SyntaxError](second(c.Find("notakto", 3, "a1,d1")))
	if !ok || syntax.Column != 4 || syntax.Text != "a1,d1" {
		t.Errorf("the text of a wrong cell is not told: %v", syntax)
	}
	missing, ok := errors.AsType[*probe.MissingError](second(c.Find("notakto", 3, "a1")))
	if !ok || !slices.Equal(missing.After, []string{"b2"}) || missing.Board.Name != "notakto" || missing.Taken == 0 {
		t.Errorf("what is there instead is not told: %+v", missing)
	}
}

func second(_ Handle, err error) error { return err }

// Looking up and releasing does not allocate.
func TestFindDoesNotAllocate(t *testing.T) {
	c, _ := open(t, newDir(t))
	allocations := testing.AllocsPerRun(1000, func() {
		h, err := c.Find("notakto", 3, "b2")
		if err != nil {
			t.Fatal(err)
		}
		h.Release()
	})
	if allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}

func BenchmarkFind(b *testing.B) {
	c, _ := open(b, newDir(b))
	b.ReportAllocs()
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			h, err := c.Find("notakto", 3, "b2")
			if err != nil {
				b.Fatal(err)
			}
			h.Release()
		}
	})
}
