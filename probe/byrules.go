package probe

import (
	"fmt"
	"slices"

	"backsolve/game"
)

// byRules answers for a board without a table what its rules alone tell: of positions that
// are over, and of those whose next move wins or always ends the game.
type byRules struct {
	board *Board
	why   error // there is no table
}

// ByRules returns what answers from the rules alone. For all other positions the error is
// an ErrUnknown that wraps why.
func (b *Board) ByRules(why error) Answerer { return byRules{b, why} }

// Info describes the board.
func (r byRules) Info() game.Info { return r.board.Info() }

// HasSteps reports that the steps are known: there is none or one.
func (r byRules) HasSteps() bool { return true }

// Example returns the text of a position that shows the notation.
func (r byRules) Example() string { return r.board.Example() }

// Ask answers the position of a text as Answerer says.
func (r byRules) Ask(text string, maxPlies int) (*Answer, error) {
	s, err := r.board.Parse(text)
	if err != nil {
		return nil, err
	}
	return r.AskState(r.board.rules, s, maxPlies)
}

// AskState answers a state as Answerer says.
func (r byRules) AskState(rules game.Rules, s game.State, maxPlies int) (*Answer, error) {
	a, err := AnswerRated(rules, s, FromRules, maxPlies, func(s game.State) (Value, []Rated, error) { return r.Rate(rules, s, nil) })
	if err == nil {
		a.Partial = !a.Terminal && len(a.Moves) < len(rules.Moves(nil, s))
	}
	return a, err
}

// AppendAsk appends the answer as Answerer says.
func (r byRules) AppendAsk(dst []byte, text string) ([]byte, error) { return AppendAsk(r, dst, text) }

// Rate rates the moves that end the game as Answerer says.
func (r byRules) Rate(rules game.Rules, s game.State, buf []Rated) (Value, []Rated, error) {
	if err := r.board.begun(s); err != nil {
		return Value{}, buf, err
	}
	if outcome, over := rules.Terminal(s); over {
		return terminal(outcome), buf, nil
	}
	first, legal := len(buf), rules.Moves(nil, s)
	for _, m := range legal {
		if outcome, over := rules.Terminal(rules.Play(s, m)); over {
			buf = append(buf, Rated{Move: m, Value: terminal(outcome).Before()})
		}
	}
	// The rules give the moves by their text, which decides between equal ones.
	known := buf[first:]
	slices.SortStableFunc(known, func(a, b Rated) int { return a.Compare(b.Value) })
	if len(known) > 0 && (known[0].Outcome == game.Win || len(known) == len(legal)) {
		return known[0].Value, buf, nil
	}
	return Value{}, buf[:first], fmt.Errorf("%w: the next move does not win, and there is no table: %w", ErrUnknown, r.why)
}

// terminal is the value of a state that is over.
func terminal(outcome game.Outcome) Value {
	if outcome == game.Draw {
		return Value{outcome, -1}
	}
	return Value{outcome, 0}
}
