package probe

import (
	"context"
	"fmt"

	"backsolve/game"
)

// ByRules returns an answerer for positions that are over, or whose next move wins or must end the game. For
// all others the error is an ErrUnknown that wraps why.
func (b *Board) ByRules(why error) Answerer {
	return &Rater{Rules: b.rules, Source: FromRules, Steps: true, RateState: func(_ context.Context, rules game.Rules, s game.State) (Rating, error) {
		if r, ok := rateByRules(rules, s); ok {
			return r, nil
		}
		return Rating{}, fmt.Errorf("%w: the next move does not win, and there is no table: %w", ErrUnknown, why)
	}}
}

// rateByRules looks at moves that end the game; ok is false if others could be better.
func rateByRules(rules game.Rules, s game.State) (r Rating, ok bool) {
	if outcome, over := rules.Terminal(s); over {
		return Rating{Value: TerminalValue(outcome, true)}, true
	}
	legal := rules.Moves(nil, s)
	for _, m := range legal {
		if outcome, over := rules.Terminal(rules.Play(s, m)); over {
			r.Moves = append(r.Moves, Rated{Move: m, Value: TerminalValue(outcome, true).Before()})
		}
	}
	sortRated(r.Moves)
	if r.Partial = len(r.Moves) < len(legal); len(r.Moves) == 0 || r.Partial && r.Moves[0].Outcome != game.Win {
		return Rating{}, false
	}
	r.Value = r.Moves[0].Value
	return r, true
}
