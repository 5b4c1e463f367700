package probe

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/tablebase"
)

// mask returns the mask of cells by their names.
func mask(t testing.TB, rules game.Grid, names ...string) (cells uint64) {
	t.Helper()
	for _, name := range names {
		m, err := rules.ParseMove(rules.Start(), name)
		if err != nil {
			t.Fatal(err)
		}
		cells |= 1 << m.To
	}
	return cells
}

// openAfter opens a table of Notakto after given moves for the length of the
// test.
func openAfter(t testing.TB, n int, steps bool, names ...string) *Table {
	t.Helper()
	rules := newRules(t, "notakto", n)
	taken := mask(t, rules, names...)
	table, err := OpenAfter(solvedAfter(t, rules, taken, steps), rules, taken)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return table
}

var afterBoards = []struct {
	n     int
	cells []string
}{{2, []string{"b1"}}, {3, []string{"b2"}}, {4, []string{"b3"}}, {4, []string{"a1", "c3", "d2"}}}

// eachAfter runs a test on tables of Notakto after given moves, each with the one
// of the whole game.
func eachAfter(t *testing.T, test func(t *testing.T, table, whole *Table)) {
	for _, b := range afterBoards {
		for _, steps := range []bool{true, false} {
			t.Run(fmt.Sprintf("%d-%s/steps=%v", b.n, strings.Join(b.cells, "-"), steps), func(t *testing.T) {
				test(t, openAfter(t, b.n, steps, b.cells...), open(t, "notakto", b.n, steps))
			})
		}
	}
}

// What a table after given moves says is what the one of the whole game says;
// a position in which one of these cells is empty is none of its positions.
func TestAfterAgreesWithWhole(t *testing.T) {
	eachAfter(t, func(t *testing.T, table, whole *Table) {
		taken := table.space.Taken
		n, within := table.rules.Size(), 0
		for x := range uint64(1) << uint(n*n) {
			p := game.Position{X: x}
			if x&taken != taken {
				if _, err := table.value(p); !errors.Is(err, ErrPosition) {
					t.Fatalf("%s: %v", table.rules.Format(p), err)
				}
				continue
			}
			within++
			got, err := table.value(p)
			if want, wantErr := whole.value(p); got != want || err != nil || wantErr != nil {
				t.Fatalf("%s: %v after the moves, %v in the whole table, %v, %v", table.rules.Format(p), got, want, err, wantErr)
			}
		}
		r := rand.New(rand.NewPCG(10, 10))
		for range 300 {
			p := RandomPosition(table.rules, r)
			p.X |= taken
			got, err := table.Answer(p)
			if err != nil {
				t.Fatal(err)
			}
			if want, err := whole.Answer(p); err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("after the moves %+v, in the whole table %+v, %v", got, want, err)
			}
		}
		if free := n*n - len(table.After()); within != 1<<free {
			t.Errorf("%d positions, want 2^%d", within, free)
		}
		got, err := table.Line(table.Start(), WholeLine)
		if err != nil {
			t.Fatal(err)
		}
		if want, err := whole.Line(table.Start(), WholeLine); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("the line %+v, in the whole table %+v, %v", got, want, err)
		}
	})
}

// The counts of a table after given moves are those of the positions that the
// whole table has of it.
func TestAfterStats(t *testing.T) {
	eachAfter(t, func(t *testing.T, table, whole *Table) {
		s, n := stats(t, table), table.rules.Size()
		want := map[int]*Counts{}
		for x := range uint64(1) << uint(n*n) {
			p := game.Position{X: x}
			if p.X&table.space.Taken != table.space.Taken {
				continue
			}
			v, err := whole.value(p)
			if err != nil {
				t.Fatal(err)
			}
			tally := tablebase.Tally{Wins: 1}
			if v.Outcome == game.Lose {
				tally = tablebase.Tally{Losses: 1}
			}
			if _, over := table.rules.Terminal(p); over {
				tally.TerminalWins = 1
			}
			marks := strings.Count(table.rules.Format(p), "X")
			if want[marks] == nil {
				want[marks] = new(Counts)
			}
			want[marks].add(tally)
		}
		for _, c := range s.Stones {
			if c.Other != 0 || want[c.Mover] == nil || c.Counts != *want[c.Mover] {
				t.Errorf("%+v, want %+v", c, want[c.Mover])
			}
		}
		if len(s.Stones) != len(want) {
			t.Errorf("%d numbers of marks, want %d", len(s.Stones), len(want))
		}
		start, err := whole.value(table.Start())
		if err != nil || s.Start.Position != table.rules.Format(table.Start()) || s.Start.Outcome != start.Outcome.String() {
			t.Errorf("the start is %+v, want %v, %v", s.Start, start, err)
		}
	})
}

func TestAfterVerify(t *testing.T) {
	eachAfter(t, func(t *testing.T, table, _ *Table) {
		for _, o := range []VerifyOptions{{}, {Sample: 5000, Threads: 3}} {
			if verified, found, err := verify(table, o); err != nil || found != nil || verified.States < o.Sample || verified.States == 0 {
				t.Errorf("%+v: %+v, %v, %v", o, verified, found, err)
			}
		}
	})
}

