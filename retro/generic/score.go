package generic

import (
	"backsolve/game"
	"backsolve/tablebase/sparse"
)

// score orders values by how good they are for the player to move: 1 + k is a loss in k
// plies, drawn a draw, 0xffff − k a win in k. The unknown value is 0.
type score uint16

const drawn score = 0x8000

// MostPlies is the least length of a line of best play whose steps a table cannot hold.
const MostPlies = 0x7ffd

// mostSteps is the greatest number of steps whose score still has one for the parent. Tests make it
// small.
var mostSteps = MostPlies

// capped returns a score with the same outcome and at most mostSteps.
func (s score) capped() score {
	if v := s.value(); v.Steps > mostSteps {
		return scoreOf(v.Outcome, mostSteps)
	}
	return s
}

func scoreOf(outcome game.Outcome, steps int) score {
	switch outcome {
	case game.Win:
		return 0xffff - score(steps)
	case game.Lose:
		return 1 + score(steps)
	}
	return drawn
}

func (s score) value() sparse.Value {
	switch {
	case s > drawn:
		return sparse.Value{Outcome: game.Win, Steps: int(0xffff - s)}
	case s < drawn:
		return sparse.Value{Outcome: game.Lose, Steps: int(s) - 1}
	}
	return sparse.Value{Outcome: game.Draw, Steps: -1}
}

// before returns what a move to a state of this score is worth for the player who makes it.
func (s score) before() score {
	switch {
	case s < drawn: // lost in k, so the move wins in k + 1
		return 0xffff - s
	case s > drawn: // won in k, so the move loses in k + 1
		return 0xffff - s + 2
	}
	return drawn
}
