package generic

import (
	"fmt"
	"math/bits"
	"strings"

	"backsolve/game"
	"backsolve/game/custom"
)

// dodgem is Colin Vout's Dodgem. Each player has n-1 cars on a board of n×n: X's begin
// on the left and leave to the right, O's begin at the bottom and leave at the top. A car
// moves ahead or sideways to a free cell, never back. A player who cannot move wins.
type dodgem struct{ N int }

// dodgemState has the cars of X and O, the first cell in the upper left corner.
type dodgemState struct {
	x, o    uint32
	oToMove bool
}

// Name returns dodgem-3.
func (g dodgem) Name() string { return fmt.Sprintf("dodgem-%d", g.N) }

// Describe returns the title and the rules.
func (g dodgem) Describe() (title, rules string) {
	return fmt.Sprintf("Dodgem %[1]d×%[1]d", g.N), "X leaves to the right, O at the top; a car moves ahead or sideways. Who cannot move wins."
}

// Start leaves the lower left corner free.
func (g dodgem) Start() (s dodgemState) {
	for i := range g.N - 1 {
		s.x |= 1 << (i * g.N)
		s.o |= 1 << (g.N*(g.N-1) + i + 1)
	}
	return s
}

// Terminal reports a win where the player to move has no move.
func (g dodgem) Terminal(s dodgemState) (game.Outcome, bool) {
	var few [24]dodgemState
	return game.Win, len(g.Moves(few[:0], s)) == 0
}

// Moves moves each car ahead, off the board too, and sideways.
func (g dodgem) Moves(dst []dodgemState, s dodgemState) []dodgemState {
	cars, taken := s.x, s.x|s.o
	if s.oToMove {
		cars = s.o
	}
	for ; cars != 0; cars &= cars - 1 {
		car := cars & -cars
		cell := bits.TrailingZeros32(car)
		row, column := cell/g.N, cell%g.N
		for _, step := range [3][2]int{{0, 1}, {1, 0}, {-1, 0}} {
			if s.oToMove {
				step[0], step[1] = -step[1], step[0]
			}
			r, c := row+step[0], column+step[1]
			to := uint32(0)
			switch {
			case r >= 0 && r < g.N && c >= 0 && c < g.N:
				if to = 1 << (r*g.N + c); taken&to != 0 {
					continue
				}
			case s.oToMove && r >= 0 || !s.oToMove && c < g.N:
				continue // the side of the board
			}
			after := dodgemState{s.x, s.o, !s.oToMove}
			if s.oToMove {
				after.o = s.o&^car | to
			} else {
				after.x = s.x&^car | to
			}
			dst = append(dst, after)
		}
	}
	return dst
}

// Tiers returns one for each number of steps ahead.
func (g dodgem) Tiers() int { return 2*g.N*(g.N-1) + 1 }

// Tier returns how many steps ahead all cars have made: sideways none.
func (g dodgem) Tier(s dodgemState) int {
	left := 0
	for cars := s.x; cars != 0; cars &= cars - 1 {
		left += g.N - bits.TrailingZeros32(cars)%g.N
	}
	for cars := s.o; cars != 0; cars &= cars - 1 {
		left += bits.TrailingZeros32(cars)/g.N + 1
	}
	return g.Tiers() - 1 - left
}

// Loops returns true: cars move to and fro.
func (g dodgem) Loops(int) bool { return true }

// Turn returns the side to move.
func (dodgem) Turn(s dodgemState) game.Side {
	if s.oToMove {
		return game.O
	}
	return game.X
}

// Key returns all of a state in bits.
func (g dodgem) Key(s dodgemState) uint64 {
	return uint64(s.x)<<25 | uint64(s.o) | custom.Bit(s.oToMove, 50)
}

// FromKey takes the bits apart.
func (g dodgem) FromKey(key uint64) dodgemState {
	return dodgemState{uint32(key >> 25 & (1<<25 - 1)), uint32(key & (1<<25 - 1)), key>>50 != 0}
}

// Format draws the board, with +o where O is to move.
func (g dodgem) Format(s dodgemState) string {
	text := custom.FormatMasks(uint64(s.x), uint64(s.o), g.N, g.N)
	if s.oToMove {
		text += "+o"
	}
	return text
}

// Parse reads what Format writes.
func (g dodgem) Parse(text string) (dodgemState, error) {
	board, oToMove := strings.CutSuffix(text, "+o")
	x, o, err := custom.ParseMasks(board, g.N, g.N)
	return dodgemState{uint32(x), uint32(o), oToMove}, err
}
