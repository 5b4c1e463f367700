package search

import (
	"math/bits"

	"backsolve/game/uttt"
)

// What boards, cells and pairs in Ultimate Tic-Tac-Toe are worth (Lam, Lee, Chen:
// Ultimate Tic-Tac-Toe). Only the cells of boards without a winner count.
const (
	worthBoard       = 10
	worthCornerBoard = 4  // more
	worthCentreBoard = 11 // more
	worthCentreCell  = 3
	worthInCentre    = 3 // a cell of the centre board
	worthPair        = 2 // two of three in a line, the third being empty
)

const (
	centre       = 4
	cornerBoards = 0b101_000_101
)

func boardWorth(board int) int {
	switch {
	case board == centre:
		return worthBoard + worthCentreBoard
	case cornerBoards>>board&1 == 1:
		return worthBoard + worthCornerBoard
	}
	return worthBoard
}

func cellWorth(board, within int) (worth int) {
	if board == centre {
		worth += worthInCentre
	}
	if within == centre {
		worth += worthCentreCell
	}
	return worth
}

// Evaluate adds up what each player has: boards, cells and pairs.
func (g *ultimate) Evaluate(s Words) int {
	wonMover, wonWaiting := wonOf(s)
	sum := 0
	for b := range uttt.Boards {
		switch {
		case wonMover>>b&1 == 1:
			sum += boardWorth(b)
		case wonWaiting>>b&1 == 1:
			sum -= boardWorth(b)
		default:
			mover, waiting := cellsOf(s, uint(b))
			sum += cellsWorth(b, mover, waiting) - cellsWorth(b, waiting, mover)
		}
	}
	return sum
}

func cellsWorth(board int, own, other uint64) (worth int) {
	worth = int(own>>centre&1) * worthCentreCell
	if board == centre {
		worth += worthInCentre * bits.OnesCount64(own)
	}
	for _, line := range boardLines {
		if bits.OnesCount64(own&line) == 2 && other&line == 0 {
			worth += worthPair
		}
	}
	return worth
}

var boardLines = func() (lines []uint64) {
	for mask := range uint16(512) {
		if bits.OnesCount16(mask) == 3 && complete[mask] {
			lines = append(lines, uint64(mask))
		}
	}
	return lines
}()

// The weights of moves in weighted playouts. Each move has weightAny plus the worth of its
// cell. A move that wins a board adds a multiple of the board's worth, and one that stops the
// opponent from winning a board adds weightBlock.
const (
	weightAny   = 2
	weightWins  = 4
	weightBlock = 10
)

func (p *ultimateGame) weight(player, board, within int) int {
	weight := weightAny + cellWorth(board, within)
	if threats[p.cells[player][board]&nine]>>within&1 == 1 {
		weight += weightWins * boardWorth(board)
	}
	if threats[p.cells[1-player][board]&nine]>>within&1 == 1 {
		weight += weightBlock
	}
	return weight
}

// drawByWeight draws a free cell by the weights for a player; false where there is none.
func (p *ultimateGame) drawByWeight(player int, r *Rand) (board, within uint8, ok bool) {
	var weights [81]int
	sum := 0
	first, end := int(p.board), int(p.board)+1
	if p.board == uttt.Any {
		first, end = 0, uttt.Boards
	}
	for b := first; b < end; b++ {
		for cells := p.freeCells(uint8(b)); cells != 0; cells &= cells - 1 {
			c := bits.TrailingZeros16(cells)
			weights[9*b+c] = p.weight(player, b, c)
			sum += weights[9*b+c]
		}
	}
	if sum == 0 {
		return 0, 0, false
	}
	drawn := r.Below(sum)
	cell := 9 * first
	for drawn >= weights[cell] {
		drawn -= weights[cell]
		cell++
	}
	return uint8(cell / 9), uint8(cell % 9), true
}
