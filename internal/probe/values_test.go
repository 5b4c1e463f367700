package probe_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"testing"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/internal/probe"
	"backsolve/tablebase"
	"backsolve/tablebase/sparse"
)

// drawPositions returns random positions of a table, both sides to move.
func drawPositions(r *rand.Rand, table *probe.Table, n int) (all []game.Position) {
	for range n {
		p := probe.RandomPosition(table.Rules(), r)
		p.X |= table.Space().Taken
		if table.Rules().Marks() == 2 && r.IntN(2) == 1 {
			p.X, p.O, p.Mark = p.O, p.X, game.O
		}
		all = append(all, p)
	}
	return all
}

// checkValues compares the values of many positions with those of single ones.
func checkValues(t *testing.T, table *probe.Table) {
	t.Helper()
	positions := drawPositions(rand.New(rand.NewPCG(1, 2)), table, 1000)
	values := make([]probe.Value, len(positions))
	if done, err := table.Values(positions, values); err != nil || done != len(positions) {
		t.Fatalf("%d values, %v", done, err)
	}
	for i, p := range positions {
		if want, err := table.Value(p); err != nil || values[i] != want {
			t.Fatalf("%s: %v, want %v, %v", table.Rules().Format(p), values[i], want, err)
		}
	}
	// The first invalid position ends it, wherever it is.
	for _, at := range []int{0, 1, 255, 256, 700, 999} {
		wrong := append([]game.Position(nil), positions...)
		wrong[at] = game.Position{X: 1, O: 1}
		got := make([]probe.Value, len(wrong))
		if done, err := table.Values(wrong, got); !errors.Is(err, probe.ErrPosition) || done != at {
			t.Errorf("position %d is invalid: %d values, %v", at, done, err)
		}
		for i := range at {
			if got[i] != values[i] {
				t.Fatalf("before invalid position %d, %d is %v, want %v", at, i, got[i], values[i])
			}
		}
	}
}

func TestValues(t *testing.T) {
	eachBoard(t, func(t *testing.T, table *probe.Table) {
		checkValues(t, table)
		table.Number()
		checkValues(t, table)
		table.CheckAlways()
		checkValues(t, table)
	})
	eachAfter(t, func(t *testing.T, table, _ *probe.Table) { checkValues(t, table) })
}

// What is answered without moves is what is answered with them, at once and one by one.
func TestAnswersWithoutMoves(t *testing.T) {
	eachBoard(t, func(t *testing.T, table *probe.Table) {
		var states []game.State
		for _, p := range drawPositions(rand.New(rand.NewPCG(3, 4)), table, 300) {
			states = append(states, p)
		}
		states[7], states[299] = game.Position{X: 1, O: 1}, nil
		answers, errs := make([]probe.Answer, len(states)), make([]error, len(states))
		probe.AskAlone(table, nil, states, answers, errs)
		for i, s := range states {
			if i == 7 || i == 299 {
				if !errors.Is(errs[i], probe.ErrPosition) {
					t.Errorf("state %d: %v", i, errs[i])
				}
				continue
			}
			want, err := table.AskState(nil, s, probe.NoLine)
			single, failed := table.AskState(nil, s, probe.NoMoves)
			if err != nil || errs[i] != nil || failed != nil {
				t.Fatal(err, errs[i], failed)
			}
			for _, a := range []*probe.Answer{&answers[i], single} {
				if a.Position != want.Position || a.Value != want.Value || a.Nimber != want.Nimber || a.Terminal != want.Terminal || a.Source != want.Source || len(a.Moves) > 0 {
					t.Fatalf("%+v, want %+v", a, want)
				}
			}
		}
	})
}

// A value reads what is stored of the position and nothing of those after its moves: with all other
// classes damaged, it is as before.
func TestValueReadsNoMoves(t *testing.T) {
	whole := open(t, "quixo", 3, true)
	path, damaged := copied(t, whole)
	_, classes := whole.Stored().Layout()
	for i := int64(4096); i < classes[len(classes)-1].Parts[0].Offset; i++ { // class 0 is the last
		damaged[i] ^= 0x5a
	}
	if err := os.WriteFile(path, damaged, 0o644); err != nil {
		t.Fatal(err)
	}
	table, err := probe.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	want, err := whole.Value(whole.Start())
	if err != nil {
		t.Fatal(err)
	}
	if a, err := table.Ask("startpos", probe.NoMoves); err != nil || a.Value != want {
		t.Errorf("%+v, %v, want %v", a, err, want)
	}
	if _, err := table.Ask("startpos", probe.NoLine); !errors.Is(err, tablebase.ErrDamaged) {
		t.Errorf("with moves: %v", err)
	}

	g := subtraction{"heap", 20, 2}
	lacks, err := probe.OpenSparse(t.Context(), g.write(t, t.TempDir(), 4), custom.List(g))
	if err != nil {
		t.Fatal(err)
	}
	defer lacks.Close()
	values, errs := make([]probe.Value, 3), make([]error, 3)
	probe.Values(lacks, []string{"5", "6", "4"}, values, errs)
	if all := g.values(); values[0] != all[5] || values[1] != all[6] || errors.Join(errs[:2]...) != nil || !errors.Is(errs[2], sparse.ErrState) {
		t.Errorf("%v, %v", values, errs)
	}
}
