package retro

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"backsolve/game"
	"backsolve/internal/bitslice"
	"backsolve/partition"
	"backsolve/partition/spacetest"
	"backsolve/retro/oracle"
	"backsolve/tablebase"
	"backsolve/tablebase/reader"
	"backsolve/tablebase/writer"
)

var newSpace = spacetest.New

func shape(space *partition.Space, steps bool) tablebase.Shape {
	name, size := space.Game, game.Size(space.Size)
	if !size.Plain() {
		name += "-" + size.Board()
	}
	return tablebase.Shape{Game: name, Size: max(size.Rows(), size.Cols()), Planes: space.Planes(), Steps: steps}
}

// solve solves a board into a file and returns its path.
func solve(t testing.TB, space *partition.Space, o Options) (string, *Result) {
	t.Helper()
	return solveBy(t, space, tuned{Options: o})
}

// tuned has options and a tuning. What is 0 in the tuning is standard.
type tuned struct {
	Options
	tuning
}

func (o *tuned) solve(ctx context.Context, space *partition.Space, w *writer.Writer) (*Result, error) {
	for _, v := range [][2]*int{
		{&o.partBits, &standard.partBits}, {&o.sectionBits, &standard.sectionBits},
		{&o.heldWords, &standard.heldWords}, {&o.farWords, &standard.farWords},
	} {
		if *v[0] == 0 {
			*v[0] = *v[1]
		}
	}
	o.partBits = max(o.partBits, bitslice.GroupBits)
	return solveTuned(ctx, space, w, o.Options, o.tuning)
}

// solveBy is solve with a tuning.
func solveBy(t testing.TB, space *partition.Space, o tuned) (string, *Result) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table.tb")
	return path, solveTo(t, path, space, o)
}

// solveTo is solveBy into a file.
func solveTo(t testing.TB, path string, space *partition.Space, o tuned) *Result {
	t.Helper()
	w, err := writer.Create(path, shape(space, o.Steps), false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r, err := o.solve(context.Background(), space, w)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func openTable(t testing.TB, path string) *reader.Table {
	t.Helper()
	table, err := reader.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return table
}

var solveOracle = func() func(t *testing.T, rules game.Grid) *oracle.Solution {
	var lock sync.Mutex
	solved := map[string]*oracle.Solution{}
	return func(t *testing.T, rules game.Grid) *oracle.Solution {
		lock.Lock()
		defer lock.Unlock()
		key := fmt.Sprint(rules.Name(), rules.Size())
		if solved[key] == nil {
			solved[key] = oracle.Solve(rules)
		}
		return solved[key]
	}
}()

// Every state of the small boards has the oracle's outcome and steps, with any distribution of work
// and any way of propagating labels.
func TestSolveAgreesWithOracle(t *testing.T) {
	for _, b := range []struct {
		game string
		n    int
	}{{"notakto", 1}, {"notakto", 2}, {"notakto", 3}, {"notakto", 4}, {"quixo", 2}, {"quixo", 3}, {"tictactoe", 2}, {"tictactoe", 3}} {
		for _, steps := range []bool{false, true} {
			var agreed []byte
			for _, way := range []propagation{0, alwaysPull, alwaysPush} {
				for _, threads := range []int{1, 7} {
					name := fmt.Sprintf("%s-%d/steps=%v/way=%d/threads=%d", b.game, b.n, steps, way, threads)
					t.Run(name, func(t *testing.T) {
						rules, space := newSpace(t, b.game, b.n)
						path, _ := solveBy(t, space, tuned{Options{Steps: steps, Threads: threads}, tuning{propagation: way, partBits: threads / 7}})
						agreed = compareUnless(t, agreed, rules, space, path, solveOracle(t, rules), steps)
					})
				}
			}
		}
	}
}

// compareUnless compares a table with the oracle unless it has the bytes of one that agreed, and
// returns its bytes.
func compareUnless(t *testing.T, agreed []byte, rules game.Grid, space *partition.Space, path string, want *oracle.Solution, steps bool) []byte {
	t.Helper()
	got := contents(t, path)
	if !bytes.Equal(got, agreed) {
		compare(t, rules, space, openTable(t, path), want, steps)
	}
	return got
}

func compare(t *testing.T, rules game.Grid, space *partition.Space, table *reader.Table, want *oracle.Solution, steps bool) {
	t.Helper()
	wrong := 0
	for i := range want.Len() {
		p := want.State(i)
		outcome, plies := want.Value(p)
		if !steps || outcome == game.Draw {
			plies = -1
		}
		s := space.Locate(p)
		block, found, err := table.Find(s.Class, s.Mask)
		if err != nil || !found {
			t.Fatalf("%s: block of mask %x: found %v, %v", rules.Format(p), s.Mask, found, err)
		}
		got, err := table.Lookup(s.Class, block, uint64(s.Index))
		if err != nil {
			t.Fatal(err)
		}
		if got.Outcome != outcome || got.Steps != plies {
			if wrong++; wrong < 10 {
				t.Errorf("%s: %v in %d, the oracle says %v in %d", rules.Format(p), got.Outcome, got.Steps, outcome, plies)
			}
		}
	}
	if wrong > 0 {
		t.Fatalf("%d of %d states differ", wrong, want.Len())
	}
}

// A solve without steps, which propagates labels in any order, finds the outcomes of a solve ply by
// ply. On smaller boards of Quixo two passes suffice.
func TestOutcomesAreThoseWithSteps(t *testing.T) {
	if testing.Short() {
		t.Skip("TestManyThreads has it")
	}
	_, space := newSpace(t, "quixo", 4)
	without, _ := solve(t, space, Options{})
	with, _ := solve(t, space, Options{Steps: true})
	sameOutcomes(t, openTable(t, without), openTable(t, with))
}

// sameOutcomes fails the test unless two tables of a board have the same outcomes.
func sameOutcomes(t *testing.T, a, b *reader.Table) {
	t.Helper()
	for i, c := range a.Classes() {
		var one, other tablebase.Planes
		if err := errors.Join(a.Outcomes(i, 0, c.Blocks, &one), b.Outcomes(i, 0, c.Blocks, &other)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(one.Win, other.Win) || !slices.Equal(one.Lose, other.Lose) {
			t.Errorf("class %d has other outcomes in %s than in %s", c.Class, a.Path(), b.Path())
		}
	}
}
