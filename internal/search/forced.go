package search

import (
	"context"

	"backsolve/game"
)

// Forced finds what a player can force within some plies on a board of any size. It searches
// one ply deeper each time, so the steps to the end are exact.
type Forced struct {
	rules Rules[Masks]
	marks bool // every move fills a cell, so games end with the last one
	ctx   context.Context
	left  int // states that may still be searched
	known []forcedState
	moves [][]game.Move // by the depth
	first []game.Move   // by the depth, the last move that decided
}

// forcedState is what is known of a state: forced from some depth on, and not up to another.
// Depths are greater by one, 0 where nothing is known. The first of each pair is about losing,
// the second about winning.
type forcedState struct {
	state        Masks
	from, beyond [2]uint8
}

// Sizes of a search. The number of states bounds it to about a second.
const (
	forcedStates = 1 << 21
	forcedLog    = 16 // of the places of known states
	forcedPlies  = 100
)

// ForcedMove forces an outcome for the player who makes it, in plies to the end, 0 for a draw.
type ForcedMove struct {
	Move    game.Move
	Outcome game.Outcome
	Plies   int
}

// NewForced returns a search on a board.
func NewForced(rules game.Grid) *Forced {
	return &Forced{
		rules: New(rules), marks: rules.Info().MoveKind == game.Marks,
		left: forcedStates, known: make([]forcedState, 1<<forcedLog),
		moves: make([][]game.Move, forcedPlies), first: make([]game.Move, forcedPlies),
	}
}

// Solve returns the moves of known outcome of an open position, and the plies that were searched.
// If the best of these moves wins, others may be missing; if none wins, there are all moves, or
// none if the outcome of the position is unknown. It ends early with ctx.
func (f *Forced) Solve(ctx context.Context, p game.Position) (known []ForcedMove, plies int) {
	f.ctx = ctx
	s := MasksOf(p)
	moves := f.rules.Moves(nil, s)
	decided, won := make([]bool, len(moves)), false
	for plies = 1; plies < forcedPlies; plies++ {
		for i, m := range moves {
			for _, outcome := range []game.Outcome{game.Lose, game.Win} {
				if decided[i] || !f.forced(f.rules.Play(s, m), plies-1, outcome) {
					continue
				}
				decided[i], won = true, won || outcome == game.Lose
				known = append(known, ForcedMove{m, outcome.Flip(), plies})
			}
		}
		switch {
		case won || len(known) == len(moves):
			return known, plies
		case f.left <= 0:
			return nil, plies - 1
		case f.marks && plies >= len(moves):
			for i, m := range moves {
				if !decided[i] {
					known = append(known, ForcedMove{Move: m, Outcome: game.Draw})
				}
			}
			return known, plies
		}
	}
	return nil, plies - 1
}

// forced is false if the search has ended early.
func (f *Forced) forced(s Masks, plies int, outcome game.Outcome) bool {
	if end, over := f.rules.Terminal(s); over {
		return end == outcome
	}
	if plies == 0 || f.stop() {
		return false
	}
	wins := 0
	if outcome == game.Win {
		wins = 1
	}
	place := &f.known[f.rules.Hash(s)>>(64-forcedLog)]
	if place.state == s {
		if from := int(place.from[wins]); from > 0 && plies >= from-1 {
			return true
		} else if plies < int(place.beyond[wins]) {
			return false
		}
	}
	found := f.tryMoves(s, plies, outcome)
	if f.left <= 0 {
		return found
	}
	if place.state != s {
		*place = forcedState{state: s}
	}
	if found {
		place.from[wins] = uint8(plies) + 1
	} else {
		place.beyond[wins] = uint8(plies) + 1
	}
	return found
}

// tryMoves: a win needs a move to a lost state, and a loss that all moves win for the opponent.
func (f *Forced) tryMoves(s Masks, plies int, outcome game.Outcome) bool {
	moves := f.rules.Moves(f.moves[plies][:0], s)
	f.moves[plies] = moves
	for i, m := range moves {
		if m == f.first[plies] {
			moves[0], moves[i] = moves[i], moves[0]
		}
	}
	for _, m := range moves {
		if f.forced(f.rules.Play(s, m), plies-1, outcome.Flip()) == (outcome == game.Win) {
			f.first[plies] = m
			return outcome == game.Win
		}
	}
	return outcome == game.Lose
}

func (f *Forced) stop() bool {
	if f.left--; f.left%1024 == 0 && f.ctx.Err() != nil {
		f.left = 0
	}
	return f.left <= 0
}
