// Package morris is Six and Nine Men's Morris, and Morabaraba: two or three squares, one inside the
// other, joined at the middles of their sides and, in Morabaraba, at their corners. Three men in a row
// take one of the opponent's, one outside such rows if there is any. Men move along lines once all are
// placed; on three squares, a player with three men left moves to any point. A player with two men left,
// or without a move, loses; a full board is a draw.
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

// Game is Six Men's Morris or, with more men, Nine Men's, or Morabaraba. With Turn, states say
// whose turn it is, and symmetric ones differ; otherwise they are seen from the player to move.
// With All, and always on three squares, the table has all states, not only those that play can
// reach; with Placed, only those of them in which all men are placed.
type Game struct {
	Men               int  // of each player: 3 to 6 on two squares, 7 to 9 on three, 3 to 12 in Morabaraba
	Corners           bool // of three squares are joined: Morabaraba
	Turn, All, Placed bool
}

// State has the men of the player to move and of the other one as masks of points, 0 to 7 around
// the outer square from a corner, and so on around the inner ones, and how many were placed: one
// more than all men if the game has Turn and O is to move.
type State struct {
	mine, theirs uint32
	placed       uint8
}

// Name returns morris-6 or morabaraba-12, followed by -turn, -all or -placed for Turn, All or
// Placed.
func (g Game) Name() string {
	name := fmt.Sprintf("%s-%d", map[bool]string{false: "morris", true: "morabaraba"}[g.Corners], g.Men)
	for suffix, set := range map[string]bool{"-turn": g.Turn, "-all": g.All, "-placed": g.Placed} {
		if set {
			name += suffix
		}
	}
	return name
}

// Start returns the empty board or, with Placed, one on which the men of both players alternate.
func (g Game) Start() State {
	if !g.Placed {
		return State{}
	}
	points := uint32(1)<<(2*g.Men) - 1
	return State{0x55aa55 & points, 0xaa55aa & points, uint8(2 * g.Men)}
}

// Terminal reports a loss if the player to move has two men, or cannot move, and a draw on a full
// board.
func (g Game) Terminal(s State) (game.Outcome, bool) {
	around, b := uint32(0), g.squares()
	switch {
	case int(s.placed) < 2*g.Men:
		return 0, false
	case s.mine|s.theirs == b.all:
		return game.Draw, true
	}
	for men := s.mine; men != 0; men &= men - 1 {
		around |= b.reach(s.mine, bits.TrailingZeros32(men))
	}
	return game.Lose, bits.OnesCount32(s.mine) < 3 || around&^(s.mine|s.theirs) == 0
}

// reach returns the points from which one of the men may come to a point, or to which it may have
// left it.
func (b *squares) reach(men uint32, p int) uint32 {
	if b != six && bits.OnesCount32(men) == 3 {
		return b.all
	}
	return b.beside[p]
}

// Moves appends the positions after placing a man, or after moving one.
func (g Game) Moves(dst []State, s State) []State {
	b := g.squares()
	if int(s.placed) < 2*g.Men {
		for free := b.all &^ (s.mine | s.theirs); free != 0; free &= free - 1 {
			dst = b.arrive(dst, s, s.mine, free&-free, s.placed+1)
		}
		return dst
	}
	dst, _ = g.move(dst, s, true)
	return dst
}

// move appends the positions after moving a man. Unless quiet is set, it only counts the moves that take none.
func (g *Game) move(dst []State, s State, quiet bool) (moved []State, others int) {
	b, placed := g.squares(), s.placed^uint8(custom.Bit(g.Turn, 0))
	free := b.all &^ (s.mine | s.theirs)
	for men := s.mine; men != 0; men &= men - 1 {
		rest := s.mine &^ (men & -men)
		for to := b.reach(s.mine, bits.TrailingZeros32(men)) & free; to != 0; to &= to - 1 {
			if quiet || b.inRows(rest|to&-to, to&-to) != 0 {
				dst = b.arrive(dst, s, rest, to&-to, placed)
			} else {
				others++
			}
		}
	}
	return dst, others
}

// arrive appends the positions after a man has come to a point, where it may take another.
func (b *squares) arrive(dst []State, s State, others, to uint32, placed uint8) []State {
	if b.inRows(others|to, to) == 0 {
		return append(dst, State{s.theirs, others | to, placed})
	}
	safe := b.inRows(s.theirs, s.theirs)
	for prey := cmp.Or(s.theirs&^safe, s.theirs); prey != 0; prey &= prey - 1 {
		dst = append(dst, State{s.theirs &^ (prey & -prey), others | to, placed})
	}
	return dst
}

// inRows returns which of some men stand in a row of three of all.
func (b *squares) inRows(all, men uint32) (in uint32) {
	for ; men != 0; men &= men - 1 {
		if rows := &b.rows[bits.TrailingZeros32(men)]; all&rows[0] == rows[0] || all&rows[1] == rows[1] || all&rows[2] == rows[2] {
			in |= men & -men
		}
	}
	return in
}

// Tiers returns one tier for each number of men placed, and for each pair of numbers left after
// that.
func (g Game) Tiers() int { return 2*g.Men + (2*g.Men+1)*(g.Men+1) }

// Tier puts positions with more men first once all are placed.
func (g Game) Tier(s State) int {
	if int(s.placed) < 2*g.Men {
		return int(s.placed)
	}
	mine, theirs := bits.OnesCount32(s.mine), bits.OnesCount32(s.theirs)
	return 2*g.Men + (2*g.Men-mine-theirs)*(g.Men+1) + min(mine, theirs)
}

// Loops returns whether men move.
func (g Game) Loops(tier int) bool { return tier >= 2*g.Men }

// Key encodes a state or, without Turn, its least image.
func (g Game) Key(s State) uint64 {
	b := g.squares()
	if !g.Turn {
		s.mine, s.theirs = b.images.Least(s.mine, s.theirs)
	}
	return uint64(s.placed)<<(2*b.points) | uint64(s.mine)<<b.points | uint64(s.theirs)
}

// FromKey decodes a key.
func (g Game) FromKey(k uint64) State {
	b := g.squares()
	return State{uint32(k>>b.points) & b.all, uint32(k) & b.all, uint8(k >> (2 * b.points))}
}

// Relative returns true: X is the player to move.
func (Game) Relative() bool { return true }

// Format writes the squares, X for the player to move, and the number of men placed.
func (g Game) Format(s State) string {
	return fmt.Sprintf("%s+%d", custom.FormatMasks(uint64(s.mine), uint64(s.theirs), g.squares().points/8, 8), s.placed)
}

// Parse reads the output of Format.
func (g Game) Parse(text string) (State, error) {
	points, number, _ := strings.Cut(text, "+")
	mine, theirs, err := custom.ParseMasks(points, g.squares().points/8, 8)
	placed, _ := strconv.ParseUint(number, 10, 8)
	s, all := State{uint32(mine), uint32(theirs), uint8(placed)}, min(int(placed), 2*g.Men)
	if bits.OnesCount64(mine) > all/2 || bits.OnesCount64(theirs) > (all+1)/2 || all < int(placed) && !g.Turn {
		if err == nil {
			err = fmt.Errorf("%q has more men than are placed", text)
		}
	}
	return custom.Parsed(g, s, text, err)
}
