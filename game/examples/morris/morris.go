// Package morris is Six Men's Morris: two squares, one inside the other, joined at the
// middles of their sides. Three men in a row on a side take one of the opponent's, one
// outside such rows if there is any. Men move along lines once all are placed, and do not
// fly. A player with two men left, or without a move, loses.
package morris

import (
	"cmp"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"backsolve/game"
	"backsolve/game/custom"
)

// Game is Six Men's Morris. With Turn, states say whose turn it is, and symmetric ones
// differ; otherwise they are seen by the player to move.
type Game struct {
	Men  int // of each player, 3 to 6
	Turn bool
}

// State has the men of the player to move and of the other one as masks of points, 0 to 7
// around the outer square from a corner and 8 to 15 around the inner one, and how many
// were placed: one more than all if the game has Turn and O is to move then.
type State struct {
	mine, theirs uint16
	placed       uint8
}

var (
	mills  = [8]uint16{0x07, 0x1c, 0x70, 0xc1, 0x0700, 0x1c00, 0x7000, 0xc100}
	beside [16]uint16 // the neighbours of each point
	images = custom.Symmetries[uint16]{Cells: 16}
)

func init() {
	for p := range 16 { // odd points are middles of sides
		ring, i := p&8, p&7
		beside[p] = 1<<(ring|(i+1)&7) | 1<<(ring|(i+7)&7) | uint16(custom.Bit(i%2 == 1, p^8))
	}
	for i := range 16 { // turned by i/4 quarters, mirrored by i&1, turned inside out by i&2
		images.Maps = append(images.Maps, custom.NewMap[uint16](16, func(p int) int { return (p*(1-2*(i&1))+i/4*2)&7 | (p^i&2<<2)&8 }))
	}
}

// Name returns morris-6, or morris-6-turn with Turn.
func (g Game) Name() string {
	return fmt.Sprintf("morris-%d%s", g.Men, map[bool]string{true: "-turn"}[g.Turn])
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
			dst = arrive(dst, s, s.mine, free&-free, s.placed+1)
		}
		return dst
	}
	placed := s.placed ^ uint8(custom.Bit(g.Turn, 0))
	for men := s.mine; men != 0; men &= men - 1 {
		for to := beside[bits.TrailingZeros16(men)] & free; to != 0; to &= to - 1 {
			dst = arrive(dst, s, s.mine&^(men&-men), to&-to, placed)
		}
	}
	return dst
}

// arrive appends the positions after a man has come to a point, where it may take another.
func arrive(dst []State, s State, others, to uint16, placed uint8) []State {
	if inMills(others|to)&to == 0 {
		return append(dst, State{s.theirs, others | to, placed})
	}
	safe := inMills(s.theirs)
	prey := cmp.Or(s.theirs&^safe, s.theirs)
	for ; prey != 0; prey &= prey - 1 {
		dst = append(dst, State{s.theirs &^ (prey & -prey), others | to, placed})
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

// Tiers returns one for each number of men placed, and for each pair of numbers left then.
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
	if !g.Turn {
		s.mine, s.theirs = images.Least(s.mine, s.theirs)
	}
	return uint64(s.placed)<<32 | uint64(s.mine)<<16 | uint64(s.theirs)
}

// FromKey decodes a key.
func (g Game) FromKey(k uint64) State { return State{uint16(k >> 16), uint16(k), uint8(k >> 32)} }

// Relative returns true: X is the player to move.
func (Game) Relative() bool { return true }

// Format writes both squares, X for the player to move, and the number of men placed.
func (g Game) Format(s State) string {
	return fmt.Sprintf("%s+%d", custom.FormatMasks(uint64(s.mine), uint64(s.theirs), 2, 8), s.placed)
}

// Parse reads what Format writes.
func (g Game) Parse(text string) (State, error) {
	points, number, _ := strings.Cut(text, "+")
	mine, theirs, err := custom.ParseMasks(points, 2, 8)
	placed, _ := strconv.ParseUint(number, 10, 8)
	return custom.Parsed(g, State{uint16(mine), uint16(theirs), uint8(placed)}, text, err)
}
