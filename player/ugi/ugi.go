// Package ugi is the Universal Game Interface (github.com/kz04px/ugi), the text
// protocol derived from UCI by which match runners and engines of any game talk to
// each other, a line for each message. Serve is the engine's side; an agent that
// Engine returns is the other one, for which an external program plays.
//
// The protocol leaves the text of positions and moves to the game: here they are
// those of game.Rules.
package ugi

import (
	"strconv"

	"backsolve/game"
	"backsolve/probe"
)

// noMove is the move of one who has none, as in UCI.
const noMove = "0000"

// won is the score, in hundredths of a point, of a win of unknown length.
const won = 10_000

// score writes a value as the protocol has it: mate with the plies to the end,
// negative for the one who loses, or cp where these are not known.
func score(v probe.Value) string {
	sign := map[game.Outcome]int{game.Win: 1, game.Draw: 0, game.Lose: -1}[v.Outcome]
	if v.Steps < 0 {
		return "score cp " + strconv.Itoa(sign*won)
	}
	return "score mate " + strconv.Itoa(sign*v.Steps)
}
