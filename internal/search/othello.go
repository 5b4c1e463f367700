package search

import (
	"math/bits"

	"backsolve/bitboard"
	"backsolve/game"
)

// reversi shifts masks onto themselves to find what a disc encloses, for all cells at once.
type reversi struct {
	grids
	size    int
	all     uint64
	moves   []game.Move // on all cells, by their text
	rays    [64]rays
	inner   uint64 // all cells but those in the first and the last column
	corners [4]corner
	edge    uint64
	weights [64]uint8 // of the cells in weighted playouts
}

// corner is a corner of the board, with the cells beside it and the one diagonal to it.
type corner struct{ cell, beside, diagonal uint64 }

func newOthello(rules game.Grid) Rules[Masks] {
	n := rules.Size()
	g := &reversi{size: n, all: bitboard.All(n), edge: bitboard.Border(n), moves: game.CellMoves(n, n)}
	left := newLines(n).rows
	g.inner = g.all &^ (left | left<<uint(n-1))
	for cell := range n * n {
		g.rays[cell] = newRays(n, cell)
	}
	for i := range g.corners {
		g.corners[i] = cornerOf(n, i&1 == 1, i&2 == 2)
	}
	g.weigh()
	return g
}

func cornerOf(n int, bottom, right bool) corner {
	cell := func(down, along int) uint64 { // from the corner
		if bottom {
			down = n - 1 - down
		}
		if right {
			along = n - 1 - along
		}
		return 1 << uint(down*n+along)
	}
	return corner{cell: cell(0, 0), beside: cell(0, 1) | cell(1, 0), diagonal: cell(1, 1)}
}

// The weights of moves in weighted playouts.
const (
	weightCorner   = 16
	weightEdge     = 6
	weightElse     = 4
	weightBeside   = 2 // a corner
	weightDiagonal = 1 // to a corner
)

func (g *reversi) weigh() {
	for cell := range g.size * g.size {
		g.weights[cell] = weightElse
		if g.edge>>uint(cell)&1 == 1 {
			g.weights[cell] = weightEdge
		}
		for _, c := range g.corners {
			switch at := uint64(1) << uint(cell); {
			case at == c.cell:
				g.weights[cell] = weightCorner
			case at&c.beside != 0:
				g.weights[cell] = weightBeside
			case at == c.diagonal:
				g.weights[cell] = weightDiagonal
			}
		}
	}
}

// placements are the cells where a disc encloses some of other.
func (g *reversi) placements(own, other uint64) uint64 {
	n, inner := uint(g.size), other&g.inner
	return (ends(own, inner, 1) | ends(own, inner, n-1) | ends(own, other, n) | ends(own, inner, n+1)) & g.all &^ (own | other)
}

// flips returns the discs of other that a disc of own on an empty cell turns over.
func (g *reversi) flips(own, other, at uint64) uint64 {
	return g.rays[bits.TrailingZeros64(at)&63].flips(own, other)
}

func (g *reversi) place(s Masks, at uint64) Masks {
	turned := g.flips(s.Mover, s.Waiting, at)
	return Masks{Mover: s.Waiting &^ turned, Waiting: s.Mover | turned | at}
}

// swapped returns the state after a pass.
func (s Masks) swapped() Masks { return Masks{s.Waiting, s.Mover} }

func (s Masks) difference() int { return bits.OnesCount64(s.Mover) - bits.OnesCount64(s.Waiting) }

// finalScore returns the score of a finished game, given the difference of the discs and the number
// of empty cells, which count for the winner.
func finalScore(difference, empty int) int {
	switch {
	case difference > 0:
		return difference + empty
	case difference < 0:
		return difference - empty
	}
	return 0
}

func (g *reversi) Terminal(s Masks) (game.Outcome, bool) {
	if g.placements(s.Mover, s.Waiting)|g.placements(s.Waiting, s.Mover) != 0 {
		return game.Draw, false
	}
	return game.Compared(s.difference(), 0), true
}

func (g *reversi) Moves(buf []game.Move, s Masks) []game.Move {
	cells := g.placements(s.Mover, s.Waiting)
	if cells == 0 {
		if g.placements(s.Waiting, s.Mover) != 0 {
			buf = append(buf, game.Pass)
		}
		return buf
	}
	for _, m := range g.moves {
		if cells>>(m.To&63)&1 == 1 {
			buf = append(buf, m)
		}
	}
	return buf
}

func (g *reversi) Play(s Masks, m game.Move) Masks {
	if m == game.Pass {
		return s.swapped()
	}
	return g.place(s, 1<<(m.To&63))
}

func (g *reversi) Playout(s Masks, r *Rand) game.Outcome {
	return g.playout(s, func(cells uint64) uint64 {
		for range r.Below(bits.OnesCount64(cells)) {
			cells &= cells - 1
		}
		return cells & -cells
	})
}

// WeightedPlayout prefers corners and edges to the cells beside a corner.
func (g *reversi) WeightedPlayout(s Masks, r *Rand) game.Outcome {
	return g.playout(s, func(cells uint64) uint64 {
		sum := 0
		for left := cells; left != 0; left &= left - 1 {
			sum += int(g.weights[bits.TrailingZeros64(left)&63])
		}
		drawn := r.Below(sum)
		for {
			if drawn -= int(g.weights[bits.TrailingZeros64(cells)&63]); drawn < 0 {
				return cells & -cells
			}
			cells &= cells - 1
		}
	})
}

// playout plays on cells that are drawn from those where a disc can be placed.
func (g *reversi) playout(s Masks, draw func(cells uint64) uint64) game.Outcome {
	passed := false
	for ply := 0; ; ply++ {
		cells := g.placements(s.Mover, s.Waiting)
		switch {
		case cells != 0:
			s, passed = g.place(s, draw(cells)), false
		case passed:
			return asAtStart(game.Compared(s.difference(), 0), ply)
		default:
			s, passed = s.swapped(), true
		}
	}
}

// What Evaluate counts for each disc, and for each cell where a disc can be placed.
const (
	worthCorner   = 40
	worthBeside   = -8  // an empty corner
	worthDiagonal = -16 // to an empty corner
	worthEdge     = 2
	worthMobility = 5
)

// Evaluate looks at corners, which are never lost, at the cells that give them to the
// opponent, and at how many moves each player has. The number of discs means little
// before the end, which a search to a depth reaches.
func (g *reversi) Evaluate(s Masks) int {
	count := func(mask uint64) int {
		return bits.OnesCount64(s.Mover&mask) - bits.OnesCount64(s.Waiting&mask)
	}
	sum := worthEdge * count(g.edge)
	sum += worthMobility * (bits.OnesCount64(g.placements(s.Mover, s.Waiting)) - bits.OnesCount64(g.placements(s.Waiting, s.Mover)))
	taken := s.Mover | s.Waiting
	for i := range g.corners {
		c := &g.corners[i]
		if taken&c.cell != 0 {
			sum += worthCorner * count(c.cell)
		} else {
			sum += worthBeside*count(c.beside) + worthDiagonal*count(c.diagonal)
		}
	}
	return sum
}
