// Package hounds is Hare and Hounds on the small board of 11 points. Three hounds begin on the
// left and never move back; the hare begins on the right and moves freely along the lines. The
// hounds, who begin, win if the hare cannot move. The hare wins once no hound is left of it, or
// if no hound can move.
package hounds

import (
	_ "embed" // the board
	"fmt"
	"math/bits"
	"strings"

	"backsolve/game"
	"backsolve/game/custom"
)

// Game is Hare and Hounds. An infinite game is a draw. With All, the table has all states, not
// only those that play can reach.
type Game struct{ All bool }

// State has the hounds as a mask of points, the hare's point and whose turn it is. The points
// are the cells of three rows and five columns without the four corners.
type State struct {
	hounds uint16
	hare   uint8
	flee   bool // the hare is to move
}

const (
	rows, columns = 3, 5
	points        = 0b01110_11111_01110
)

// beside has the cells that a line leads to, and ahead those of them that are not back a column.
var beside, ahead [rows * columns]uint16

func init() {
	crossing := func(cell int) bool { return cell/columns == 1 && cell%columns%2 == 0 } // where diagonals meet
	for a := range beside {
		for b := range beside {
			dr, dc := a/columns-b/columns, a%columns-b%columns
			diagonal := dr*dr == 1 && dc*dc == 1 && (crossing(a) || crossing(b))
			if points>>a&1 == 0 || points>>b&1 == 0 || dr*dr+dc*dc != 1 && !diagonal {
				continue
			}
			if beside[a] |= 1 << b; dc <= 0 {
				ahead[a] |= 1 << b
			}
		}
	}
}

// Name returns hounds, or hounds-all with All.
func (g Game) Name() string { return "hounds" + map[bool]string{true: "-all"}[g.All] }

// Describe returns the title and the rules.
func (Game) Describe() (title, rules string) {
	return "Hare and Hounds", "The hounds never move back, and win if the hare cannot move; the hare wins once it is past them."
}

//go:embed board.json
var board string

// Board describes the board for drawing.
func (Game) Board() string { return board }

// Start has the hounds on the three points on the left and the hare on the right.
func (Game) Start() State { return State{1<<5 | 1<<1 | 1<<11, 9, false} }

// Terminal reports how the game ends for the player to move.
func (g Game) Terminal(s State) (game.Outcome, bool) {
	var few [24]State
	switch {
	case escaped(s) && s.flee:
		return game.Win, true
	case escaped(s):
		return game.Lose, true
	}
	return game.Lose, len(g.Moves(few[:0], s)) == 0
}

// escaped reports whether no hound is left of the hare any more.
func escaped(s State) bool {
	for hounds := s.hounds; hounds != 0; hounds &= hounds - 1 {
		if bits.TrailingZeros16(hounds)%columns < int(s.hare)%columns {
			return false
		}
	}
	return true
}

// Moves moves the hare, or one of the hounds, to a free point.
func (Game) Moves(dst []State, s State) []State {
	if s.flee {
		for to := beside[s.hare] &^ s.hounds; to != 0; to &= to - 1 {
			dst = append(dst, State{s.hounds, uint8(bits.TrailingZeros16(to)), false})
		}
		return dst
	}
	for hounds := s.hounds; hounds != 0; hounds &= hounds - 1 {
		from := hounds & -hounds
		for to := ahead[bits.TrailingZeros16(from)] &^ (s.hounds | 1<<s.hare); to != 0; to &= to - 1 {
			dst = append(dst, State{s.hounds&^from | to&-to, s.hare, true})
		}
	}
	return dst
}

// Tiers returns one for each sum of the hounds' columns.
func (Game) Tiers() int { return 3*(columns-1) + 1 }

// Tier returns the sum of the hounds' columns, which never falls.
func (Game) Tier(s State) (tier int) {
	for hounds := s.hounds; hounds != 0; hounds &= hounds - 1 {
		tier += bits.TrailingZeros16(hounds) % columns
	}
	return tier
}

// Loops returns true: the hare moves to and fro.
func (Game) Loops(int) bool { return true }

// Turn returns X for the hounds and O for the hare.
func (Game) Turn(s State) game.Side { return game.Side(custom.Bit(s.flee, 0)) }

// Key returns the state in bits, the lesser of it and its image upside down.
func (Game) Key(s State) uint64 { return min(key(s), key(flipped(s))) }

// Images appends the board upside down.
func (Game) Images(dst []State, s State) []State { return append(dst, flipped(s)) }

func key(s State) uint64 {
	return uint64(s.hounds)<<4 | uint64(s.hare) | custom.Bit(s.flee, 19)
}

func flipped(s State) State {
	s.hare = (rows-1-s.hare/columns)*columns + s.hare%columns
	s.hounds = upsideDown.Apply(s.hounds)
	return s
}

var upsideDown = custom.NewMap[uint16](rows*columns, func(cell int) int { return (rows-1-cell/columns)*columns + cell%columns })

// FromKey takes the bits apart.
func (Game) FromKey(k uint64) State {
	return State{uint16(k>>4) & (1<<15 - 1), uint8(k & 15), k>>19 != 0}
}

// Format draws the hounds as O and the hare as X, with +x where the hare is to move.
func (Game) Format(s State) string {
	text := custom.FormatMasks(1<<s.hare, uint64(s.hounds), rows, columns)
	if s.flee {
		text += "+x"
	}
	return text
}

// Parse reads the output of Format.
func (g Game) Parse(text string) (State, error) {
	cells, flee := strings.CutSuffix(text, "+x")
	hare, hounds, err := custom.ParseMasks(cells, rows, columns)
	if err == nil && (bits.OnesCount64(hare) != 1 || bits.OnesCount64(hounds) != 3 || (hare|hounds)&^points != 0) {
		err = fmt.Errorf("%q has not three hounds O and a hare X off the corners, as in %s", text, g.Format(g.Start()))
	}
	return State{uint16(hounds), uint8(bits.TrailingZeros64(hare)), flee}, err
}
