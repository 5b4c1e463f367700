package survey

import (
	"encoding/binary"
	"errors"
	"iter"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/game/examples/chomp"
	"backsolve/game/examples/connect4"
	"backsolve/game/holestest"
	"backsolve/internal/probe"
	"backsolve/retro/generic"
	"backsolve/tablebase/sparse"
)

// solvedGame is a game with the values of its positions, by tier.
type solvedGame struct {
	custom.Listed
	tiers []map[uint64]sparse.Value
}

func solveGame(t testing.TB, g custom.Listed) solvedGame {
	t.Helper()
	s, err := generic.Solve(t.Context(), filepath.Join(t.TempDir(), "work"), g.Numbers(), generic.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Remove()
	solved := solvedGame{g, make([]map[uint64]sparse.Value, g.Numbers().Tiers())}
	for tier := range solved.tiers {
		solved.tiers[tier] = maps.Collect(s.Tier(tier))
	}
	return solved
}

// moved writes a table in which some states have other keys, and opens it. Every ten bytes of edits are
// the number of a state and the bits to flip in its key.
func (g solvedGame) moved(t testing.TB, edits []byte) (table *probe.Sparse, changed bool) {
	t.Helper()
	tiers := make([]map[uint64]sparse.Value, len(g.tiers))
	for tier := range tiers {
		tiers[tier] = maps.Clone(g.tiers[tier])
	}
	for ; len(edits) >= 10; edits = edits[10:] {
		at := binary.LittleEndian.Uint16(edits)
		tier := tiers[int(at)%len(tiers)]
		if len(tier) == 0 {
			continue
		}
		keys := slices.Sorted(maps.Keys(tier))
		key := keys[int(at)/len(tiers)%len(keys)]
		v := tier[key]
		delete(tier, key)
		tier[key^binary.LittleEndian.Uint64(edits[2:])] = v
	}
	for tier := range tiers {
		changed = changed || !maps.Equal(tiers[tier], g.tiers[tier])
	}
	return written(t, g.Listed, func(tier int) iter.Seq2[uint64, sparse.Value] {
		return func(yield func(uint64, sparse.Value) bool) {
			for _, key := range slices.Sorted(maps.Keys(tiers[tier])) {
				if !yield(key, tiers[tier][key]) {
					return
				}
			}
		}
	}), changed
}

// FuzzForeignKeys makes strangers' tables with right checksums: nothing that reads them panics, and
// verifying finds each changed key.
func FuzzForeignKeys(f *testing.F) {
	four, err := connect4.New(3, 3, true)
	if err != nil {
		f.Fatal(err)
	}
	games := []solvedGame{solveGame(f, custom.List(chomp.Game{Rows: 3, Columns: 3})), solveGame(f, custom.List(four))}
	for g := range games {
		f.Add(byte(g), []byte{})
		for _, flip := range []uint64{1 << 9, 1 << 20, ^uint64(0)} {
			for _, state := range []uint16{0, 300} {
				f.Add(byte(g), binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint16(nil, state), flip))
			}
		}
	}
	f.Fuzz(func(t *testing.T, which byte, edits []byte) {
		table, changed := games[int(which)%len(games)].moved(t, edits[:min(len(edits), 100)])
		var found []Difference
		report := func(d Difference) { found = append(found, d) }
		_, err := Verify(t.Context(), table, VerifyOptions{Threads: 1}, nil, report)
		if changed != errors.Is(err, ErrDiffers) || changed != (len(found) > 0) {
			t.Errorf("changed %v: %v, %v", changed, found, err)
		}
		if err := Check(t.Context(), table, nil); err != nil && (!changed || !errors.Is(err, ErrDiffers)) {
			t.Errorf("its keys: %v", err)
		}
		Summarize(t.Context(), table)
		for seed := range uint64(3) {
			if s, err := Random(t.Context(), table, Filter{}, rand.New(rand.NewPCG(seed, 1))); err == nil {
				table.Rules.Format(s)
			}
		}
	})
}

