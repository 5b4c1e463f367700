package probe

import (
	"context"
	"slices"

	"backsolve/game"
)

// Answerer answers for one board: a *Table, or made by a Strategy. It is safe for concurrent use.
type Answerer interface {
	// Info describes the board.
	Info() game.Info
	// HasSteps reports whether it knows the steps to the end.
	HasSteps() bool
	// Example returns the text of a position that shows the notation.
	Example() string
	// Ask answers a position, which game.ParsePosition reads from a text, with the main line of at
	// most maxPlies plies unless that is NoLine or NoMoves. The error comes from ParsePosition or
	// Table.Rate, or wraps ErrUnknown if a strategy does not know the outcome.
	Ask(text string, maxPlies int) (*Answer, error)
	// AskState answers a state of the board's rules as Ask does its text.
	AskState(rules game.Rules, s game.State, maxPlies int) (*Answer, error)
	// Rate returns the value of a state of the board's rules and appends its moves of known value, as Table.Rate
	// orders them, none if it is over. On failure it returns buf as it was, and an error of Ask.
	Rate(rules game.Rules, s game.State, buf []Rated) (Value, []Rated, error)
}

// Rating is the value of a state and of its moves.
type Rating struct {
	Value
	Nimber Number
	Score  Number
	// Moves are the moves of known value, the best first.
	Moves []Rated
	// Partial is Answer.Partial.
	Partial bool
}

// Rater answers for a board from the ratings of single states. It implements Answerer.
type Rater struct {
	Rules  game.Rules
	Source Source
	// Steps says that ratings have steps.
	Steps bool
	// Context returns the context of all ratings of one question; nil for the background.
	Context func() (context.Context, context.CancelFunc)
	// RateState rates a state. Its errors are as for Answerer.Ask.
	RateState func(ctx context.Context, rules game.Rules, s game.State) (Rating, error)
	// RateAlone rates a state without its moves; nil where that is no faster.
	RateAlone func(s game.State) (Rating, error)
}

// Info describes the board.
func (r *Rater) Info() game.Info { return r.Rules.Info() }

// HasSteps reports whether ratings have steps.
func (r *Rater) HasSteps() bool { return r.Steps }

// Example returns the text of a position that shows the notation.
func (r *Rater) Example() string { return r.Rules.Example() }

// Ask answers the position of a text; see Answerer.
func (r *Rater) Ask(text string, maxPlies int) (*Answer, error) {
	s, err := game.ParsePosition(r.Rules, r.Rules.Start(), text)
	if err != nil {
		return nil, err
	}
	return r.AskState(r.Rules, s, maxPlies)
}

// AppendAsk appends to dst the JSON of what a answers to a text without a line, and returns the
// number of its moves. On failure it returns dst as it was, and an error of Answerer.Ask.
func AppendAsk(a Answerer, dst []byte, text string) (answered []byte, moves int, err error) {
	if t, ok := a.(*Table); ok { // which does not allocate
		p, err := t.Parse(text)
		if err != nil {
			return dst, 0, err
		}
		defer t.stored.ShareDeadline()()
		return t.appendAnswer(dst, p, batched{})
	}
	answer, err := a.Ask(text, NoLine)
	if err != nil {
		return dst, 0, err
	}
	return answer.AppendJSON(dst), len(answer.Moves), nil
}

// Rate rates the moves of a state; see Answerer.
func (r *Rater) Rate(rules game.Rules, s game.State, buf []Rated) (Value, []Rated, error) {
	ctx, cancel := r.context()
	defer cancel()
	rating, err := r.RateState(ctx, rules, s)
	if err != nil {
		return Value{}, buf, err
	}
	return rating.Value, append(buf, rating.Moves...), nil
}

// AskState answers a state; see Answerer.
func (r *Rater) AskState(rules game.Rules, s game.State, maxPlies int) (*Answer, error) {
	ctx, cancel := r.context()
	defer cancel()
	return ask(rules, s, r.Source, maxPlies, func(s game.State, alone bool) (Rating, error) {
		if alone && r.RateAlone != nil {
			return r.RateAlone(s)
		}
		rating, err := r.RateState(ctx, rules, s)
		if alone {
			rating.Moves, rating.Partial = nil, false
		}
		return rating, err
	})
}

// WithContext returns an answerer like a, whose searches also end with ctx. It still answers without one.
func WithContext(ctx context.Context, a Answerer) Answerer {
	switch a := a.(type) {
	case *Rater:
		r := *a
		r.Context = func() (context.Context, context.CancelFunc) {
			inner, cancel := a.context()
			both, end := context.WithCancelCause(inner)
			stop := context.AfterFunc(ctx, func() { end(context.Cause(ctx)) })
			return both, func() { stop(); end(nil); cancel() }
		}
		return &r
	case *fallback:
		f := *a
		f.solver = WithContext(ctx, a.solver)
		return &f
	}
	return a
}

func (r *Rater) context() (context.Context, context.CancelFunc) {
	if r.Context == nil {
		return context.Background(), func() {}
	}
	return r.Context()
}

// sortRated puts the best first. Ties stay in the order of the rules, by their text.
func sortRated(moves []Rated) {
	slices.SortStableFunc(moves, func(a, b Rated) int { return a.Compare(b.Value) })
}
