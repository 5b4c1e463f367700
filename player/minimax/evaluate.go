package minimax

import (
	"math/bits"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/game/notakto"
	"backsolve/game/quixo"
	"backsolve/player/playout"
)

// evaluation says what a state that is not over looks like for the player to
// move, above 0 where it looks good. It is never as much as a win.
type evaluation func(s playout.State) int

// newEvaluation returns the evaluation of a board's states. Of a game of which
// nothing is known all states look alike.
func newEvaluation(rules game.Rules) evaluation {
	lines := bitboard.Lines(rules.Size())
	switch rules.Name() {
	case quixo.Game.Name:
		return func(s playout.State) int { return openLines(lines, s) }
	case notakto.Game.Name:
		all := bitboard.All(rules.Size())
		return func(s playout.State) int { return safeCells(lines, all, s.Mover) }
	}
	return func(playout.State) int { return 0 }
}

// openLines adds up the lines of each player, by the square of the marks in
// them: tiles on one line need few pushes to fill it, and a tile of the opponent
// is pushed away as easily as a blank one.
func openLines(lines []uint64, s playout.State) int {
	sum := 0
	for _, line := range lines {
		own, other := bits.OnesCount64(s.Mover&line), bits.OnesCount64(s.Waiting&line)
		sum += own*own - other*other
	}
	return sum
}

// safeCells counts the empty cells that complete no line. If nothing changed that
// but marking them in turn, the player to move would mark the last one where
// their number is odd, and win; the fewer there are, the likelier it is.
func safeCells(lines []uint64, all, marked uint64) int {
	safe := all &^ marked
	for _, line := range lines {
		if left := line &^ marked; left&(left-1) == 0 {
			safe &^= left
		}
	}
	count := bits.OnesCount64(safe)
	if count%2 == 0 {
		return count - len(lines)*len(lines)
	}
	return len(lines)*len(lines) - count
}
