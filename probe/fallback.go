package probe

import (
	"context"
	"errors"
	"fmt"

	"backsolve/game"
)

// Solver solves endgames on demand. Package endgame implements it.
type Solver interface {
	// Answers returns what answers for a board until ctx ends, with the steps to the
	// end or without, or why nothing does: an error that wraps ErrUnknown. Where
	// solving takes more than it may, the errors of what answers wrap that as well.
	Answerer(ctx context.Context, rules game.Rules, steps bool) (Answerer, error)
}

// ErrBusy is why nothing is searched for now: as many searches go on as may at once.
var ErrBusy = errors.New("as many positions as may be at once are being thought about; try again soon")

// OnDemand is whether what is not known is searched for, and how. The zero value
// searches for nothing.
type OnDemand struct {
	Solver
	// Steps asks for the steps to the end.
	Steps bool
}

// fallback answers from a table or a strategy what that knows, and solves the rest
// of the game where it does not.
type fallback struct {
	known  Answerer // nil where there is neither table nor strategy
	why    error    // there is neither
	search Answerer
	board  *Board
}

// Info describes the board.
func (f *fallback) Info() game.Info { return f.board.Info() }

// HasSteps reports whether the steps to the end are known or searched for.
func (f *fallback) HasSteps() bool {
	return f.search.HasSteps() || f.known != nil && f.known.HasSteps()
}

// Example returns the text of a position that shows the notation.
func (f *fallback) Example() string { return f.board.Example() }

// from asks for an answer where it is known, else where it is searched for.
func from[T any](f *fallback, ask func(Answerer) (T, error), hasSteps func(T) bool) (answer T, err error) {
	why := f.why
	if f.known != nil {
		answer, err = ask(f.known)
		if err != nil && !unknown(err) || err == nil && (!f.search.HasSteps() || hasSteps(answer)) {
			return answer, err
		}
		why = err
	}
	searched, err := ask(f.search)
	switch {
	case err == nil || !errors.Is(err, ErrUnknown):
		return searched, err
	case why == nil: // only the steps are not known
		return answer, nil
	}
	return answer, fmt.Errorf("%w; %w", why, err)
}

// Ask answers the position of a text as Answerer says.
func (f *fallback) Ask(text string, maxPlies int) (*Answer, error) {
	s, err := f.board.rules.Parse(text)
	if err != nil {
		return nil, err
	}
	return f.AskState(f.board.rules, s, maxPlies)
}

// AskState answers a state as Answerer says.
func (f *fallback) AskState(rules game.Rules, s game.State, maxPlies int) (*Answer, error) {
	if err := f.board.begun(s); err != nil {
		return nil, err
	}
	a, err := from(f, func(a Answerer) (*Answer, error) { return a.AskState(rules, s, NoLine) },
		func(a *Answer) bool { return a.Steps >= 0 || a.Outcome == game.Draw })
	if err == nil && maxPlies >= 0 {
		a.Line, err = MainLine(rules, s, maxPlies, func(s game.State) ([]Rated, error) {
			_, moves, err := f.Rate(rules, s, nil)
			return moves, err
		})
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

// AppendAsk appends the answer as Answerer says.
func (f *fallback) AppendAsk(dst []byte, text string) ([]byte, error) {
	return AppendAsk(f, dst, text)
}

// Rate rates the moves as Answerer says.
func (f *fallback) Rate(rules game.Rules, s game.State, buf []Rated) (Value, []Rated, error) {
	if err := f.board.begun(s); err != nil {
		return Value{}, buf, err
	}
	type rating struct {
		Value
		moves []Rated
	}
	r, err := from(f, func(a Answerer) (rating, error) {
		v, moves, err := a.Rate(rules, s, nil)
		return rating{v, moves}, err
	}, func(r rating) bool { return r.Steps >= 0 || r.Outcome == game.Draw })
	if err != nil {
		return Value{}, buf, err
	}
	return r.Value, append(buf, r.moves...), nil
}
