package probe

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"backsolve/game"
)

// The strategies for games whose rules say how all their states are known, by a formula
// or because there are few.
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
			return exactOf(rules, known, source), true
		},
	}
}

// exacts has what answers for a board, one for all that ask, so that nothing is solved
// twice.
var exacts sync.Map // of *exact, by game and size

func exactOf(rules game.Rules, known game.Exact[game.State], source Source) *exact {
	type board struct {
		name string
		size int
	}
	b := board{rules.Info().Name, rules.Info().Size}
	e, ok := exacts.Load(b)
	if !ok {
		e, _ = exacts.LoadOrStore(b, newExact(rules, known, source, maxSmall))
	}
	return e.(*exact)
}

// exact answers for a game without a table: with outcomes and nimbers by formulas, where
// there are such, and with outcomes and steps by solving, where the states are few.
type exact struct {
	rules  game.Rules
	known  game.Exact[game.State]
	source Source
	small  *small // nil where the states are too many
}

func newExact(rules game.Rules, known game.Exact[game.State], source Source, limit int) *exact {
	e := &exact{rules: rules, known: known, source: source}
	if known.Key != nil {
		e.small = newSmall(rules, known.Key, limit)
	}
	return e
}

// Info describes the board.
func (e *exact) Info() game.Info { return e.rules.Info() }

// HasSteps reports whether positions are solved with the steps to the end.
func (e *exact) HasSteps() bool { return e.small != nil }

// Example returns the text of a position that shows the notation.
func (e *exact) Example() string { return e.rules.Example() }

// value returns the value of a state, with steps where they are wanted, and its nimber.
func (e *exact) value(s game.State, steps bool) (v Value, n Nimber, err error) {
	v.Steps = -1
	if steps {
		if v, err = e.small.value(s); err != nil {
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
		n = NimberOf(e.known.Nimber(s))
	}
	return v, n, nil
}

// mistaken returns the error for what cannot be.
func (e *exact) mistaken(format string, args ...any) error {
	return fmt.Errorf("%v: "+format+": this is a mistake in the program, please report it", append([]any{e.Info()}, args...)...)
}

// Rate rates the moves as Answerer says.
func (e *exact) Rate(_ game.Rules, s game.State, buf []Rated) (Value, []Rated, error) {
	steps := e.small != nil
	v, _, err := e.value(s, steps)
	if errors.Is(err, errManyStates) {
		if e.known.Outcome == nil {
			return v, buf, fmt.Errorf("%w: %w", ErrUnknown, err)
		}
		steps = false
		v, _, err = e.value(s, steps)
	}
	if err != nil {
		return Value{}, buf, err
	}
	first := len(buf)
	for _, m := range e.rules.Moves(nil, s) {
		child, nimber, err := e.value(e.rules.Play(s, m), steps)
		if err != nil {
			return Value{}, buf[:first], err
		}
		buf = append(buf, Rated{Move: m, Value: child.Before(), Nimber: nimber})
	}
	// The rules give the moves by their text, which decides between equal ones.
	slices.SortStableFunc(buf[first:], func(a, b Rated) int { return a.Compare(b.Value) })
	if len(buf) > first && buf[first].Value != v {
		return Value{}, buf[:first], e.mistaken("%s is known as %v, but its best move as %v", e.rules.Format(s), v, buf[first].Value)
	}
	return v, buf, nil
}

// Ask answers the position of a text as Answerer says.
func (e *exact) Ask(text string, maxPlies int) (*Answer, error) {
	s, err := e.rules.Parse(text)
	if err != nil {
		return nil, err
	}
	return e.AskState(e.rules, s, maxPlies)
}

// AskState answers a state as Answerer says.
func (e *exact) AskState(_ game.Rules, s game.State, maxPlies int) (*Answer, error) {
	a, err := AnswerRated(e.rules, s, e.source, maxPlies, func(s game.State) (Value, []Rated, error) { return e.Rate(e.rules, s, nil) })
	if err == nil && e.known.Nimber != nil {
		a.Nimber = NimberOf(e.known.Nimber(s))
	}
	return a, err
}

// AppendAsk appends the answer as Answerer says.
func (e *exact) AppendAsk(dst []byte, text string) ([]byte, error) { return AppendAsk(e, dst, text) }
