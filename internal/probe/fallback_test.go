package probe_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
)

// onlySolver is a solver that answers as one does, or with an error.
type onlySolver struct{ rater *probe.Rater }

func (o onlySolver) Answerer(_ context.Context, rules game.Rules, _ bool) (probe.Answerer, error) {
	if o.rater == nil {
		return nil, fmt.Errorf("%w: nothing is", probe.ErrUnknown)
	}
	o.rater.Rules = rules
	return o.rater, nil
}

// knowing returns an answerer that knows what a table does, with steps or without, but for an error.
func knowing(table *probe.Table, source probe.Source, steps bool, failure error) *probe.Rater {
	return &probe.Rater{Source: source, Steps: steps, RateState: func(_ context.Context, _ game.Rules, s game.State) (r probe.Rating, err error) {
		if failure != nil {
			return r, failure
		}
		if r.Value, r.Moves, err = table.Rate(nil, s, nil); !steps {
			r.Steps = -1
			for i := range r.Moves {
				r.Moves[i].Steps = -1
			}
		}
		return r, err
	}}
}

// What is known is answered from there, unless a solver knows the steps, too; all else is solved.
// Errors say why nothing is known and why nothing is solved.
func TestFallback(t *testing.T) {
	table := open(t, "notakto", 3, true)
	b, err := probe.NewBoard("notakto", 3, "")
	if err != nil {
		t.Fatal(err)
	}
	unknown := fmt.Errorf("%w: there is nothing", probe.ErrUnknown)
	slow := fmt.Errorf("%w: it takes too long", probe.ErrUnknown)
	broken, lost := errors.New("it is broken"), errors.New("the table is lost")
	const first, second = probe.FromPairing, probe.FromSearch
	for name, test := range map[string]struct {
		known  probe.Answerer
		why    error
		solver *probe.Rater
		source probe.Source // of the answer, "" for an error
		steps  bool
		errs   []error
	}{
		"all is known":               {knowing(table, first, true, nil), nil, knowing(table, second, true, broken), first, true, nil},
		"steps are not asked for":    {knowing(table, first, false, nil), nil, knowing(table, second, false, broken), first, false, nil},
		"the solver knows steps":     {knowing(table, first, false, nil), nil, knowing(table, second, true, nil), second, true, nil},
		"no time for steps":          {knowing(table, first, false, nil), nil, knowing(table, second, true, slow), first, false, nil},
		"the solver breaks":          {knowing(table, first, false, nil), nil, knowing(table, second, true, broken), "", false, []error{broken}},
		"unknown, and solved":        {knowing(table, first, false, unknown), nil, knowing(table, second, false, nil), second, false, nil},
		"unknown, and not solved":    {knowing(table, first, false, unknown), nil, knowing(table, second, false, slow), "", false, []error{unknown, slow}},
		"what is known breaks":       {knowing(table, first, true, broken), nil, knowing(table, second, true, nil), "", false, []error{broken}},
		"nothing is known":           {nil, lost, knowing(table, second, true, nil), second, true, nil},
		"nothing is known or solved": {nil, lost, knowing(table, second, true, slow), "", false, []error{lost, slow}},
	} {
		if known, is := test.known.(*probe.Rater); is {
			known.Rules = b.Rules()
		}
		f := b.Fallback(t.Context(), test.known, test.why, probe.OnDemand{Solver: onlySolver{test.solver}})
		if want := test.solver.Steps || test.known != nil && test.known.HasSteps(); f.HasSteps() != want || f.Info() != b.Info() || f.Example() != b.Example() {
			t.Errorf("%s: %v, steps %t, for example %s", name, f.Info(), f.HasSteps(), f.Example())
		}
		for _, text := range []string{"X../.../...", "X.X/.../...", "XX./.X./...", "X.X/.X./..."} {
			s, err := b.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			right, err := table.Ask(text, probe.WholeLine)
			if err != nil {
				t.Fatal(err)
			}
			a, err := f.Ask(text, probe.WholeLine)
			value, moves, failure := f.Rate(b.Rules(), s, make([]probe.Rated, 2))
			if test.source == "" {
				for _, want := range test.errs {
					if !errors.Is(err, want) || !errors.Is(failure, want) {
						t.Errorf("%s: %v and %v, want %v", name, err, failure, want)
					}
				}
				if a != nil || len(moves) != 2 {
					t.Errorf("%s: %+v and %d moves beside %v", name, a, len(moves), err)
				}
				continue
			}
			if err != nil || failure != nil {
				t.Fatalf("%s: %v, %v", name, err, failure)
			}
			want := right.Value
			if !test.steps {
				want.Steps = -1
			}
			if a.Value != want || value != want || a.Source != test.source || len(a.Moves) != len(right.Moves) || len(moves) != 2+len(a.Moves) {
				t.Errorf("%s: %s is %v and %v of %s, want %v", name, text, a.Value, value, a.Source, want)
			}
			if a.Line == nil || test.steps && len(a.Line.Plies) != want.Steps || a.Line.Truncated {
				t.Errorf("%s: %s has the line %+v", name, text, a.Line)
			}
			if a, err := f.Ask(text, probe.NoLine); err != nil || a.Line != nil {
				t.Errorf("%s: %s without a line: %+v, %v", name, text, a, err)
			}
		}
	}
}

