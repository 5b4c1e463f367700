package survey

import (
	"context"
	"iter"
	"math/rand/v2"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/internal/probe"
	"backsolve/tablebase"
	"backsolve/tablebase/sparse"
)

// listed has tiers as classes, the first one first. Each state counts once, as all of a key are one.
type listed struct{ table *probe.Sparse }

func (l listed) rules() game.Rules    { return l.table.Rules }
func (l listed) start() game.State    { return l.table.Rules.Start() }
func (l listed) symmetries() int      { return 1 }
func (l listed) tiers() []sparse.Tier { return l.table.Stored().Header().Tiers }
func (l listed) weight(uint32) int    { return 0 }
func (l listed) marked(int, int) int  { return 0 }

func (l listed) blockStates(int) uint64 { return sparse.BlockStates }

func (l listed) classes() (all []tablebase.ClassInfo) {
	for i, t := range l.tiers() {
		all = append(all, tablebase.ClassInfo{Class: i, Blocks: int(t.States), Counts: countsOf(t.Values)})
	}
	return all
}

func countsOf(values []sparse.Count) tablebase.Counts {
	var all tablebase.OutcomeCounts
	var bySteps []tablebase.StepCounts
	for _, v := range values {
		n, ofSteps := uint64(v.States), new(tablebase.StepCounts)
		for len(bySteps) <= v.Steps {
			bySteps = append(bySteps, tablebase.StepCounts{})
		}
		if v.Steps >= 0 {
			ofSteps = &bySteps[v.Steps]
		}
		switch v.Outcome {
		case game.Draw:
			all.Draws += n
		case game.Win:
			all.Wins += n
			ofSteps.Wins += n
		case game.Lose:
			all.Losses += n
			ofSteps.Losses += n
		}
	}
	if len(bySteps) > 0 {
		all.TerminalWins, all.TerminalLosses = bySteps[0].Wins, bySteps[0].Losses
	}
	return tablebase.Counts{ByWeight: []tablebase.OutcomeCounts{all}, BySteps: bySteps}
}

func (l listed) value(s game.State) (probe.Value, error) { return l.table.Value(s) }

func (l listed) place(s game.State) (any, error) {
	tier, key := l.table.Rules.(custom.Listed).Number(s)
	return custom.Child{Tier: tier, Key: key}, nil
}

func (l listed) first(_ context.Context, class int, f Filter) (string, error) {
	for _, c := range l.tiers()[class].Values {
		if f.matches(probe.Value(c.Value)) {
			return l.table.Text(class, c.First), nil
		}
	}
	return "", l.table.File().Damaged("tier %d counts states of %v and has none", class, f)
}

func (l listed) random(class, _ int, r *rand.Rand) (game.State, error) {
	return l.nth(class, 0, uint64(r.Int64N(l.tiers()[class].States)))
}

func (l listed) nth(class, _ int, number uint64) (game.State, error) {
	state, err := (&sparse.Cursor{Table: l.table.Stored(), Tier: class}).At(int64(number))
	if err != nil {
		return nil, err
	}
	return l.table.State(class, state.Key)
}

func (l listed) describe(s *Stats) error {
	s.Tiers, s.Stones = true, []StonesStats{}
	return nil
}

// runBlocks is how many blocks of the file are read together.
const runBlocks = 64

func (l listed) scan(ctx context.Context, class, threads int, f func(r run) (more bool, err error)) error {
	return l.eachRun(ctx, class, threads, func(r *listedRun) (bool, error) { return f(r) })
}

func (l listed) eachRun(ctx context.Context, class, threads int, f func(r *listedRun) (more bool, err error)) error {
	blocks := l.tiers()[class].Blocks()
	return eachTask(ctx, threads, uint64((blocks+runBlocks-1)/runBlocks), func(tasks iter.Seq[uint64]) (err error) {
		r := &listedRun{table: l.table, class: class}
		for n := range tasks {
			r.first, r.states = int64(n)*runBlocks, r.states[:0]
			for b := r.first; b < min(int64(n+1)*runBlocks, blocks); b++ {
				if r.states, err = l.table.Stored().Block(r.states, class, b); err != nil {
					return err
				}
			}
			if more, err := f(r); err != nil || !more {
				return err
			}
		}
		return nil
	})
}

type listedRun struct {
	table  *probe.Sparse
	class  int
	first  int64 // block of the file
	states []sparse.State
	other  []sparse.State // of another table
}

func (r *listedRun) blocks() int               { return 1 }
func (r *listedRun) times(int) (uint64, error) { return 1, nil }

func (r *listedRun) value(_ int, index uint32) probe.Value { return probe.Value(r.states[index].Value) }

func (r *listedRun) matching(_ int, f Filter) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for i := range r.states {
			if f.matches(probe.Value(r.states[i].Value)) && !yield(uint32(i)) {
				return
			}
		}
	}
}

func (r *listedRun) nth(block int, f Filter, number uint64) (index uint32, passed uint64, found bool) {
	for i := range r.matching(block, f) {
		if passed == number {
			return i, 0, true
		}
		passed++
	}
	return 0, passed, false
}

func (r *listedRun) images(_ int, index uint32) []int {
	s, err := r.table.State(r.class, r.states[index].Key)
	if err != nil {
		return []int{0} // state says why
	}
	all := make([]int, len(imagesOf(r.table, s)))
	for i := range all {
		all[i] = i
	}
	return all
}

func (r *listedRun) state(_ int, index uint32, symmetry int) (game.State, error) {
	s, err := r.table.State(r.class, r.states[index].Key)
	if err != nil || symmetry == 0 {
		return s, err
	}
	return imagesOf(r.table, s)[symmetry], nil
}

// imagesOf returns a state and the others that share its key, as far as the game names them.
func imagesOf(t *probe.Sparse, s game.State) []game.State {
	if of, ok := t.Rules.(interface {
		Images(s game.State) []game.State
	}); ok {
		return of.Images(s)
	}
	return []game.State{s}
}