// A wrong state of a table after given moves is found by a sample of its states.
func TestAfterVerifyFindsWhatIsWrong(t *testing.T) {
	original := openAfter(t, 2, false, "b1")
	dir := copyOf(t, original, 0, func(p *tablebase.Planes, _ *tablebase.Counts) { p.Win[0] ^= 1 }) // the start
	table, err := OpenAfter(dir, original.rules, original.space.Taken)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	start := table.rules.Format(table.Start())
	for _, o := range []VerifyOptions{{}, {Sample: 200}} {
		_, found, err := verify(table, o)
		if !errors.Is(err, ErrDiffers) || !slices.ContainsFunc(found, func(s string) bool { return strings.HasPrefix(s, start) }) {
			t.Errorf("%+v: %q, %v", o, found, err)
		}
		if want := "tbsolve notakto 2 --keep table --after b1 --dir "; err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, which lacks %q", err, want)
		}
	}
}

// Names are made and read in one place.
func TestAfterNames(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for n := 1; n <= 8; n++ {
		rules := newRules(t, "notakto", n)
		for range 100 {
			taken := r.Uint64() >> uint(64-n*n)
			shape := tablebase.Shape{Game: ShapeGame(rules.Info(), taken), Size: n}
			got, cells, err := parseShape(shape)
			if err != nil || cells != taken || got.Name() != "notakto" || got.Size() != n {
				t.Fatalf("%s is read as %x, %v, want %x", shape.Game, cells, err, taken)
			}
		}
	}
	rules := newRules(t, "notakto", 5)
	taken := mask(t, rules, "c3", "a1")
	if name := FileNameAfter(rules.Info(), taken); name != "notakto-5x5-after-a1-c3.tb" {
		t.Error(name)
	}
	if name := ShapeGame(rules.Info(), taken); name != "notakto-after-a1-c3" {
		t.Error(name)
	}
	if name := FileNameAfter(rules.Info(), 0); name != FileName(rules.Info()) {
		t.Error(name)
	}
	for _, name := range []string{"notakto-after-", "notakto-after-c3-a1", "notakto-after-a1-a1", "notakto-after-a1-", "notakto-after-f1",
		"notakto-after-a01", "quixo-after-a1", "chess-after-a1", "notakto-after"} {
		if _, _, err := parseShape(tablebase.Shape{Game: name, Size: 5}); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}

// A table after given moves is opened by its path for what it is, and not in the
// place of another one.
func TestAfterOpen(t *testing.T) {
	original := openAfter(t, 4, true, "a1", "c3", "d2")
	table, err := OpenFile(original.stored.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if want := []string{"a1", "c3", "d2"}; !slices.Equal(table.After(), want) || table.Board() != "notakto 4×4 after a1, c3, d2" {
		t.Errorf("opened as %s, after %v", table.Board(), table.After())
	}
	dir := copyTable(t, original, original.rules) // under the name of the whole game
	_, err = Open(dir, original.rules)
	if want := "it holds notakto-after-a1-c3-d2 4×4 with steps, not notakto 4×4"; !errors.Is(err, ErrOtherBoard) || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, which lacks %q", err, want)
	}
	if _, err := OpenAfter(dir, newRules(t, "quixo", 4), 1); err == nil || !strings.Contains(err.Error(), "only as a whole") {
		t.Error(err)
	}
}

// Where a table is missing, those after given moves that are there are named.
func TestAfterMissing(t *testing.T) {
	dir, rules := t.TempDir(), newRules(t, "notakto", 5)
	for _, name := range []string{
		"notakto-5x5-after-c3.tb", "notakto-5x5-after-c3.tb.zst", "notakto-5x5-after-a1-b2.tb.zst",
		"notakto-5x5-after-c3.json", "notakto-5x5-after-f6.tb", "notakto-4x4-after-a1.tb", "notakto-5x5-after-.tb", "c3.tb",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for taken, command := range map[uint64]string{
		0:                          "notakto 5 --dir ",
		mask(t, rules, "d4"):       "notakto 5 --keep table --after d4 --dir ",
		mask(t, rules, "b1", "a2"): "notakto 5 --keep table --after a2,b1 --dir ",
	} {
		_, err := OpenAfter(dir, rules, taken)
		var missing *MissingError
		if !errors.As(err, &missing) {
			t.Fatal(err)
		}
		if !strings.Contains(err.Error(), command) || !strings.HasSuffix(err.Error(), "given moves, to be asked with --after a1,b2 or --after c3") {
			t.Errorf("%x: %v", taken, err)
		}
	}
	_, err := Open(filepath.Join(dir, "none"), rules)
	if err == nil || strings.Contains(err.Error(), "given moves") {
		t.Error(err)
	}
}

// Statistics say what a game begins with, and nothing of it for a whole one.
func TestAfterStatsJSON(t *testing.T) {
	s, err := openAfter(t, 2, true, "b1").Stats(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.After, []string{"b1"}) || s.Total.States != 8 {
		t.Errorf("%+v", s)
	}
	if s := stats(t, open(t, "notakto", 2, true)); s.After != nil {
		t.Errorf("after %v", s.After)
	}
}
