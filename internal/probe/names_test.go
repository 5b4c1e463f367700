package probe_test

import (
	"errors"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/tablebase"
)

// TestAfterAgreesWithWhole compares a table after given moves with that of the whole game. It
// has no position in which one of these cells is empty.
func TestAfterAgreesWithWhole(t *testing.T) {
	eachAfter(t, func(t *testing.T, table, whole *probe.Table) {
		taken := table.Space().Taken
		n, within := table.Rules().Size(), 0
		for x := range uint64(1) << uint(n*n) {
			p := game.Position{X: x}
			if x&taken != taken {
				if _, err := table.Value(p); !errors.Is(err, probe.ErrPosition) {
					t.Fatalf("%s: %v", table.Rules().Format(p), err)
				}
				continue
			}
			within++
			got, err := table.Value(p)
			if want, wantErr := whole.Value(p); got != want || err != nil || wantErr != nil {
				t.Fatalf("%s: %v after the moves, %v in the whole table, %v, %v", table.Rules().Format(p), got, want, err, wantErr)
			}
		}
		r := rand.New(rand.NewPCG(10, 10))
		for range 300 {
			p := probe.RandomPosition(table.Rules(), r)
			p.X |= taken
			got, err := table.Answer(p)
			if err != nil {
				t.Fatal(err)
			}
			if want, err := whole.Answer(p); err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("after the moves %+v, in the whole table %+v, %v", got, want, err)
			}
		}
		if free := n*n - bits.OnesCount64(table.Space().Taken); within != 1<<free {
			t.Errorf("%d positions, want 2^%d", within, free)
		}
		got, err := table.Line(table.Start(), probe.WholeLine)
		if err != nil {
			t.Fatal(err)
		}
		if want, err := whole.Line(table.Start(), probe.WholeLine); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("the line %+v, in the whole table %+v, %v", got, want, err)
		}
	})
}

// TestAfterNames converts shapes and names of games after given moves, and back.
func TestAfterNames(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for n := 1; n <= 8; n++ {
		rules := newRules(t, "notakto", n)
		for range 100 {
			taken := r.Uint64() >> uint(64-n*n)
			shape := tablebase.Shape{Game: probe.ShapeGame(rules.Info(), taken), Size: n}
			got, cells, err := probe.ParseShape(shape)
			if err != nil || cells != taken || got.Name() != "notakto" || got.Size() != n {
				t.Fatalf("%s is read as %x, %v, want %x", shape.Game, cells, err, taken)
			}
		}
	}
	rules := newRules(t, "notakto", 5)
	taken := mask(t, rules, "c3", "a1")
	if name := probe.FileNameAfter(rules.Info(), taken); name != "notakto-5x5-after-a1-c3.tb" {
		t.Error(name)
	}
	if name := probe.ShapeGame(rules.Info(), taken); name != "notakto-after-a1-c3" {
		t.Error(name)
	}
	if name := probe.FileNameAfter(rules.Info(), 0); name != probe.FileName(rules.Info()) {
		t.Error(name)
	}
	for _, name := range []string{"notakto-after-", "notakto-after-c3-a1", "notakto-after-a1-a1", "notakto-after-a1-", "notakto-after-f1",
		"notakto-after-a01", "quixo-after-a1", "chess-after-a1", "notakto-after"} {
		if _, _, err := probe.ParseShape(tablebase.Shape{Game: name, Size: 5}); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}

// TestAfterOpen opens a table after given moves by its path, and refuses it under another name.
func TestAfterOpen(t *testing.T) {
	original := openAfter(t, 4, true, "a1", "c3", "d2")
	table, err := probe.OpenFile(original.Stored().Path())
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if want := []string{"a1", "c3", "d2"}; !slices.Equal(probe.CellNames(table.Info(), table.Space().Taken), want) || table.Board() != "notakto 4×4 after a1, c3, d2" {
		t.Errorf("opened as %s", table.Board())
	}
	dir := copyTable(t, original, original.Rules()) // under the name of the whole game
	_, err = probe.Open(dir, original.Rules())
	if want := "it holds notakto-after-a1-c3-d2 4×4 with steps, not notakto 4×4"; !errors.Is(err, probe.ErrOtherBoard) || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, which lacks %q", err, want)
	}
	if _, err := probe.OpenAfter(dir, newRules(t, "quixo", 4), 1); err == nil || !strings.Contains(err.Error(), "only as a whole") {
		t.Error(err)
	}
}

// TestAfterMissing checks that the error of a missing table lists those after given moves.
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
	for _, taken := range []uint64{0, mask(t, rules, "d4"), mask(t, rules, "b1", "a2")} {
		_, err := probe.OpenAfter(dir, rules, taken)
		var missing *probe.MissingError
		if !errors.As(err, &missing) {
			t.Fatal(err)
		}
		if missing.Taken != taken || !slices.Equal(missing.After, []string{"a1,b2", "c3"}) {
			t.Errorf("%x: %v", taken, err)
		}
	}
	_, err := probe.Open(filepath.Join(dir, "none"), rules)
	if err == nil || strings.Contains(err.Error(), "given moves") {
		t.Error(err)
	}
}
