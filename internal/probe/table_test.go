package probe_test

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/internal/bitslice"
	"backsolve/internal/probe"
	"backsolve/partition"
	"backsolve/retro/oracle"
	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

// swapped returns the same state with the other side to move.
func swapped(p game.Position) game.Position {
	return game.Position{X: p.O, O: p.X, Mark: p.Mark.Other()}
}

func TestValueAgreesWithOracle(t *testing.T) {
	eachBoard(t, func(t *testing.T, table *probe.Table) {
		solution := oracle.Solve(table.Rules())
		for i := range solution.Len() {
			p := solution.State(i)
			want := probe.Value{}
			want.Outcome, want.Steps = solution.Value(p)
			if want.Outcome == game.Draw || !table.HasSteps() {
				want.Steps = -1
			}
			sides := []game.Position{p}
			if table.Rules().Marks() == 2 {
				sides = append(sides, swapped(p))
			}
			for _, p := range sides {
				if got, err := table.Value(p); got != want || err != nil {
					t.Fatalf("%s: %v, %v; the oracle says %v", table.Rules().Format(p), got, err, want)
				}
			}
		}
	})
}

// Other programs found the values; see retro/testdata/truth/README.md.
func TestValueAgreesWithTruth(t *testing.T) {
	table := open(t, "quixo", 4, true)
	file, err := os.Open("../../retro/testdata/truth/quixo4_sample.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil || len(records) < 2 {
		t.Fatal(len(records), err)
	}
	for _, record := range records[1:] {
		board := record[0]
		p, err := table.Rules().Parse(fmt.Sprintf("%s/%s/%s/%s x", board[:4], board[4:8], board[8:12], board[12:]))
		if err != nil {
			t.Fatal(err)
		}
		got, err := table.Value(p)
		if text := fmt.Sprint(strings.ToUpper(got.Outcome.String()[:1]), " ", got.Steps); text != record[1]+" "+record[2] || err != nil {
			t.Fatalf("%s: %v, %v; known is %s", board, got, err, record[1:])
		}
	}
}

func TestValueDoesNotAllocate(t *testing.T) {
	for _, name := range []string{"quixo", "notakto"} {
		table := open(t, name, 3, true)
		positions := randomPositions(table, 1000)
		i := 0
		if n := testing.AllocsPerRun(1000, func() {
			if _, err := table.Value(positions[i%1000]); err != nil {
				t.Error(err)
			}
			i++
		}); n != 0 {
			t.Errorf("%s: %v allocations a lookup", name, n)
		}
	}
}

func TestValueRefusesInvalidPositions(t *testing.T) {
	for _, c := range []struct {
		game string
		p    game.Position
	}{
		{"quixo", game.Position{X: 1, O: 1}},
		{"quixo", game.Position{X: 1 << 9}},
		{"quixo", game.Position{O: 1 << 63}},
		{"quixo", game.Position{Mark: 2}},
		{"notakto", game.Position{O: 1}},
		{"notakto", game.Position{Mark: game.O}},
	} {
		if _, err := open(t, c.game, 3, true).Value(c.p); !errors.Is(err, probe.ErrPosition) {
			t.Errorf("%s %+v: %v", c.game, c.p, err)
		}
	}
}

