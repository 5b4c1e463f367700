package search

import (
	"context"

	"backsolve/game"
)

// Ending solves positions by exhaustive search near the end. It is safe for concurrent use.
type Ending interface {
	// Scored reports whether the score is more than 1 for a win, 0 for a draw and −1 for a loss.
	Scored() bool
	// Score returns the score of a finished game for the player to move.
	Score(p game.State) int
	// Left returns how many cells can still be marked in a position.
	Left(p game.State) int
	// Seconds returns about how long threads take for one of the easy positions with left cells.
	Seconds(left, threads int) float64
	// Bytes returns how much memory is useful for that.
	Bytes(left int) int64
	// Solve returns the scores of an open position and its moves, for the player to move. If ctx
	// ends before, only a best move and some others are there. The error is the cause of ctx.
	Solve(ctx context.Context, p game.State, o EndingOptions) (score int, moves []ScoredMove, err error)
}

// EndingOptions control how an ending is solved, not the result.
type EndingOptions struct {
	Threads int   // at most, 0 for one
	Bytes   int64 // of memory, about
}

// ScoredMove is a move with the score that it leads to for the player who makes it.
type ScoredMove struct {
	Move  game.Move
	Score int
}

// NewEnding returns the solver of a board's endings, or false if the game has none.
func NewEnding(rules game.Rules) (Ending, bool) {
	e := Choose(rules, endingOf[Masks], endingOf[Words], endingOf[game.State])
	return e, e != nil
}

func endingOf[S comparable](core Rules[S]) Ending {
	switch core := any(core).(type) {
	case *reversi:
		return othelloEnding{core}
	case *ultimate:
		return ultimateEnding{core}
	}
	return nil
}