// A whole table and a whole set of positions need no solver, and a board that cannot be solved has
// none.
func TestNoFallback(t *testing.T) {
	table := open(t, "notakto", 3, true)
	b, err := probe.NewBoard("notakto", 3, "b2")
	if err != nil {
		t.Fatal(err)
	}
	some := probe.OnDemand{Solver: onlySolver{knowing(table, probe.FromSearch, true, nil)}}
	known := knowing(table, probe.FromPairing, false, nil)
	for name, got := range map[string][2]any{
		"a whole table": {b.Fallback(t.Context(), table, nil, some), table},
		"no solver":     {b.Fallback(t.Context(), known, nil, probe.OnDemand{}), known},
		"it refuses":    {b.Fallback(t.Context(), known, nil, probe.OnDemand{Solver: onlySolver{}}), known},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: %v", name, got[0])
		}
	}
	if b.Fallback(t.Context(), nil, errors.New("lost"), probe.OnDemand{}) != nil {
		t.Error("nothing answers")
	}
	f := b.Fallback(t.Context(), known, nil, some)
	s := game.Position{X: 1}
	if _, err := f.AskState(b.Rules(), s, probe.NoLine); !errors.Is(err, probe.ErrPosition) {
		t.Errorf("without the first mark: %v", err)
	}
	if _, _, err := f.Rate(b.Rules(), s, nil); !errors.Is(err, probe.ErrPosition) {
		t.Errorf("without the first mark: %v", err)
	}
	if _, err := f.AskState(b.Rules(), game.Position{X: 1 | 1<<4}, probe.NoLine); err != nil {
		t.Error(err)
	}
	if from, err := b.WithSearch(t.Context(), nil, errors.New("broken"), some); from != nil || err == nil {
		t.Errorf("a table that cannot be read: %v, %v", from, err)
	}
	if from, err := b.WithSearch(t.Context(), nil, &probe.MissingError{}, some); from == nil || err != nil {
		t.Errorf("a table that is missing: %v, %v", from, err)
	}
	var missing *probe.MissingError
	if from, err := b.WithSearch(t.Context(), nil, &probe.MissingError{}, probe.OnDemand{}); from != nil || !errors.As(err, &missing) {
		t.Errorf("a table that is missing, and no solver: %v, %v", from, err)
	}
}

// Both files of a table with nimbers beside it are closed, numbered and checked.
func TestFilesOfATable(t *testing.T) {
	rules, dir := newRules(t, "notakto", 3), t.TempDir()
	probetest.Solve(t, dir, rules, 0, true)
	probetest.SolveNimbers(t, dir, rules)
	table, err := probe.Open(dir, rules)
	if err != nil {
		t.Fatal(err)
	}
	want, err := table.Nimber(game.Position{X: 3})
	if _, known := want.Value(); err != nil || !known {
		t.Fatal(want, err)
	}
	table.Number()
	if got, err := table.Nimber(game.Position{X: 3}); err != nil || got != want {
		t.Errorf("numbered, the nimber is %v, %v, not %v", got, err, want)
	}
	table.CheckAlways()
	if files := probe.Trusting(table); slices.Contains(files, true) || len(files) != 2 {
		t.Errorf("of the files some are trusted: %v", files)
	}
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := table.Nimber(game.Position{X: 3}); err == nil {
		t.Error("the nimbers are still open")
	}
	if _, err := table.Value(game.Position{X: 3}); err == nil {
		t.Error("the table is still open")
	}
}