func TestOpenMissing(t *testing.T) {
	rules := newRules(t, "quixo", 4)
	t.Chdir(t.TempDir())
	for _, dir := range []string{"tables", "./tables/", "other", "it's mine"} {
		if filepath.Clean(dir) != "tables" {
			wantNoDir(t, rules, dir)
			if err := os.Mkdir(dir, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		_, err := probe.Open(dir, rules)
		var missing *probe.MissingError
		if !errors.As(err, &missing) || !errors.Is(err, fs.ErrNotExist) || missing.Dir != dir {
			t.Fatalf("%s: %v", dir, err)
		}
		if want := "there is no table of quixo 4×4 in " + dir; err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// wantNoDir checks that a missing directory has another error than a missing table.
func wantNoDir(t *testing.T, rules game.Grid, dir string) {
	t.Helper()
	_, err := probe.Open(dir, rules)
	want := "there are no tables in " + dir + ", which does not exist"
	if none := (*probe.DirError)(nil); !errors.As(err, &none) || errors.Is(err, fs.ErrNotExist) || err.Error() != want {
		t.Errorf("no directory %s: %v", dir, err)
	}
}

// TestOpenUnfinished opens what an interrupted solve has left.
func TestOpenUnfinished(t *testing.T) {
	dir, rules := t.TempDir(), newRules(t, "quixo", 3)
	path := filepath.Join(dir, probe.FileName(rules.Info()))
	space, err := partition.New(rules)
	if err != nil {
		t.Fatal(err)
	}
	w, err := writer.Create(path, probe.Shape(space, true), false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := probe.Open(dir, rules); err == nil || !strings.Contains(err.Error(), "is not finished") {
		t.Errorf("an unfinished table: %v", err)
	}
	if _, err := probe.OpenFile(path + tablebase.PartialSuffix); err == nil || !strings.Contains(err.Error(), "it belongs to a solve that is not finished") {
		t.Errorf("what is unfinished: %v", err)
	}
}

func TestOpenTooLarge(t *testing.T) {
	if _, err := probe.Open(t.TempDir(), newRules(t, "quixo", 6)); !errors.Is(err, partition.ErrTooLarge) {
		t.Error(err)
	}
}

func TestOpenRefusesOtherBoard(t *testing.T) {
	for _, other := range []struct {
		game string
		n    int
	}{{"quixo", 4}, {"notakto", 3}} {
		rules := newRules(t, other.game, other.n)
		dir := copyTable(t, open(t, "quixo", 3, true), rules)
		_, err := probe.Open(dir, rules)
		if !errors.Is(err, probe.ErrOtherBoard) || !errors.Is(err, tablebase.ErrForeign) || errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if want := "it holds quixo 3×3 with steps, not " + rules.Info().String(); !strings.Contains(err.Error(), want) {
			t.Errorf("%v, which lacks %q", err, want)
		}
	}
}

// oddTable writes a table of a shape with one class of one block.
func oddTable(t *testing.T, s tablebase.Shape, c tablebase.Class) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), fmt.Sprintf("%s-%dx%d.tb", s.Game, s.Size, s.Size))
	w, err := writer.Create(path, s, false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	planes := tablebase.Planes{Win: make([]uint64, bitslice.Words(c.IndexBits)*len(c.Masks))}
	if s.Planes == 2 {
		planes.Lose = make([]uint64, len(planes.Win))
	}
	var counts tablebase.Counts // all are lost, or drawn
	for weight := range c.IndexBits + 1 {
		states := uint64(len(c.Masks)) * new(big.Int).Binomial(int64(c.IndexBits), int64(weight)).Uint64()
		tally := tablebase.OutcomeCounts{Losses: states}
		if s.Planes == 2 {
			tally = tablebase.OutcomeCounts{Draws: states}
		}
		counts.ByWeight = append(counts.ByWeight, tally)
	}
	if err := w.Seal(c, planes, counts); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpenRefusesOtherPartition(t *testing.T) {
	notakto1 := tablebase.Shape{Game: "notakto", Size: 1, Planes: 1}
	for name, path := range map[string]string{
		"planes":     oddTable(t, tablebase.Shape{Game: "notakto", Size: 1, Planes: 2}, tablebase.Class{IndexBits: 1, Masks: []uint64{0}}),
		"classes":    oddTable(t, tablebase.Shape{Game: "quixo", Size: 2, Planes: 2}, tablebase.Class{Class: 4, IndexBits: 4, Masks: []uint64{15}}),
		"blocks":     oddTable(t, notakto1, tablebase.Class{IndexBits: 1, Masks: []uint64{0, 1}}),
		"index bits": oddTable(t, notakto1, tablebase.Class{IndexBits: 2, Masks: []uint64{0}}),
		"class":      oddTable(t, notakto1, tablebase.Class{Class: 1, IndexBits: 1, Masks: []uint64{0}}),
	} {
		if _, err := probe.OpenFile(path); !errors.Is(err, tablebase.ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOpenIn opens tables in a directory by the names of their boards alone, packed or not.
func TestOpenIn(t *testing.T) {
	original := open(t, "quixo", 3, true)
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	data, err := os.ReadFile(original.Stored().Path())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		want error
	}{{"quixo-3x3.tb", nil}, {"quixo-3x3.tb.zst", nil}, {"quixo-4x4.tb", probe.ErrOtherBoard}, {"quixo-3x3", probe.ErrOtherBoard}} {
		if err := os.WriteFile(filepath.Join(dir, test.name), data, 0o644); err != nil {
			t.Fatal(err)
		}
		table, err := probe.OpenIn(root, test.name)
		if !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
		if err != nil {
			if table != nil || !strings.Contains(err.Error(), filepath.Join(dir, test.name)) || !strings.Contains(err.Error(), "give it back its name, quixo-3x3.tb") {
				t.Errorf("%v, %v", table, err)
			}
			continue
		}
		if v, err := table.Value(table.Start()); err != nil || v != (probe.Value{game.Win, 7}) {
			t.Errorf("%s: %v, %v", test.name, v, err)
		}
		table.Close()
	}
	if _, err := probe.OpenIn(root, "none.tb"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestOpenFile(t *testing.T) {
	original := open(t, "quixo", 3, true)
	table, err := probe.OpenFile(original.Stored().Path())
	if err != nil {
		t.Fatal(err)
	}
	if table.Rules().Name() != "quixo" || table.Rules().Size() != 3 {
		t.Errorf("opened as %s", table.Rules().Info().String())
	}
	if err := table.Close(); err != nil {
		t.Error(err)
	}
	if _, err := table.Value(game.Position{}); !errors.Is(err, tablebase.ErrClosed) {
		t.Error(err)
	}
	unknown := oddTable(t, tablebase.Shape{Game: "chess", Size: 8, Planes: 2}, tablebase.Class{IndexBits: 1, Masks: []uint64{0}})
	if _, err := probe.OpenFile(unknown); !errors.Is(err, probe.ErrOtherBoard) {
		t.Error(err)
	}
	if _, err := probe.OpenFile(filepath.Join(t.TempDir(), "none.tb")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
