// Package othello4 is Othello on boards of 4×4: a disc turns the opponent's between it and
// another own one in straight lines. Who can turn none passes; who has more in the end wins.
package othello4

import (
	"fmt"
	"math/bits"

	"backsolve/game"
	"backsolve/game/custom"
)

// Game is Othello 4×4.
type Game struct{}

// State has the discs of the player to move and of the other one.
type State struct{ mine, theirs uint16 }

const n = 4

// Name returns othello-4.
func (Game) Name() string { return "othello-4" }

// Describe returns the title and the rules.
func (Game) Describe() (title, rules string) {
	return "Othello 4×4 with a table", "A disc turns those of the opponent between it and another of yours. Who has more in the end wins."
}

// Start returns the four discs in the middle.
func (Game) Start() State { return State{1<<6 | 1<<9, 1<<5 | 1<<10} }

// turned returns the discs that one on a cell turns.
func turned(s State, cell int) (discs uint16) {
	for direction := range 9 {
		dr, dc, line := direction/3-1, direction%3-1, uint16(0)
		for r, c := cell/n+dr, cell%n+dc; direction != 4 && r >= 0 && r < n && c >= 0 && c < n; r, c = r+dr, c+dc {
			bit := uint16(1) << (r*n + c)
			if s.theirs&bit == 0 {
				if s.mine&bit != 0 {
					discs |= line
				}
				break
			}
			line |= bit
		}
	}
	return discs
}

// discs appends the positions after each disc that turns others.
func discs(dst []State, s State) []State {
	for cell := range n * n {
		if (s.mine|s.theirs)>>cell&1 == 0 {
			if t := turned(s, cell); t != 0 {
				dst = append(dst, State{s.theirs &^ t, s.mine | t | 1<<cell})
			}
		}
	}
	return dst
}

// Terminal reports who has more discs where neither can move.
func (Game) Terminal(s State) (game.Outcome, bool) {
	var few [n * n]State
	over := len(discs(few[:0], s)) == 0 && len(discs(few[:0], State{s.theirs, s.mine})) == 0
	switch d := bits.OnesCount16(s.mine) - bits.OnesCount16(s.theirs); {
	case d > 0:
		return game.Win, over
	case d < 0:
		return game.Lose, over
	}
	return game.Draw, over
}

// Moves lays a disc, or passes.
func (Game) Moves(dst []State, s State) []State {
	before := len(dst)
	if dst = discs(dst, s); len(dst) == before {
		dst = append(dst, State{s.theirs, s.mine})
	}
	return dst
}

// Tiers returns two for each number of discs.
func (Game) Tiers() int { return 2*n*n + 2 }

// Tier returns twice the number of discs, plus one if the player to move can place
// one: a pass leads there.
func (Game) Tier(s State) int {
	var few [n * n]State
	return 2*bits.OnesCount16(s.mine|s.theirs) + min(len(discs(few[:0], s)), 1)
}

// Loops returns false.
func (Game) Loops(int) bool { return false }

// Key returns the discs in bits.
func (Game) Key(s State) uint64 { return uint64(s.mine)<<16 | uint64(s.theirs) }

// FromKey takes the bits apart.
func (Game) FromKey(key uint64) State { return State{uint16(key >> 16), uint16(key)} }

// Relative returns true: X is the player to move.
func (Game) Relative() bool { return true }

// Format draws the discs of the player to move as X.
func (Game) Format(s State) string { return custom.FormatMasks(uint64(s.mine), uint64(s.theirs), n, n) }

// Parse reads what Format writes.
func (Game) Parse(text string) (State, error) {
	mine, theirs, err := custom.ParseMasks(text, n, n)
	if err == nil && (mine|theirs)&0x0660 != 0x0660 {
		err = fmt.Errorf("%q has no disc in the middle", text)
	}
	return State{uint16(mine), uint16(theirs)}, err
}
