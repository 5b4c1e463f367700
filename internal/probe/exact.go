package probe

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"backsolve/game"
)

// Games whose rules say how to know all states: by a formula, or because there are few.
var (
	formulaStrategy = exactStrategy(FromFormula, "a formula", func(known game.Exact[game.State]) bool { return known.Outcome != nil })
	solverStrategy  = exactStrategy(FromSearch, "the solver of small games", func(known game.Exact[game.State]) bool { return known.Outcome == nil })
)

func exactStrategy(source Source, title string, takes func(game.Exact[game.State]) bool) Strategy {
	return Strategy{
		Source: source, Title: title,
		New: func(rules game.Rules) (Answerer, bool) {
			known, ok := game.ExactOf(rules)
			if !ok || !takes(known) {
				return nil, false
			}
			a, ok := exacts.Load(rules.Info())
			if !ok {
				a, _ = exacts.LoadOrStore(rules.Info(), newExact(rules, known, source, maxMemo))
			}
			return a.(Answerer), true
		},
	}
}

// exacts has the answerer of each board, by its game.Info, so that nothing is solved twice.
var exacts sync.Map

// exact rates states of a game without a table: outcomes and nimbers by formulas, if there
// are any, outcomes and steps by the memo solver, if the states are few.
type exact struct {
	rules game.Rules
	known game.Exact[game.State]
	memo  *memoSolver[uint64] // nil if the states are too many
}

func newExact(rules game.Rules, known game.Exact[game.State], source Source, limit int) Answerer {
	e := &exact{rules: rules, known: known}
	if known.Key != nil {
		e.memo = newMemoSolver(context.Background(), rules, known.Key, limit)
	}
	return &Rater{Rules: rules, Source: source, Steps: e.memo != nil, RateState: e.rate}
}

func (e *exact) value(s game.State, steps bool) (v Value, n Number, err error) {
	v.Steps = -1
	if steps {
		if v, err = e.memo.value(s); err != nil {
			return v, n, err
		}
	}
	if e.known.Outcome != nil {
		outcome := e.known.Outcome(s)
		if steps && v.Outcome != outcome {
			return v, n, e.mistaken("%s is solved as %v, but known as %v", e.rules.Format(s), v, outcome)
		}
		v.Outcome = outcome
	}
	if e.known.Nimber != nil {
		n = NewNumber(e.known.Nimber(s))
	}
	return v, n, nil
}

func (e *exact) mistaken(format string, args ...any) error {
	return fmt.Errorf("%v: "+format+": this is a bug; please report it", append([]any{e.rules.Info()}, args...)...)
}

// rate rates a state, without steps if solving it takes too many values.
func (e *exact) rate(_ context.Context, _ game.Rules, s game.State) (r Rating, err error) {
	steps := e.memo != nil
	r.Value, r.Nimber, err = e.value(s, steps)
	if errors.Is(err, errManyStates) {
		if e.known.Outcome == nil {
			return r, fmt.Errorf("%w: %w", ErrUnknown, err)
		}
		steps = false
		r.Value, r.Nimber, err = e.value(s, steps)
	}
	if err != nil {
		return r, err
	}
	for _, m := range e.rules.Moves(nil, s) {
		child, nimber, err := e.value(e.rules.Play(s, m), steps)
		if err != nil {
			return r, err
		}
		r.Moves = append(r.Moves, Rated{Move: m, Value: child.Before(), Nimber: nimber})
	}
	sortRated(r.Moves)
	if len(r.Moves) > 0 && r.Moves[0].Value != r.Value {
		return r, e.mistaken("%s is known as %v, but its best move as %v", e.rules.Format(s), r.Value, r.Moves[0].Value)
	}
	return r, nil
}
