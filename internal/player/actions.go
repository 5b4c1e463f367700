package player

import (
	"cmp"
	"slices"

	"backsolve/game"
	"backsolve/game/custom"
)

// MostMoves is the number of actions where these number the legal moves.
const MostMoves = 256

// Actions returns the moves of any position that play reaches, by their numbers for learners: of
// cells row by row, then the pass. It is nil if a position's actions number its legal moves by name.
func Actions(rules game.Rules) (moves []game.Move) {
	if _, listed := rules.(custom.Listed); listed {
		return nil
	}
	info := rules.Info()
	if info.MoveKind == game.Encloses {
		for cell := range game.Size(info.Size).Cells() {
			moves = append(moves, game.Move{From: uint8(cell), To: uint8(cell)})
		}
		return append(moves, game.Pass)
	}
	// On other boards nothing blocks a move at the start.
	moves = rules.Moves(nil, rules.Start())
	slices.SortFunc(moves, compareMoves)
	return moves
}

// ActionOf returns the number of a move among Actions, and false if it has none.
func ActionOf(actions []game.Move, m game.Move) (action int, ok bool) {
	return slices.BinarySearchFunc(actions, m, compareMoves)
}

func compareMoves(a, b game.Move) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
}
