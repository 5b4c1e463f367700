package partition

import (
	"backsolve/bitboard"
	"backsolve/game"
)

type ticTacToe struct {
	TwoMarks
	misere bool
}

func newTicTacToe(size int, _ uint64) (*Space, error) {
	marks := NewTwoMarks(game.Size(size).Cells(), bitboard.Lines(size), bitboard.SquareGroup(size))
	t := &ticTacToe{*marks, game.Size(size).Has(bitboard.Misere)}
	return listedSpace(t.Facts("tictactoe", size, Acyclic), t, t)
}

// Terminals knows that in the misère game the player who has just moved has completed the
// lines.
func (t *ticTacToe) Terminals(mask uint64, out *Terminals) {
	t.TwoMarks.Terminals(mask, out)
	if t.misere {
		out.Win, out.Lose = append(out.Win, out.Lose...), out.Lose[:0]
	}
}
