// Package nodekayles has Node Kayles on a grid: a move takes a free cell with its neighbours
// above, below, to the left and to the right. A player who cannot move loses. On one row it is
// Dawson's chess.
package nodekayles

import (
	_ "embed" // the board
	"fmt"

	"backsolve/game"
	"backsolve/game/custom"
)

// Game is node Kayles on a grid of up to 63 cells.
type Game struct{ Rows, Columns int }

// State has the cells that are taken.
type State uint64

// Name returns node-kayles-4x5, rows first.
func (g Game) Name() string { return fmt.Sprintf("node-kayles-%dx%d", g.Rows, g.Columns) }

// Describe returns the title and the rules.
func (g Game) Describe() (title, rules string) {
	return fmt.Sprintf("Node Kayles %d×%d", g.Rows, g.Columns), "A move takes a free cell with those that share a side with it; a player who cannot move loses."
}

//go:embed board.json
var board string

// Board describes the board for drawing.
func (Game) Board() string { return board }

// Start returns the empty grid.
func (Game) Start() State { return 0 }

// Terminal reports a loss if no cell is free.
func (g Game) Terminal(s State) (game.Outcome, bool) { return game.Lose, s == 1<<(g.Rows*g.Columns)-1 }

// Moves takes each free cell.
func (g Game) Moves(dst []State, s State) []State {
	for cell := range g.Rows * g.Columns {
		if s>>cell&1 == 0 {
			dst = append(dst, s|State(custom.Around(g.Rows, g.Columns, cell, "13457")))
		}
	}
	return dst
}

// Key returns the state itself.
func (Game) Key(s State) uint64 { return uint64(s) }

// FromKey returns the state again.
func (Game) FromKey(key uint64) State { return State(key) }

// Format draws the grid with X for the cells that are taken.
func (g Game) Format(s State) string { return custom.FormatMasks(uint64(s), 0, g.Rows, g.Columns) }

// Parse reads the output of Format.
func (g Game) Parse(text string) (State, error) {
	taken, _, err := custom.ParseMasks(text, g.Rows, g.Columns)
	return custom.Parsed(g, State(taken), text, err)
}
