// Package teeko is John Scarne's Teeko: each player places four men on 5×5 points, then moves one
// at a time to a neighbouring point, also diagonally. Four in a row, or in a square of
// neighbours, win. Once all men are placed, play may be infinite.
package teeko

import (
	_ "embed" // the board
	"fmt"
	"math/bits"

	"backsolve/game"
	"backsolve/game/custom"
)

// Game is Teeko on a board of 4 or 5 rows and columns.
type Game struct{ N int }

const men = 4

// For each board, maps has the symmetries and near the neighbours of each point.
var (
	maps = [...]custom.Symmetries[uint32]{4: {Cells: 16, Maps: custom.SquareMaps[uint32](4)}, 5: {Cells: 25, Maps: custom.SquareMaps[uint32](5)}}
	near [6][25]uint32
)

func init() {
	for n := 4; n <= 5; n++ {
		for cell := range n * n {
			near[n][cell] = uint32(custom.Around(n, n, cell, "01235678"))
		}
	}
}

// State has the men of the player to move and of the other one.
type State struct{ mine, theirs uint32 }

// Name returns teeko-5.
func (g Game) Name() string { return fmt.Sprintf("teeko-%d", g.N) }

// Describe returns the title and the rules.
func (g Game) Describe() (title, rules string) {
	return fmt.Sprintf("Teeko %[1]d×%[1]d", g.N), "Place four men, then move one at a time to a point beside it; four in a row or in a square win."
}

//go:embed board.json
var board string

// Board describes the board for drawing.
func (Game) Board() string { return board }

// Start returns the empty board.
func (g Game) Start() State { return State{} }

// Terminal reports a loss if the other player's men form a row or a square.
func (g Game) Terminal(s State) (game.Outcome, bool) {
	if bits.OnesCount32(s.theirs) < men {
		return 0, false
	}
	least := bits.TrailingZeros32(s.theirs)
	row, column := least/g.N, least%g.N
	for _, form := range [5][4][2]int{
		{{0, 0}, {0, 1}, {0, 2}, {0, 3}}, {{0, 0}, {1, 0}, {2, 0}, {3, 0}}, {{0, 0}, {1, 1}, {2, 2}, {3, 3}},
		{{0, 0}, {1, -1}, {2, -2}, {3, -3}}, {{0, 0}, {0, 1}, {1, 0}, {1, 1}},
	} {
		cells := uint32(0)
		for _, at := range form {
			if r, c := row+at[0], column+at[1]; r < g.N && c >= 0 && c < g.N {
				cells |= 1 << (r*g.N + c)
			}
		}
		if cells == s.theirs {
			return game.Lose, true
		}
	}
	var few [40]State
	return game.Lose, len(g.Moves(few[:0], s)) == 0
}

// Moves places a man, or moves one.
func (g Game) Moves(dst []State, s State) []State {
	free := (1<<(g.N*g.N) - 1) &^ (s.mine | s.theirs)
	if bits.OnesCount32(s.mine) < men {
		for to := free; to != 0; to &= to - 1 {
			dst = append(dst, State{s.theirs, s.mine | to&-to})
		}
		return dst
	}
	for m := s.mine; m != 0; m &= m - 1 {
		for to := near[g.N][bits.TrailingZeros32(m)] & free; to != 0; to &= to - 1 {
			dst = append(dst, State{s.theirs, s.mine&^(m&-m) | to&-to})
		}
	}
	return dst
}

// Tiers returns one for each number of men.
func (g Game) Tiers() int { return 2*men + 1 }

// Tier returns the number of men.
func (g Game) Tier(s State) int { return bits.OnesCount32(s.mine | s.theirs) }

// Loops returns whether all men are placed.
func (g Game) Loops(tier int) bool { return tier == 2*men }

// Key returns the least of the eight images in bits.
func (g Game) Key(s State) uint64 {
	mine, theirs := maps[g.N].Least(s.mine, s.theirs)
	return uint64(mine)<<25 | uint64(theirs)
}

// Images appends the state turned and mirrored.
func (g Game) Images(dst []State, s State) []State {
	for _, m := range maps[g.N].Maps {
		dst = append(dst, State{m.Apply(s.mine), m.Apply(s.theirs)})
	}
	return dst
}

// FromKey takes the bits apart.
func (g Game) FromKey(key uint64) State { return State{uint32(key >> 25), uint32(key & (1<<25 - 1))} }

// Relative returns true: X is the player to move.
func (Game) Relative() bool { return true }

// Format draws the men of the player to move as X.
func (g Game) Format(s State) string {
	return custom.FormatMasks(uint64(s.mine), uint64(s.theirs), g.N, g.N)
}

// Parse reads the output of Format.
func (g Game) Parse(text string) (State, error) {
	mine, theirs, err := custom.ParseMasks(text, g.N, g.N)
	if x, o := bits.OnesCount64(mine), bits.OnesCount64(theirs); err == nil && (x > men || o > men || x != o && x != o-1) {
		err = fmt.Errorf("%q has %d men to move and %d others: there are as many, or one less while men are placed", text, x, o)
	}
	return State{uint32(mine), uint32(theirs)}, err
}