// A key that no position has is reported as a difference with its place, by verifying and before
// packing, whether the rules panic at it or turn it into another one.
func TestForeignKeys(t *testing.T) {
	g := solveGame(t, custom.List(holestest.Game{Tapatan: true}))
	last := len(g.tiers) - 1
	edit := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint16(nil, uint16(last)), 0x1ff|0x1ff<<9|0x1ff<<16)
	table, _ := g.moved(t, edit)
	for what, verify := range map[string]func(report func(Difference)) error{
		"verify": func(report func(Difference)) error {
			_, err := Verify(t.Context(), table, VerifyOptions{}, nil, report)
			return err
		},
		"check": func(report func(Difference)) error { return Check(t.Context(), table, report) },
	} {
		var found []string
		err := verify(func(d Difference) { found = append(found, d.Where+": "+d.Stored+", "+d.Derived) })
		if !errors.Is(err, ErrDiffers) || !slices.ContainsFunc(found, func(d string) bool {
			return strings.HasPrefix(d, "the number ") && strings.Contains(d, " of tier ") && strings.HasSuffix(d, ", nothing")
		}) {
			t.Errorf("%s: %q, %v", what, found, err)
		}
	}
}

// A table of outcomes alone is verified by its outcomes, and says that it has no steps.
func TestOutcomesAlone(t *testing.T) {
	g := solveGame(t, custom.List(chomp.Game{Rows: 3, Columns: 3}))
	n := g.Numbers()
	for _, wrong := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), n.Name()+".tb")
		h := sparse.Header{Game: n.Name(), Start: n.Start().Key, StartTier: n.Start().Tier, Outcomes: true}
		err := sparse.Write(path, h, n.Tiers(), func(tier int) iter.Seq2[uint64, sparse.Value] {
			return func(yield func(uint64, sparse.Value) bool) {
				for _, key := range slices.Sorted(maps.Keys(g.tiers[tier])) {
					v := sparse.Value{Outcome: g.tiers[tier][key].Outcome, Steps: -1}
					if wrong && key == n.Start().Key {
						v.Outcome = game.Lose
					}
					if !yield(key, v) {
						return
					}
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		table, err := probe.OpenSparse(t.Context(), path, g.Listed)
		if err != nil {
			t.Fatal(err)
		}
		defer table.Close()
		var found []Difference
		_, err = Verify(t.Context(), table, VerifyOptions{}, nil, func(d Difference) { found = append(found, d) })
		if wrong != errors.Is(err, ErrDiffers) || wrong != (len(found) == 1) || wrong && (found[0].Stored != "lose" || found[0].Derived != "win") {
			t.Errorf("wrong %v: %v, %v", wrong, found, err)
		}
		s, err := Summarize(t.Context(), table)
		if err != nil || s.HasSteps || table.HasSteps() || s.LongestWin != nil || s.Start.Steps != nil {
			t.Errorf("%+v, %v", s, err)
		}
		if a, err := table.Ask("startpos", probe.WholeLine); err != nil || a.Steps != -1 {
			t.Errorf("%+v, %v", a, err)
		}
	}
}

// A state for which the rules panic is a difference.
func TestVerifyPanickingRules(t *testing.T) {
	table := written(t, custom.List(trap{}), func(int) iter.Seq2[uint64, sparse.Value] {
		return func(yield func(uint64, sparse.Value) bool) {
			_ = yield(0, sparse.Value{Outcome: game.Draw, Steps: -1}) && yield(1, sparse.Value{Outcome: game.Draw, Steps: -1}) && yield(2, sparse.Value{Outcome: game.Draw, Steps: -1})
		}
	})
	var found []string
	_, err := Verify(t.Context(), table, VerifyOptions{}, nil, func(d Difference) { found = append(found, d.Where) })
	if !errors.Is(err, ErrDiffers) || len(found) != 1 || !strings.HasPrefix(found[0], "2 (the rules panic: no moves, at foreign_test.go:") {
		t.Errorf("%q, %v", found, err)
	}
}

// trap is a ring of three positions. Its rules panic when the last one is reached.
type trap struct{ ring }

func (trap) Moves(dst []int, s int) []int {
	if s == 2 {
		panic("no moves")
	}
	return append(dst, (s+1)%3)
}
