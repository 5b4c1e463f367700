// Package morris is Six Men's Morris: two squares, one inside the other, joined at the
// middles of their sides. Three men in a row on a side take one of the opponent's, one
// outside such rows if there is any. Men move along lines once all are placed, and do not
// fly. A player with two men left, or without a move, loses.
package morris

import (
	"fmt"
	"math/bits"

	"backsolve/game"
	"backsolve/game/custom"
)

// Game is Six Men's Morris.
type Game struct {
	// Men is how many each player has, 3 to 6.
	Men int
	// Turn distinguishes X's turn from O's and keeps symmetric states apart. Otherwise states
	// are from the side of the player to move.
	Turn bool
}

// State has the men of the player to move and of the other one as masks of points, 0 to 7
// around the outer square from a corner and 8 to 15 around the inner one, and how many
// were placed. second means O to move, if the game has Turn.
type State struct {
	mine, theirs uint16
	placed       uint8
	second       bool
}

var (
	mills  [8]uint16
	beside [16]uint16         // the neighbours of each point
	images [16][2][256]uint16 // of each half of a mask under each symmetry
)

func init() {
	for p := range 16 {
		ring, i := p&8, p&7
		beside[p] = 1<<(ring|(i+1)&7) | 1<<(ring|(i+7)&7)
		if i%2 == 1 { // the middle of a side
			beside[p] |= 1 << (p ^ 8)
			mills[p/2] = 1<<p | 1<<(ring|i-1) | 1<<(ring|(i+1)&7)
		}
		for g := range images { // turned by g/4 quarters, mirrored by g&1, turned inside out by g&2
			to := i
			if g&1 != 0 {
				to = 8 - i
			}
			to = (to+g/4*2)&7 | (ring ^ g&2<<2)
			for m := range 256 {
				if m>>i&1 != 0 {
					images[g][ring/8][m] |= 1 << to
				}
			}
		}
	}
}

// Name returns morris-6, or morris-6-turn with Turn.
func (g Game) Name() string {
	if g.Turn {
		return fmt.Sprintf("morris-%d-turn", g.Men)
	}
	return fmt.Sprintf("morris-%d", g.Men)
}

// Start returns the empty board.
func (g Game) Start() State { return State{} }

// Terminal reports a loss where the player to move has two men, or cannot move.
func (g Game) Terminal(s State) (game.Outcome, bool) {
	if int(s.placed) < 2*g.Men {
		return 0, false
	}
	around := uint16(0)
	for men := s.mine; men != 0; men &= men - 1 {
		around |= beside[bits.TrailingZeros16(men)]
	}
	return game.Lose, bits.OnesCount16(s.mine) < 3 || around&^(s.mine|s.theirs) == 0
}

// Moves appends the positions after placing a man, or after moving one.
func (g Game) Moves(dst []State, s State) []State {
	free := ^(s.mine | s.theirs)
	if int(s.placed) < 2*g.Men {
		for ; free != 0; free &= free - 1 {
			dst = g.arrive(dst, s, s.mine, free&-free, s.placed+1)
		}
		return dst
	}
	for men := s.mine; men != 0; men &= men - 1 {
		for to := beside[bits.TrailingZeros16(men)] & free; to != 0; to &= to - 1 {
			dst = g.arrive(dst, s, s.mine&^(men&-men), to&-to, s.placed)
		}
	}
	return dst
}

// arrive appends the positions after a man has come to a point, where it may take another.
func (g Game) arrive(dst []State, s State, others, to uint16, placed uint8) []State {
	after := State{s.theirs, others | to, placed, g.Turn && !s.second}
	if inMills(after.theirs)&to == 0 {
		return append(dst, after)
	}
	prey := s.theirs &^ inMills(s.theirs)
	if prey == 0 {
		prey = s.theirs
	}
	for ; prey != 0; prey &= prey - 1 {
		after.mine = s.theirs &^ (prey & -prey)
		dst = append(dst, after)
	}
	return dst
}

// inMills returns the men that stand in rows of three.
func inMills(men uint16) (in uint16) {
	for _, m := range mills {
		if men&m == m {
			in |= m
		}
	}
	return in
}

// Tiers returns a tier for each number of men placed, and one for each pair of numbers of
// men that are left then.
func (g Game) Tiers() int { return 2*g.Men + (2*g.Men+1)*(g.Men+1) }

// Tier puts positions with more men first once all are placed.
func (g Game) Tier(s State) int {
	if int(s.placed) < 2*g.Men {
		return int(s.placed)
	}
	mine, theirs := bits.OnesCount16(s.mine), bits.OnesCount16(s.theirs)
	return 2*g.Men + (2*g.Men-mine-theirs)*(g.Men+1) + min(mine, theirs)
}

// Loops returns whether men move.
func (g Game) Loops(tier int) bool { return tier >= 2*g.Men }

// Key encodes a state or, without Turn, its least image.
func (g Game) Key(s State) uint64 {
	if g.Turn {
		return key(s)
	}
	least := ^uint64(0)
	for i := range images {
		image := &images[i]
		s := State{image[0][s.mine&255] | image[1][s.mine>>8], image[0][s.theirs&255] | image[1][s.theirs>>8], s.placed, false}
		least = min(least, key(s))
	}
	return least
}

func key(s State) uint64 {
	k := uint64(s.placed)<<32 | uint64(s.mine)<<16 | uint64(s.theirs)
	if s.second {
		k |= 1 << 40
	}
	return k
}

// FromKey decodes a key.
func (g Game) FromKey(k uint64) State {
	return State{uint16(k >> 16), uint16(k), uint8(k >> 32), k>>40 != 0}
}

// Relative returns true: X is the player to move.
func (Game) Relative() bool { return true }

// Format writes the points around the outer and the inner square, X for the player to
// move, the number of men placed and, with Turn, x or o.
func (g Game) Format(s State) string {
	cells := make([]byte, 16)
	for p := range cells {
		cells[p] = ".XO"[s.mine>>p&1+2*(s.theirs>>p&1)]
	}
	text := fmt.Sprintf("%s+%d", custom.FormatRows(cells, 8), s.placed)
	if s.second {
		text += "+o"
	}
	return text
}

// Parse reads what Format writes.
func (g Game) Parse(text string) (s State, err error) {
	if len(text) < 19 {
		return s, fmt.Errorf("%q is too short; a position is like %s", text, g.Format(s))
	}
	cells, err := custom.ParseRows(text[:17], 2, 8, ".XO")
	for p, c := range cells {
		switch c {
		case 'X':
			s.mine |= 1 << p
		case 'O':
			s.theirs |= 1 << p
		}
	}
	if err == nil {
		s.second = text[len(text)-1] == 'o'
		_, err = fmt.Sscanf(text[17:], "+%d", &s.placed)
	}
	if err == nil && (g.Format(s) != text || s.second && !g.Turn || int(s.placed) > 2*g.Men) {
		err = fmt.Errorf("%q is no position; one is like %s", text, g.Format(g.Start()))
	}
	return s, err
}
