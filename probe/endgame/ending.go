package endgame

import (
	"context"

	"backsolve/game"
	"backsolve/probe"
	"backsolve/search"
)

// endingBoard is a board of a game whose ends are searched for.
type endingBoard struct {
	rules  game.Rules
	ending search.Ending
}

func (b endingBoard) problem(s game.State, _ bool) (problem, error) {
	return endingProblem{b, s, b.ending.Left(s)}, nil
}

// endingProblem is the end of a game.
type endingProblem struct {
	endingBoard
	root game.State
	left int // cells that can still be marked
}

// cost is that of an easy position: nobody knows before how hard one is, and what takes
// too long is given up when the time to think is over. One thread does all the work.
func (p endingProblem) cost(l Limits) cost {
	bytes := p.ending.Bytes(p.left)
	if share := l.share(); share > 0 {
		bytes = min(bytes, share) // it does with less
	}
	return cost{seconds: p.ending.Seconds(p.left) * float64(l.Threads), bytes: bytes}
}

func (p endingProblem) solve(ctx context.Context, l Limits) (v probe.Value, moves []probe.Rated, err error) {
	score, scored, err := p.ending.Solve(ctx, p.root, p.cost(l).bytes)
	if err != nil {
		return v, nil, err
	}
	for _, m := range scored {
		moves = append(moves, probe.Rated{Move: m.Move, Value: valueOf(m.Score), Score: p.scoreOf(m.Score)})
	}
	return valueOf(score), moves, nil
}

// scoreOf returns the score of an answer, none where games only end won, drawn or lost.
func (b endingBoard) scoreOf(score int) probe.Score {
	if !b.ending.Scored() {
		return probe.Score{}
	}
	return probe.ScoreOf(score)
}

// valueOf returns the value of a score, without steps.
func valueOf(score int) probe.Value {
	v := probe.Value{Outcome: game.Draw, Steps: -1}
	switch {
	case score > 0:
		v.Outcome = game.Win
	case score < 0:
		v.Outcome = game.Lose
	}
	return v
}
