package search

import (
	"math"
	"math/bits"

	"backsolve/game"
)

// The ends of games of Othello: the score is the difference of the discs, and empty
// cells count for neither player.

func (g *reversi) scored() bool { return true }

func (g *reversi) most() int { return g.size * g.size }

func (g *reversi) score(s Masks) int { return s.difference() }

func (g *reversi) left(s Masks) int { return bits.OnesCount64(g.all &^ (s.Mover | s.Waiting)) }

// seconds is what the easiest quarter of positions of random games on 6×6 took: 12 ms with
// 14 cells left, and twice as much with each further one.
func (g *reversi) seconds(left int) float64 { return 2e-7 * math.Pow(2.15, float64(left)) }

// What a state is ranked by: how many moves it leaves the opponent, whether the disc is
// in a corner, and whether it is in a quarter of the board with an odd number of empty
// cells, where who plays first plays last.
const (
	rankMobility = 4
	rankCorner   = -12
	rankOdd      = -3
)

func (g *reversi) follow(buf []follower[Masks], s Masks) []follower[Masks] {
	cells := g.placements(s.Mover, s.Waiting)
	if cells == 0 {
		if g.placements(s.Waiting, s.Mover) != 0 {
			buf = append(buf, follower[Masks]{state: s.swapped(), move: game.Pass})
		}
		return buf
	}
	odd := g.odd(g.all &^ (s.Mover | s.Waiting))
	for ; cells != 0; cells &= cells - 1 {
		at := cells & -cells
		cell := uint8(bits.TrailingZeros64(at))
		f := follower[Masks]{state: g.place(s, at), move: game.Move{From: cell, To: cell}}
		f.rank = rankMobility * bits.OnesCount64(g.placements(f.state.Mover, f.state.Waiting))
		if odd&at != 0 {
			f.rank += rankOdd
		}
		for i := range g.corners {
			if at == g.corners[i].cell {
				f.rank += rankCorner
			}
		}
		buf = append(buf, f)
	}
	return buf
}

// odd returns the cells of the quarters that have an odd number of empty ones.
func (g *reversi) odd(empty uint64) (cells uint64) {
	for i := range g.corners {
		if quarter := g.corners[i].quarter; bits.OnesCount64(empty&quarter)&1 == 1 {
			cells |= quarter
		}
	}
	return cells
}

// few is up to how many empty cells neither the order by mobility nor the table pays.
const few = 6

func (g *reversi) shallow(s Masks, alpha, beta int, looked *int) (score int, ok bool) {
	empty := g.all &^ (s.Mover | s.Waiting)
	if bits.OnesCount64(empty) > few {
		return 0, false
	}
	return g.fill(s, empty, alpha, beta, false, looked), true
}

// fill returns the score of a state with few empty cells by trying them all, those in
// odd quarters first. passed says that the opponent has just passed.
func (g *reversi) fill(s Masks, empty uint64, alpha, beta int, passed bool, looked *int) int {
	*looked++
	if empty == 0 {
		return s.difference()
	}
	score := -math.MaxInt
	odd := g.odd(empty)
	for _, cells := range [2]uint64{empty & odd, empty &^ odd} {
		for ; cells != 0; cells &= cells - 1 {
			at := cells & -cells
			turned := g.turned(s.Mover, s.Waiting, at)
			if turned == 0 {
				continue
			}
			next := Masks{Mover: s.Waiting &^ turned, Waiting: s.Mover | turned | at}
			score = max(score, -g.fill(next, empty&^at, -beta, -max(alpha, score), false, looked))
			if score >= beta {
				return score
			}
		}
	}
	switch {
	case score > -math.MaxInt:
		return score
	case passed:
		return s.difference()
	}
	return -g.fill(s.swapped(), empty, -beta, -alpha, true, looked)
}
