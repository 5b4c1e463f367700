package endgame

import (
	"context"

	"backsolve/game"
	"backsolve/probe"
)

// answerer answers for one board until its context ends.
type answerer struct {
	search *Solver
	ctx    context.Context
	rules  game.Rules
	board  board
	steps  bool
}

// Info describes the board.
func (a *answerer) Info() game.Info { return a.rules.Info() }

// HasSteps reports whether the steps to the end are searched for.
func (a *answerer) HasSteps() bool { return a.steps }

// Example returns the text of a position that shows the notation.
func (a *answerer) Example() string { return a.rules.Example() }

// Ask answers the position of a text as probe.Answerer says.
func (a *answerer) Ask(text string, maxPlies int) (*probe.Answer, error) {
	s, err := a.rules.Parse(text)
	if err != nil {
		return nil, err
	}
	return a.AskState(a.rules, s, maxPlies)
}

// AskState answers a state as probe.Answerer says.
func (a *answerer) AskState(rules game.Rules, s game.State, maxPlies int) (*probe.Answer, error) {
	ctx, cancel := a.within()
	defer cancel()
	answer, err := probe.AnswerRated(rules, s, probe.FromSearch, maxPlies, func(s game.State) (probe.Value, []probe.Rated, error) {
		r, err := a.rate(ctx, rules, s)
		return r.Value, r.moves, err
	})
	if err == nil {
		answer.Score = a.score(s, answer)
	}
	return answer, err
}

// score returns the score of a state, none in games that do not end with one.
func (a *answerer) score(s game.State, of *probe.Answer) probe.Score {
	if len(of.Moves) > 0 {
		return of.Moves[0].Score
	}
	if b, ok := a.board.(endingBoard); ok {
		return b.scoreOf(b.ending.Score(s))
	}
	return probe.Score{}
}

// AppendAsk appends the answer as probe.Answerer says.
func (a *answerer) AppendAsk(dst []byte, text string) ([]byte, error) {
	return probe.AppendAsk(a, dst, text)
}

// Rate rates the moves as probe.Answerer says.
func (a *answerer) Rate(rules game.Rules, s game.State, buf []probe.Rated) (probe.Value, []probe.Rated, error) {
	ctx, cancel := a.within()
	defer cancel()
	r, err := a.rate(ctx, rules, s)
	if err != nil {
		return probe.Value{}, buf, err
	}
	return r.Value, append(buf, r.moves...), nil
}

// within returns a context for one question.
func (a *answerer) within() (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(a.ctx, a.search.limits.Timeout, errTime)
}

// rate rates the moves of a state, of which there are none where the game is over.
func (a *answerer) rate(ctx context.Context, rules game.Rules, s game.State) (rating, error) {
	if outcome, over := rules.Terminal(s); over {
		v := probe.Value{Outcome: outcome, Steps: -1}
		if a.HasSteps() && outcome != game.Draw {
			v.Steps = 0
		}
		return rating{Value: v}, nil
	}
	return a.search.rate(ctx, a.board, rules, s, a.steps)
}
