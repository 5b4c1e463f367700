package search

import (
	"math"
	"math/bits"

	"backsolve/game"
	"backsolve/game/uttt"
)

// The ends of games of Ultimate Tic-Tac-Toe: won, drawn or lost.

func (g *ultimate) scored() bool { return false }

func (g *ultimate) most() int { return 1 }

func (g *ultimate) score(s Words) int {
	switch outcome, _ := g.Terminal(s); outcome {
	case game.Win:
		return 1
	case game.Lose:
		return -1
	}
	return 0
}

func (g *ultimate) left(s Words) (cells int) {
	for b := range uint(uttt.Boards) {
		cells += bits.OnesCount64(free(s, b))
	}
	return cells
}

// seconds is what the easiest quarter of positions of random games took: 8 ms with 20 cells
// left, 37 ms with 25. Others take a hundred times as long.
func (g *ultimate) seconds(left int) float64 { return 1e-5 * math.Pow(1.38, float64(left)) }

// rankFree is how much worse it is for who moves that the opponent may play anywhere.
const rankFree = 20

// follow ranks a state by what it looks like to the opponent, and by the choice that
// the opponent has.
func (g *ultimate) follow(buf []follower[Words], s Words) []follower[Words] {
	open := g.open(s)
	for _, m := range g.moves {
		if p := g.places[m.To]; open[p.board]>>p.within&1 == 0 {
			continue
		}
		f := follower[Words]{state: g.Play(s, m), move: m}
		f.rank = g.Evaluate(f.state)
		if board := uint(f.state[2] >> toPlay & 15); board == uttt.Any {
			f.rank += rankFree
		} else {
			f.rank += bits.OnesCount64(free(f.state, board))
		}
		buf = append(buf, f)
	}
	return buf
}

// barred says of each mask of a board's cells whether it has a cell in every line, so
// that the other player cannot win the board any more.
var barred = func() (barred [512]bool) {
	for mask := range barred {
		barred[mask] = true
		for _, line := range boardLines {
			barred[mask] = barred[mask] && uint64(mask)&line != 0
		}
	}
	return barred
}()

// shallow sees who has won, and who cannot win any more because no line of boards is
// left to win: when neither can, it is a draw.
func (g *ultimate) shallow(s Words, alpha, beta int, _ *int) (score int, ok bool) {
	wonMover, wonWaiting := wonOf(s)
	switch {
	case complete[wonMover]:
		return 1, true
	case complete[wonWaiting]:
		return -1, true
	}
	mayMover, mayWaiting := wonMover, wonWaiting
	for b := range uint(uttt.Boards) {
		if (wonMover|wonWaiting)>>b&1 == 1 {
			continue
		}
		mover, waiting := cellsOf(s, b)
		if !barred[waiting] {
			mayMover |= 1 << b
		}
		if !barred[mover] {
			mayWaiting |= 1 << b
		}
	}
	may, mayNot := complete[mayMover], !complete[mayWaiting]
	switch {
	case !may && (mayNot || alpha >= 0):
		return 0, true
	case mayNot && beta <= 0:
		return 0, true
	}
	return 0, false
}
