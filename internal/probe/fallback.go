package probe

import (
	"context"
	"errors"
	"fmt"

	"backsolve/game"
)

// Solver solves endgames on demand. Package endgame has one.
type Solver interface {
	// Answerer returns an answerer for a board until ctx ends. Its error, and the answerer's where solving takes
	// more than allowed, wrap ErrUnknown.
	Answerer(ctx context.Context, rules game.Rules, steps bool) (Answerer, error)
}

// ErrBusy reports that the solver is working on as many questions as it may.
var ErrBusy = errors.New("too many positions are being solved; try again soon")

// OnDemand says how unknown positions are solved on demand. The zero value solves none.
type OnDemand struct {
	Solver
	// Steps asks for the steps to the end.
	Steps bool
}

// fallback solves on demand what a table or a strategy does not know.
type fallback struct {
	known  Answerer // nil if there is neither table nor strategy
	why    error    // that known is nil
	solver Answerer
	board  *Board
}

func (f *fallback) Info() game.Info { return f.board.Info() }

func (f *fallback) HasSteps() bool {
	return f.solver.HasSteps() || f.known != nil && f.known.HasSteps()
}

func (f *fallback) Example() string { return f.board.Example() }

// askBoth asks what is known for an answer, and then the solver.
func askBoth[T interface{ complete() bool }](f *fallback, ask func(Answerer) (T, error)) (answer T, err error) {
	why := f.why
	if f.known != nil {
		answer, err = ask(f.known)
		if err != nil && !unknown(err) || err == nil && (!f.solver.HasSteps() || answer.complete()) {
			return answer, err
		}
		why = err
	}
	solved, err := ask(f.solver)
	switch {
	case err == nil || !errors.Is(err, ErrUnknown):
		return solved, err
	case why == nil: // only the steps are unknown
		return answer, nil
	}
	return answer, fmt.Errorf("%w; %w", why, err)
}

func (f *fallback) Ask(text string, maxPlies int) (*Answer, error) {
	s, err := f.board.Parse(text)
	if err != nil {
		return nil, err
	}
	return f.AskState(f.board.rules, s, maxPlies)
}

func (f *fallback) AskState(rules game.Rules, s game.State, maxPlies int) (*Answer, error) {
	if err := f.board.checkAfter(s); err != nil {
		return nil, err
	}
	a, err := askBoth(f, func(a Answerer) (*Answer, error) { return a.AskState(rules, s, min(maxPlies, NoLine)) })
	if err == nil && maxPlies >= 0 {
		a.Line, err = MainLine(rules, s, maxPlies, func(s game.State) (Value, []Rated, error) { return f.Rate(rules, s, nil) })
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

func (f *fallback) Rate(rules game.Rules, s game.State, buf []Rated) (Value, []Rated, error) {
	if err := f.board.checkAfter(s); err != nil {
		return Value{}, buf, err
	}
	r, err := askBoth(f, func(a Answerer) (r Rating, err error) {
		r.Value, r.Moves, err = a.Rate(rules, s, nil)
		return r, err
	})
	if err != nil {
		return Value{}, buf, err
	}
	return r.Value, append(buf, r.Moves...), nil
}
