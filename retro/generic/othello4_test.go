package generic

import (
	"fmt"
	"math/bits"

	"backsolve/game"
	"backsolve/game/custom"
)

// othello4 is Othello on boards of 4×4: a disc turns the opponent's between it and
// another own one in straight lines. A player without a move passes; more discs win.
type othello4 struct{}

const othello4Size = 4

// othello4State has the discs of the player to move and of the other one.
type othello4State struct{ mine, theirs uint16 }

// Name returns othello-4.
func (othello4) Name() string { return "othello-4" }

// Describe returns the title and the rules.
func (othello4) Describe() (title, rules string) {
	return "Othello 4×4 with a table", "A disc turns those of the opponent between it and another of yours. Who has more in the end wins."
}

// Start returns the four discs in the middle.
func (othello4) Start() othello4State { return othello4State{1<<6 | 1<<9, 1<<5 | 1<<10} }

// othello4Turned returns the discs that one on a cell turns.
func othello4Turned(s othello4State, cell int) (discs uint16) {
	for direction := range 9 {
		dr, dc, line := direction/3-1, direction%3-1, uint16(0)
		for r, c := cell/othello4Size+dr, cell%othello4Size+dc; direction != 4 && r >= 0 && r < othello4Size && c >= 0 && c < othello4Size; r, c = r+dr, c+dc {
			bit := uint16(1) << (r*othello4Size + c)
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
func othello4Moves(dst []othello4State, s othello4State) []othello4State {
	for cell := range othello4Size * othello4Size {
		if (s.mine|s.theirs)>>cell&1 == 0 {
			if t := othello4Turned(s, cell); t != 0 {
				dst = append(dst, othello4State{s.theirs &^ t, s.mine | t | 1<<cell})
			}
		}
	}
	return dst
}

// Terminal reports who has more discs where neither can move.
func (othello4) Terminal(s othello4State) (game.Outcome, bool) {
	var few [othello4Size * othello4Size]othello4State
	over := len(othello4Moves(few[:0], s)) == 0 && len(othello4Moves(few[:0], othello4State{s.theirs, s.mine})) == 0
	switch d := bits.OnesCount16(s.mine) - bits.OnesCount16(s.theirs); {
	case d > 0:
		return game.Win, over
	case d < 0:
		return game.Lose, over
	}
	return game.Draw, over
}

// Moves lays a disc, or passes.
func (othello4) Moves(dst []othello4State, s othello4State) []othello4State {
	before := len(dst)
	if dst = othello4Moves(dst, s); len(dst) == before {
		dst = append(dst, othello4State{s.theirs, s.mine})
	}
	return dst
}

// Tiers returns two for each number of discs.
func (othello4) Tiers() int { return 2*othello4Size*othello4Size + 2 }

// Tier returns twice the number of discs, plus one if the player to move can place
// one: a pass leads there.
func (othello4) Tier(s othello4State) int {
	var few [othello4Size * othello4Size]othello4State
	return 2*bits.OnesCount16(s.mine|s.theirs) + min(len(othello4Moves(few[:0], s)), 1)
}

// Loops returns false.
func (othello4) Loops(int) bool { return false }

// Key returns the discs in bits.
func (othello4) Key(s othello4State) uint64 { return uint64(s.mine)<<16 | uint64(s.theirs) }

// FromKey takes the bits apart.
func (othello4) FromKey(key uint64) othello4State {
	return othello4State{uint16(key >> 16), uint16(key)}
}

// Relative returns true: X is the player to move.
func (othello4) Relative() bool { return true }

// Format draws the discs of the player to move as X.
func (othello4) Format(s othello4State) string {
	return custom.FormatMasks(uint64(s.mine), uint64(s.theirs), othello4Size, othello4Size)
}

// Parse reads what Format writes.
func (othello4) Parse(text string) (othello4State, error) {
	mine, theirs, err := custom.ParseMasks(text, othello4Size, othello4Size)
	if err == nil && (mine|theirs)&0x0660 != 0x0660 {
		err = fmt.Errorf("%q has no disc in the middle", text)
	}
	return othello4State{uint16(mine), uint16(theirs)}, err
}
