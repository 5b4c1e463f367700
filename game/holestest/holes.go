// Package holestest is Nine Holes on 3×3 points: each player places three men, then moves one at
// a time to any free point; three in a row win, but not on diagonals.
package holestest

import (
	"fmt"
	"math/bits"
	"slices"

	"backsolve/game"
	"backsolve/game/custom"
)

// Game is Nine Holes.
type Game struct{}

// State has the men of the player to move and of the other one.
type State struct{ mine, theirs uint16 }

const men = 3

// Name returns nine-holes.
func (g Game) Name() string { return "nine-holes" }

// Describe returns the title and the rules.
func (g Game) Describe() (title, rules string) {
	return "Nine Holes", "Place three men, then move one at a time to any free point. Three in a row win, but not on diagonals."
}

// Start returns the empty board.
func (g Game) Start() State { return State{} }

// Terminal reports a loss where the other player has three in a row. There is always a move.
func (g Game) Terminal(s State) (game.Outcome, bool) {
	lines := []uint16{0o7, 0o70, 0o700, 0o111, 0o222, 0o444}
	return game.Lose, slices.ContainsFunc(lines, func(line uint16) bool { return s.theirs&line == line })
}

// Moves places a man, or moves one.
func (g Game) Moves(dst []State, s State) []State {
	free := 0o777 &^ (s.mine | s.theirs)
	if bits.OnesCount16(s.mine) < men {
		for to := free; to != 0; to &= to - 1 {
			dst = append(dst, State{s.theirs, s.mine | to&-to})
		}
		return dst
	}
	for m := s.mine; m != 0; m &= m - 1 {
		for to := free; to != 0; to &= to - 1 {
			dst = append(dst, State{s.theirs, s.mine&^(m&-m) | to&-to})
		}
	}
	return dst
}

// Tiers returns one for each number of men.
func (g Game) Tiers() int { return 2*men + 1 }

// Tier returns the number of men.
func (g Game) Tier(s State) int { return bits.OnesCount16(s.mine | s.theirs) }

// Loops returns whether all men are placed.
func (g Game) Loops(tier int) bool { return tier == 2*men }

// Key returns the men in bits.
func (g Game) Key(s State) uint64 { return uint64(s.mine)<<9 | uint64(s.theirs) }

// FromKey takes the bits apart.
func (g Game) FromKey(key uint64) State { return State{uint16(key >> 9), uint16(key & 0o777)} }

// Relative returns true: X is the player to move.
func (Game) Relative() bool { return true }

// Format draws the men of the player to move as X.
func (g Game) Format(s State) string {
	return custom.FormatMasks(uint64(s.mine), uint64(s.theirs), 3, 3)
}

// Parse reads the output of Format.
func (g Game) Parse(text string) (State, error) {
	mine, theirs, err := custom.ParseMasks(text, 3, 3)
	x, o := bits.OnesCount64(mine), bits.OnesCount64(theirs)
	if err == nil && (x > men || o > men || x != o && x != o-1) {
		err = fmt.Errorf("%q has %d men to move and %d others: there are as many, or one less while men are placed", text, x, o)
	}
	return State{uint16(mine), uint16(theirs)}, err
}
