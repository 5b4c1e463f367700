package probe_test

import (
	"errors"
	"io/fs"
	"math/bits"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
	"backsolve/tablebase"
)

// openings opens the opening tables of a whole one.
func openings(t *testing.T, n int, check func(t *testing.T, whole, opening *probe.Table)) {
	t.Helper()
	whole := probetest.Open(t, newRules(t, "notakto", n), 0, false)
	for _, classes := range []int{1, 3, whole.Classes() - 1} {
		opening, _ := probetest.Opening(t, whole, classes)
		if !opening.Opening() || opening.Classes() != classes || whole.Opening() {
			t.Fatalf("%d classes of %d: %v", opening.Classes(), classes, opening.Opening())
		}
		check(t, whole, opening)
	}
}

// TestOpeningAgreesWithTheWholeTable compares opening tables with the whole one: values of all
// their positions, and answers, which have the best move and no wrong value. All else is out of
// table.
func TestOpeningAgreesWithTheWholeTable(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector")
	}
	openings(t, 4, func(t *testing.T, whole, opening *probe.Table) {
		answered, missing := 0, 0
		for x := range uint64(1 << 16) {
			p := game.Position{X: x}
			want, all, err := whole.Rate(nil, p, nil)
			if err != nil {
				t.Fatal(err)
			}
			value, err := opening.Value(p)
			if whole.Space().Locate(p).Class >= opening.Classes() {
				if !errors.Is(err, probe.ErrOutOfTable) {
					t.Fatalf("%#x, out of the table: %v, %v", x, value, err)
				}
				missing++
				continue
			}
			if err != nil || value != want {
				t.Fatalf("%#x: %v, %v, not %v", x, value, err, want)
			}
			got, ranked, err := opening.Rate(nil, p, nil)
			if errors.Is(err, probe.ErrOutOfTable) {
				for _, m := range all {
					if whole.Space().Locate(whole.Rules().Play(p, m.Move)).Class < opening.Classes() && m.Outcome == game.Win || want.Outcome != game.Win {
						t.Fatalf("%#x: a winning move is known, and no answer: %v", x, err)
					}
				}
				missing++
				continue
			}
			if err != nil || got != want {
				t.Fatalf("%#x: %v, %v, not %v", x, got, err, want)
			}
			compareMoves(t, ranked, all, want)
			if a, err := opening.Answer(p); err != nil || a.Partial != (len(ranked) < len(all)) || a.Terminal != (len(all) == 0) {
				t.Fatalf("%#x: %d moves of %d, %v, partial: %v", x, len(ranked), len(all), err, a.Partial)
			}
			answered++
		}
		if answered == 0 || missing == 0 {
			t.Errorf("%d answers, %d positions out of the table", answered, missing)
		}
	})
}

// compareMoves compares the moves of an opening table with all moves.
func compareMoves(t *testing.T, known, all []probe.Rated, value probe.Value) {
	t.Helper()
	worth := map[game.Move]probe.Value{}
	for _, m := range all {
		worth[m.Move] = m.Value
	}
	for i, m := range known {
		if w, ok := worth[m.Move]; !ok || w != m.Value || i == 0 && w != value {
			t.Fatalf("move %d, %v, is worth %v, not %v", i, m.Move, m.Value, w)
		}
		delete(worth, m.Move)
	}
	if value.Outcome == game.Lose && len(worth) > 0 {
		t.Fatalf("lost, but %d moves are left out", len(worth))
	}
}

// TestOutOfTableIsMissing checks that an *OutOfTableError is a *MissingError, too.
func TestOutOfTableIsMissing(t *testing.T) {
	whole := probetest.Open(t, newRules(t, "notakto", 5), 0, false)
	opening, dir := probetest.Opening(t, whole, 2)
	_, err := opening.Ask("XX.../X..../...../...../.....", probe.NoLine)
	var outOfTable *probe.OutOfTableError
	var missing *probe.MissingError
	if !errors.As(err, &outOfTable) || !errors.As(err, &missing) || !errors.Is(err, fs.ErrNotExist) || errors.Is(err, tablebase.ErrDamaged) {
		t.Fatal(err)
	}
	if outOfTable.Classes != 2 || outOfTable.Class != 2 || missing.Board.Name != "notakto" || missing.Dir != dir {
		t.Errorf("%+v, %+v", outOfTable, missing)
	}
	want := "notakto-5x5.tb has only the classes 1 to 0 of notakto 5×5, and this takes class 2"
	if !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v, not %s", err, want)
	}
}

// TestLineEndsWithTheOpening checks that a main line is truncated where the table ends.
func TestLineEndsWithTheOpening(t *testing.T) {
	openings(t, 5, func(t *testing.T, whole, opening *probe.Table) {
		line, err := opening.Line(opening.Start(), probe.WholeLine)
		if err != nil {
			t.Fatal(err)
		}
		p := opening.Start()
		for _, ply := range line.Plies {
			if p, err = whole.Rules().Parse(ply.Position); err != nil {
				t.Fatal(err)
			}
		}
		_, over := whole.Rules().Terminal(p)
		if line.Truncated == over || len(line.Plies) == 0 || bits.OnesCount64(p.X) != len(line.Plies) {
			t.Errorf("%d plies to %#x, over: %v, cut short: %v", len(line.Plies), p.X, over, line.Truncated)
		}
	})
}
