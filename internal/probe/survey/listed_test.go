package survey

import (
	"iter"
	"path/filepath"
	"slices"
	"testing"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/game/examples/connect4"
	"backsolve/internal/probe"
	"backsolve/retro/generic"
	"backsolve/tablebase/sparse"
)

// listedGame returns the table of a board of Connect Four with mirror images as one state, and all
// positions that play can reach, each image on its own, by their texts.
func listedGame(t *testing.T) (table *probe.Sparse, reached map[string]game.State) {
	t.Helper()
	g, err := connect4.New(4, 3, true)
	if err != nil {
		t.Fatal(err)
	}
	l := custom.List(g)
	solution, err := generic.Solve(t.Context(), filepath.Join(t.TempDir(), "work"), l.Numbers(), generic.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer solution.Close()
	reached = map[string]game.State{l.Format(l.Start()): l.Start()}
	for queue := []game.State{l.Start()}; len(queue) > 0; queue = queue[1:] {
		for _, m := range l.Moves(nil, queue[0]) {
			after := l.Play(queue[0], m)
			if text := l.Format(after); reached[text] == nil {
				reached[text] = after
				queue = append(queue, after)
			}
		}
	}
	return written(t, l, solution.Tier), reached
}

// A table of single positions has as rows all states that play can reach, one for each key, or with
// images each on its own, with the values and moves that the table answers.
func TestSelectListed(t *testing.T) {
	table, reached := listedGame(t)
	keys := map[any]int{}
	for _, s := range reached {
		at, _ := sourceOf(table).place(s)
		keys[at] = 0
	}
	texts, classes := map[string]bool{}, 0
	for class := range Strata(table) {
		err := Select(t.Context(), table, Selection{Class: &class, AllImages: true, Moves: true, Threads: 2}, func(states []Selected) error {
			for _, s := range states {
				text := table.Rules.Format(s.State)
				v, moves, err := table.Rate(nil, s.State, nil)
				if texts[text] || reached[text] == nil || err != nil || v != s.Value || !slices.Equal(moves, s.Moves) || s.Terminal != (len(moves) == 0) || s.Images != 1 {
					t.Fatalf("%s, which is %v: %+v, %v", text, v, s, err)
				}
				texts[text] = true
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		classes++
	}
	if len(texts) != len(reached) || classes != 13 {
		t.Errorf("%d images of %d, in %d classes", len(texts), len(reached), classes)
	}
	lost := game.Lose
	for _, f := range []Filter{{}, {Outcome: &lost}, {Steps: new(3)}, {Outcome: &lost, Steps: new(2)}} {
		seen := map[any]int{}
		err := Select(t.Context(), table, Selection{Filter: f}, func(states []Selected) error {
			for _, s := range states {
				at, _ := sourceOf(table).place(s.State)
				if _, is := keys[at]; !is || !f.matches(s.Value) {
					t.Errorf("%v: %+v", f, s)
				}
				seen[at]++
			}
			return nil
		})
		want := 0
		for at := range keys {
			child := at.(custom.Child)
			s, _ := table.State(child.Tier, child.Key)
			if v, err := table.Value(s); err != nil || f.matches(v) {
				want++
			}
		}
		if err != nil || len(seen) != want || want == 0 {
			t.Errorf("%v: %d states, want %d, %v", f, len(seen), want, err)
		}
		drawn := map[any]int{}
		sample := uint64(40 * want)
		err = Select(t.Context(), table, Selection{Filter: f, Sample: sample, Seed: 3}, func(states []Selected) error {
			for _, s := range states {
				at, _ := sourceOf(table).place(s.State)
				drawn[at]++
				sample--
			}
			return nil
		})
		for at, n := range drawn {
			if seen[at] != 1 || n > 90 {
				t.Errorf("%v: %v is drawn %d times", f, at, n)
			}
		}
		if err != nil || sample != 0 || len(drawn) != want {
			t.Errorf("%v: %d of %d states are drawn, %d too few, %v", f, len(drawn), want, sample, err)
		}
	}
}

// A walk visits each state once, and finds as many puzzles as looking at every state.
func TestMineListed(t *testing.T) {
	table, reached := listedGame(t)
	states := map[any]game.State{}
	for _, s := range reached {
		at, _ := sourceOf(table).place(s)
		states[at] = s
	}
	only := uint64(0)
	for _, s := range states {
		v, moves, err := table.Rate(nil, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		kept := slices.DeleteFunc(slices.Clone(moves), func(m probe.Rated) bool { return m.Outcome != v.Outcome })
		if len(moves) > 1 && len(kept) == 1 {
			only++
		}
	}
	for _, o := range []WalkOptions{{Threads: 2}, {Sample: 1 << 20}} {
		visited := make(chan any, len(states)+1)
		err := Walk(t.Context(), table, o, func(visits iter.Seq[*Visit]) error {
			for v := range visits {
				at, _ := sourceOf(table).place(v.State)
				if tier := at.(custom.Child).Tier; tier != v.Stratum || v.Images != 1 {
					t.Errorf("%v is of stratum %d, %d times", at, v.Stratum, v.Images)
				}
				visited <- at
			}
			return nil
		})
		close(visited)
		seen := map[any]bool{}
		for at := range visited {
			if seen[at] || states[at] == nil {
				t.Errorf("%v is visited again, or unreached", at)
			}
			seen[at] = true
		}
		found, wrong := Mine(t.Context(), table, o, 2)
		if err != nil || wrong != nil || len(seen) != len(states) || found.States != uint64(len(states)) || found.Only != only || only < 50 {
			t.Fatalf("%+v: %d of %d states are visited, %+v, %d only moves: %v, %v", o, len(seen), len(states), found, only, err, wrong)
		}
		for _, p := range append(found.Puzzles, *found.LongestLine) {
			if reached[p.Position] == nil || len(p.Line) < p.OnlyMoves || p.LegalMoves < 2 || p.OnlyMoves > found.LongestLine.OnlyMoves {
				t.Errorf("%+v", p)
			}
		}
	}
}

// Random blocks of a table of single positions are derived whole.
func TestVerifyListedBlocks(t *testing.T) {
	table, _ := listedGame(t)
	all := uint64(0)
	for _, tier := range table.Stored().Header().Tiers {
		all += uint64(tier.States+sparse.BlockStates-1) / sparse.BlockStates
	}
	stored := uint64(table.Stored().States())
	for _, o := range []VerifyOptions{{Blocks: all}, {Blocks: 3, Seed: 2}, {Blocks: 1 << 40, Sample: 7}, {Blocks: 1, Threads: 1}} {
		v, err := Verify(t.Context(), table, o, nil, nil)
		if err != nil || v.AllBlocks != all || v.Blocks != min(o.Blocks, all) || o.Blocks >= all && v.States != stored+o.Sample || v.States > stored+o.Sample || v.States == 0 {
			t.Errorf("%+v: %+v of %d states and %d blocks, %v", o, v, stored, all, err)
		}
	}
}
