// Package chomp is Chomp: a bar of chocolate whose first square is poisoned. A player takes a
// square with all to the right of it and below. The player who takes the poisoned one loses.
package chomp

import (
	_ "embed" // the board
	"fmt"
	"strings"

	"backsolve/game"
	"backsolve/game/custom"
)

// Game is Chomp on a bar of 1 to 8 rows and columns.
type Game struct{ Rows, Columns int }

// State has the squares left in each row, four bits a row, the first row lowest.
type State uint64

// Name returns chomp-3x4, rows first.
func (g Game) Name() string { return fmt.Sprintf("chomp-%dx%d", g.Rows, g.Columns) }

// Describe returns the title and the rules.
func (g Game) Describe() (title, rules string) {
	return fmt.Sprintf("Chomp %d×%d", g.Rows, g.Columns), "A move eats a square with all to the right of it and below; whoever takes the poisoned one, at the top left, loses."
}

//go:embed board.json
var board string

// Board describes the board for drawing.
func (g Game) Board() string { return strings.ReplaceAll(board, "a1", fmt.Sprintf("a%d", g.Rows)) }

// Start returns the whole bar.
func (g Game) Start() (s State) {
	for r := range g.Rows {
		s |= State(g.Columns) << (4 * r)
	}
	return s
}

// Terminal reports a win if nothing is left: the other player took the poison.
func (g Game) Terminal(s State) (game.Outcome, bool) { return game.Win, s == 0 }

// Moves takes each square that is left.
func (g Game) Moves(dst []State, s State) []State {
	for r := range g.Rows {
		for c := range s >> (4 * r) & 15 {
			after := s
			for below := r; below < g.Rows; below++ {
				if left := s >> (4 * below) & 15; left > c {
					after -= (left - c) << (4 * below)
				}
			}
			dst = append(dst, after)
		}
	}
	return dst
}

// Tiers returns one for each number of squares.
func (g Game) Tiers() int { return g.Rows*g.Columns + 1 }

// Tier returns the number of squares taken.
func (g Game) Tier(s State) int {
	tier := g.Rows * g.Columns
	for ; s > 0; s >>= 4 {
		tier -= int(s & 15)
	}
	return tier
}

// Loops returns false.
func (g Game) Loops(int) bool { return false }

// Key returns the state itself.
func (g Game) Key(s State) uint64 { return uint64(s) }

// FromKey returns the state again.
func (g Game) FromKey(key uint64) State { return State(key) }

// Format draws the bar with X for the squares that are left.
func (g Game) Format(s State) string {
	mask := uint64(0)
	for r := range g.Rows {
		mask |= (1<<(s>>(4*r)&15) - 1) << (r * g.Columns)
	}
	return custom.FormatMasks(mask, 0, g.Rows, g.Columns)
}

// Parse reads the output of Format.
func (g Game) Parse(text string) (s State, err error) {
	mask, _, err := custom.ParseMasks(text, g.Rows, g.Columns)
	above := g.Columns
	for r := range g.Rows {
		left := 0
		for mask>>(r*g.Columns+left)&1 != 0 && left < above {
			left++
		}
		above = left
		s |= State(left) << (4 * r)
	}
	if err == nil && g.Format(s) != text {
		err = fmt.Errorf("%q is not a bar: no row is longer than the one above", text)
	}
	return s, err
}

// MoveName returns the square that is bitten first, a1 at the bottom left.
func (g Game) MoveName(from, to State) string {
	for r := range g.Rows {
		if left := to >> (4 * r) & 15; left != from>>(4*r)&15 {
			return fmt.Sprintf("%c%d", 'a'+rune(left), g.Rows-r)
		}
	}
	return "none"
}
