package search

import (
	"math/bits"

	"backsolve/bitboard"
	"backsolve/game"
)

// reversi is Othello on a board of any size: what a disc encloses in a direction is
// found by shifting masks onto themselves, for all cells at once.
type reversi struct {
	grids
	size       int
	all        uint64
	moves      []game.Move // on all cells, by their text
	directions [4]direction
	corners    [4]corner
	edge       uint64
	weights    [64]uint8 // of the cells in weighted playouts
}

// direction is a direction and its opposite.
type direction struct {
	step uint   // from a cell to the next one
	mask uint64 // where a run can lie that is enclosed: on no edge that it would go round
}

// corner is a corner of the board, with the cells beside it, the one diagonal to it, and
// the quarter of the board that it belongs to.
type corner struct{ cell, beside, diagonal, quarter uint64 }

func newOthello(rules game.Grid) Rules[Masks] {
	n := rules.Size()
	g := &reversi{size: n, all: bitboard.All(n), edge: bitboard.Border(n)}
	for col := range n {
		for row := n - 1; row >= 0; row-- {
			cell := uint8(row*n + col)
			g.moves = append(g.moves, game.Move{From: cell, To: cell})
		}
	}
	left := newLines(n).rows
	within := g.all &^ (left | left<<uint(n-1))
	g.directions = [4]direction{{1, within}, {uint(n), g.all}, {uint(n + 1), within}, {uint(n - 1), within}}
	for i := range g.corners {
		g.corners[i] = cornerOf(n, i&1 == 1, i&2 == 2)
	}
	g.weigh()
	return g
}

// cornerOf returns the corner of a board at the top or bottom, on the left or right.
func cornerOf(n int, bottom, right bool) (c corner) {
	cell := func(down, along int) uint64 { // from the corner
		if bottom {
			down = n - 1 - down
		}
		if right {
			along = n - 1 - along
		}
		return 1 << uint(down*n+along)
	}
	c = corner{cell: cell(0, 0), beside: cell(0, 1) | cell(1, 0), diagonal: cell(1, 1)}
	for down := range n / 2 {
		for along := range n / 2 {
			c.quarter |= cell(down, along)
		}
	}
	return c
}

// The weights of moves in weighted playouts.
const (
	weightCorner   = 16
	weightEdge     = 6
	weightElse     = 4
	weightBeside   = 2 // a corner
	weightDiagonal = 1 // to a corner
)

// weigh enters the weights of the cells.
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

// runs returns the cells of unbroken runs of over that begin beside one of from, on
// either side of it: at most six cells long, as on the largest board.
func (d *direction) runs(from, over uint64) (up, down uint64) {
	one, two := d.step&63, 2*d.step&63
	over &= d.mask
	up = over & (from << one)
	down = over & (from >> one)
	up |= over & (up << one)
	down |= over & (down >> one)
	pairsUp, pairsDown := over&(over<<one), over&(over>>one)
	up |= pairsUp & (up << two)
	down |= pairsDown & (down >> two)
	up |= pairsUp & (up << two)
	down |= pairsDown & (down >> two)
	return up, down
}

// placements returns the cells where a disc encloses some of other between itself and
// one of own.
func (g *reversi) placements(own, other uint64) (cells uint64) {
	for i := range g.directions {
		d := &g.directions[i]
		up, down := d.runs(own, other)
		cells |= up<<(d.step&63) | down>>(d.step&63)
	}
	return cells & g.all &^ (own | other)
}

// turned returns the discs of other that one of own on an empty cell turns over.
func (g *reversi) turned(own, other, at uint64) (turned uint64) {
	for i := range g.directions {
		d := &g.directions[i]
		up, down := d.runs(at, other)
		if up<<(d.step&63)&own != 0 {
			turned |= up
		}
		if down>>(d.step&63)&own != 0 {
			turned |= down
		}
	}
	return turned
}

// place returns the state after a disc is placed on an empty cell.
func (g *reversi) place(s Masks, at uint64) Masks {
	turned := g.turned(s.Mover, s.Waiting, at)
	return Masks{Mover: s.Waiting &^ turned, Waiting: s.Mover | turned | at}
}

// swapped returns the state after a pass.
func (s Masks) swapped() Masks { return Masks{s.Waiting, s.Mover} }

// difference is how many more discs the player to move has.
func (s Masks) difference() int { return bits.OnesCount64(s.Mover) - bits.OnesCount64(s.Waiting) }

// outcomeOf returns the outcome of a difference.
func outcomeOf(difference int) game.Outcome {
	switch {
	case difference > 0:
		return game.Win
	case difference < 0:
		return game.Lose
	}
	return game.Draw
}

func (g *reversi) Terminal(s Masks) (game.Outcome, bool) {
	if g.placements(s.Mover, s.Waiting)|g.placements(s.Waiting, s.Mover) != 0 {
		return game.Draw, false
	}
	return outcomeOf(s.difference()), true
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
			return asAtStart(outcomeOf(s.difference()), ply)
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
