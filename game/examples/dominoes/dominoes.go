// Package dominoes has Domineering, in which one player places dominoes vertically and the
// other horizontally, and Cram, in which both may do either. A player who cannot move loses.
package dominoes

import (
	_ "embed" // the board
	"fmt"
	"math/bits"

	"backsolve/game"
	"backsolve/game/custom"
)

// Game is Domineering, or Cram, on a board of up to 64 cells.
type Game struct {
	Rows, Columns int
	Cram          bool
}

// State has the covered cells. In Domineering the player of vertical dominoes begins.
type State uint64

// Name returns domineering-5x5 or cram-4x5, rows first.
func (g Game) Name() string {
	name := "domineering"
	if g.Cram {
		name = "cram"
	}
	return fmt.Sprintf("%s-%dx%d", name, g.Rows, g.Columns)
}

// Describe returns the title and the rules.
func (g Game) Describe() (title, rules string) {
	if g.Cram {
		return fmt.Sprintf("Cram %d×%d", g.Rows, g.Columns), "A move places a domino, upright or lying; a player who cannot move loses."
	}
	return fmt.Sprintf("Domineering %d×%d", g.Rows, g.Columns), "The first player places upright dominoes, the second those that lie; a player who cannot move loses."
}

//go:embed board.json
var board string

// Board describes the board for drawing.
func (Game) Board() string { return board }

// Start returns the empty board.
func (g Game) Start() State { return 0 }

// Terminal reports a loss if there is no room for a domino.
func (g Game) Terminal(s State) (game.Outcome, bool) {
	upright, across := g.room(s)
	return game.Lose, upright|across == 0
}

// room returns the upper cells of possible vertical dominoes and the left cells of
// horizontal ones.
func (g Game) room(s State) (upright, across uint64) {
	free := ^uint64(s) & (1<<(g.Rows*g.Columns) - 1)
	notLast := uint64(0)
	for r := range g.Rows {
		notLast |= (1<<(g.Columns-1) - 1) << (r * g.Columns)
	}
	upright, across = free&(free>>g.Columns), free&(free>>1)&notLast
	switch {
	case g.Cram:
	case g.Tier(s)%2 == 0:
		across = 0
	default:
		upright = 0
	}
	return upright, across
}

// Moves lays a domino wherever there is room.
func (g Game) Moves(dst []State, s State) []State {
	upright, across := g.room(s)
	for ; upright != 0; upright &= upright - 1 {
		cell := upright & -upright
		dst = append(dst, s|State(cell|cell<<g.Columns))
	}
	for ; across != 0; across &= across - 1 {
		cell := across & -across
		dst = append(dst, s|State(cell|cell<<1))
	}
	return dst
}

// Tiers returns one for each number of dominoes.
func (g Game) Tiers() int { return g.Rows*g.Columns/2 + 1 }

// Tier returns the number of dominoes.
func (g Game) Tier(s State) int { return bits.OnesCount64(uint64(s)) / 2 }

// Loops returns false.
func (g Game) Loops(int) bool { return false }

// Turn returns the side to move, X first.
func (g Game) Turn(s State) game.Side { return game.Side(g.Tier(s) & 1) }

// Key returns the least of the state and its mirror images.
func (g Game) Key(s State) uint64 {
	least := s
	for _, image := range g.Images(nil, s) {
		least = min(least, image)
	}
	return uint64(least)
}

// Images appends the board upside down, left to right, and both.
func (g Game) Images(dst []State, s State) []State {
	down, row := State(0), State(1<<g.Columns-1)
	for r := range g.Rows {
		down |= s >> (r * g.Columns) & row << ((g.Rows - 1 - r) * g.Columns)
	}
	turned := State(bits.Reverse64(uint64(s)) >> (64 - g.Rows*g.Columns))
	right := State(bits.Reverse64(uint64(down)) >> (64 - g.Rows*g.Columns))
	return append(dst, down, turned, right)
}

// FromKey returns the state.
func (g Game) FromKey(key uint64) State { return State(key) }

// Format draws the covered cells as X.
func (g Game) Format(s State) string { return custom.FormatMasks(uint64(s), 0, g.Rows, g.Columns) }

// Parse reads the output of Format.
func (g Game) Parse(text string) (State, error) {
	x, o, err := custom.ParseMasks(text, g.Rows, g.Columns)
	if err == nil && (o != 0 || bits.OnesCount64(x)%2 != 0) {
		err = fmt.Errorf("%q has not an even number of cells covered by X", text)
	}
	return State(x), err
}
