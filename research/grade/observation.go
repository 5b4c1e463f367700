package grade

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"backsolve/game"
	"backsolve/internal/player"
)

// observer sees positions as the environments of the Python package do: planes of cells, with
// the marks of the player to move first, and numbered actions. docs/howto/python.md describes
// both; Games in python/backsolve/games.py is the other implementation.
type observer struct {
	rules   game.Rules
	info    game.Info
	actions []game.Move
	shape   []int // planes, rows, columns
	cells   []int // where they stand in the text of a position
}

func newObserver(rules game.Rules) *observer {
	o := &observer{rules: rules, info: rules.Info(), actions: player.Actions(rules)}
	start := rules.Format(rules.Start())
	board, _, _ := strings.Cut(start, " ")
	rows := strings.Split(board, "/")
	for i, letter := range board {
		if letter != '/' && letter != '+' {
			o.cells = append(o.cells, i)
		}
	}
	switch o.info.Board {
	case game.OnGrid:
		o.shape = []int{o.info.Marks, len(rows), len(rows[0])}
	case game.OfNine:
		o.shape = []int{3, 9, 9}
	case game.OfHeaps:
		o.shape = []int{1, 1, len(rows)}
	case game.OnRow, game.OfBoards:
		o.shape = []int{1, 1, len(o.cells)}
	default:
		o.shape = []int{1, 1, max(64, 2*len(start))}
	}
	return o
}

// see returns the observation of an open position, and its legal moves with their actions.
func (o *observer) see(s game.State) (input []float32, legal []game.Move, actions []int) {
	legal = o.rules.Moves(nil, s)
	for i, m := range legal {
		if o.actions != nil {
			i, _ = player.ActionOf(o.actions, m)
		}
		actions = append(actions, i)
	}
	text := o.rules.AppendFormat(nil, s)
	input = make([]float32, o.shape[0]*o.shape[1]*o.shape[2])
	switch o.info.Board {
	case game.OfHeaps:
		board, _, _ := bytes.Cut(text, []byte(" "))
		for i, heap := range strings.Split(string(board), "/") {
			counters, _ := strconv.Atoi(heap)
			input[i] = float32(counters)
		}
	case game.OnGrid, game.OfNine, game.OnRow, game.OfBoards:
		marks := []byte("XO")[:min(o.shape[0], 2)]
		if len(marks) == 2 && o.rules.Turn(s) != game.X {
			slices.Reverse(marks)
		}
		for plane, mark := range marks {
			for i, at := range o.cells {
				if text[at] == mark {
					input[plane*len(o.cells)+i] = 1
				}
			}
		}
		if o.info.Board == game.OfNine {
			for _, action := range actions {
				input[2*len(o.cells)+action] = 1
			}
		}
	default:
		for i := range min(len(text), len(input)) {
			input[i] = float32(text[i])
		}
	}
	return input, legal, actions
}
