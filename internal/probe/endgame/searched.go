package endgame

import (
	"context"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/search"
)

// searchedEndgame is a board of a game whose endgames are searched, and such an endgame.
type searchedEndgame struct {
	ending search.Ending
	root   game.State
	left   int // cells that can still be marked
}

func (e searchedEndgame) endgame(s game.State, _ bool) (endgame, error) {
	return searchedEndgame{e.ending, s, e.ending.Left(s)}, nil
}

// cost is the cost of an easy position: the difficulty cannot be known in advance, and a search that
// takes too long ends with Limits.Timeout.
func (e searchedEndgame) cost(l Limits) cost {
	bytes := e.ending.Bytes(e.left)
	if limit := l.memoryPerQuestion(); limit > 0 {
		bytes = min(bytes, limit) // less memory suffices
	}
	return cost{seconds: e.ending.Seconds(e.left, l.Threads) * float64(l.Threads), bytes: bytes}
}

func (e searchedEndgame) solve(ctx context.Context, l Limits) (v probe.Value, moves []probe.Rated, err error) {
	score, scored, err := e.ending.Solve(ctx, e.root, search.EndingOptions{Threads: l.Threads, Bytes: e.cost(l).bytes})
	if err != nil {
		return v, nil, err
	}
	for _, m := range scored {
		moves = append(moves, probe.Rated{Move: m.Move, Value: valueOf(m.Score), Score: e.scoreOf(m.Score)})
	}
	return valueOf(score), moves, nil
}

// scoreOf returns the score of an answer, none in games that are only won, drawn or lost.
func (e searchedEndgame) scoreOf(score int) probe.Number {
	if !e.ending.Scored() {
		return probe.Number{}
	}
	return probe.NewNumber(score)
}

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
