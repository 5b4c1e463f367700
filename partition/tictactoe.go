package partition

import (
	"math/bits"

	"backsolve/bitboard"
	"backsolve/bitslice"
	"backsolve/game"
)

// ticTacToe cuts tic-tac-toe. Every move leads to the next class.
type ticTacToe struct {
	twoMarks
	full   uint64
	misere bool
}

func newTicTacToe(size int) (*Space, error) {
	cells := make([]int, game.Size(size).Cells())
	for c := range cells {
		cells[c] = c
	}
	t := &ticTacToe{newTwoMarks(size, cells), bitboard.All(size), game.Size(size).Has(bitboard.Misere)}
	return known(t.facts("tictactoe", size, Acyclic), t, t)
}

// Terminals adds the draw on a full board to the lines, which in the misère game have been
// completed by the player who has just moved.
func (t *ticTacToe) Terminals(mask uint64, out *Terminals) {
	t.twoMarks.Terminals(mask, out)
	if t.misere {
		out.Win, out.Lose = append(out.Win, out.Lose...), out.Lose[:0]
	}
	if mask == t.full {
		out.Draw = append(out.Draw, bitslice.Cube{})
	}
}

func (t *ticTacToe) Moves(mask uint64, buf []Move) []Move {
	for free := t.full &^ mask; free != 0; free &= free - 1 {
		bit := bits.TrailingZeros64(free)
		buf = append(buf, Move{Child: mask | 1<<uint(bit), number: uint8(bit)})
	}
	return buf
}

// Map keeps all marks. The new one is the mover's.
func (t *ticTacToe) Map(mask uint64, move Move, canonical uint64, g int) bitslice.IndexMap {
	m := bitslice.IndexMap{Src: bits.OnesCount64(canonical), Dst: bits.OnesCount64(mask)}
	perm, d := t.sym.perms[g], 0
	for rest := mask; rest != 0; rest &= rest - 1 {
		m.From[d] = rank(canonical, perm[bits.TrailingZeros64(rest)])
		d++
	}
	m.From[d] = rank(canonical, perm[move.number])
	m.One = 1 << uint(d)
	return m
}
