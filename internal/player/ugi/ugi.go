// Package ugi is the Universal Game Interface (github.com/kz04px/ugi), the text protocol derived from UCI between
// match runners and engines of any game, with one message per line. Serve is the engine's side, and Engine the
// other one. Positions and moves, which it leaves to the game, have the texts of game.Rules.
package ugi

import (
	"strconv"

	"backsolve/internal/probe"
	"backsolve/internal/search"
)

const noMove = "0000" // UCI's null move, for no legal move

// won is the score, in hundredths of a point, of a win of unknown length.
const won = 10_000

// score is mate with the plies to the end, negative for a loss, or cp without steps.
func score(v probe.Value) string {
	if v.Steps < 0 {
		return "score cp " + strconv.Itoa(search.Sign(v.Outcome)*won)
	}
	return "score mate " + strconv.Itoa(search.Sign(v.Outcome)*v.Steps)
}
