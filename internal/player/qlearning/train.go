package qlearning

import (
	"context"
	"fmt"

	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/probe"
	"backsolve/internal/progress"
	"backsolve/internal/search"
)

// longestGame is the plies after which a game is a draw, the turn limit of a match.
const longestGame = 400

// Train learns weights from games of the agent against itself, as follows unless Actions is set. A game begins in a
// random state that is not over. Each move is the one with the greatest value or, with
// probability Epsilon, any legal one. After each move its value is
// moved towards its result: 1 for a win, −1 for a loss, 0 for a draw, and
// else −Gamma times the greatest value for the opponent.
//
// Train calls tell, unless nil, after each game, in the caller's goroutine. The error says what is wrong with the
// options, or is the cause of ctx.
func Train(ctx context.Context, rules game.Grid, o Options, tell func(progress.Event)) (*Weights, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if !game.Size(rules.Size()).Plain() {
		return nil, fmt.Errorf("weights are for n×n boards without variants, and %v is not one; choose another agent", rules.Info())
	}
	l := &learner{newValuer(rules, o, player.NewRand(o.Seed)), rules, o}
	alpha := o.Alpha
	for done := range o.Games {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if o.Actions {
			l.playBackwards(alpha)
		} else {
			l.playGame(alpha)
		}
		alpha *= o.Decay
		if tell != nil {
			tell(progress.Event{Stage: "learning", Unit: "games", Done: uint64(done + 1), Total: uint64(o.Games)})
		}
	}
	return &Weights{Game: rules.Name(), Size: rules.Size(), Options: o, Values: l.weights}, nil
}

type learner struct {
	*valuer
	rules   game.Grid
	options Options
}

// playGame plays a game and learns from each move at a rate.
func (l *learner) playGame(alpha float64) {
	s := l.start()
	for range longestGame {
		after := l.core.Play(s, l.choose(s))
		outcome, over := l.core.Terminal(after)
		if over {
			l.learn(after, alpha, -float64(search.Sign(outcome)))
			return
		}
		_, value := l.best(after)
		l.learn(after, alpha, -float64(l.options.Gamma*value))
		s = after
	}
}

func (l *learner) choose(s search.Masks) game.Move {
	if l.rand.Float64() < l.options.Epsilon {
		l.moves = l.core.Moves(l.moves[:0], s)
		return l.moves[l.rand.IntN(len(l.moves))]
	}
	m, _ := l.best(s)
	return m
}

func (l *learner) start() search.Masks {
	return search.MasksOf(probe.RandomOpenPosition(l.rules, l.rand))
}

func (l *learner) learn(after search.Masks, alpha, target float64) {
	l.seeAfter(after)
	l.draw(l.weights, alpha, target)
}
