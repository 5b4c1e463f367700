package morris

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"backsolve/game/custom"
	"backsolve/game/rank"
)

var (
	ranks16 = sync.OnceValue(func() *rank.Board[uint32] { return rank.NewBoard(16, 6, six.images.Maps) })
	ranks24 = sync.OnceValue(func() *rank.Board[uint32] { return rank.NewBoard(24, 12, nine.images.Maps) })
	// ranks are indexed by the number of men that each player places, on two squares and on
	// three.
	ranks [13][2]atomic.Pointer[rank.Sides[uint32]]
)

func (g *Game) ranks() *rank.Sides[uint32] {
	squares := g.squares().points/8 - 2
	at := &ranks[g.Men][squares]
	if ranks := at.Load(); ranks != nil {
		return ranks
	}
	board := []func() *rank.Board[uint32]{ranks16, ranks24}[squares]
	at.CompareAndSwap(nil, rank.NewSides(board(), Game{Men: g.Men, All: true}.counts()))
	return at.Load()
}

// counts returns the numbers of men in each unit, of the player to move and of the other one.
func (g Game) counts() [][][2]int {
	units := make([][][2]int, g.Units())
	for placed := range 2*g.Men + 1 {
		for mine := range placed/2 + 1 {
			for theirs := range (placed+1)/2 + 1 {
				home := home(g.Men, State{1<<mine - 1, 1<<theirs - 1, uint8(placed)})
				units[home] = append(units[home], [2]int{mine, theirs})
			}
		}
	}
	return units
}

// moving returns the number of units in which all men are placed.
func moving(men int) int { return 2 + (men-2)*(men-1)/2 }

// Units returns their number: without All, none on two squares.
func (g Game) Units() int {
	switch {
	case g.Turn || !g.All && !g.Placed && g.squares() == six:
		return 0
	case g.Placed:
		return moving(g.Men)
	}
	return moving(g.Men) + 2*g.Men
}

// Size returns the number of ranks in a unit.
func (g Game) Size(unit int) uint64 { return g.ranks().Size(unit) }

// Stays returns whether men move.
func (g Game) Stays(unit int) bool { return unit >= 2 && unit < moving(g.Men) }

// Home returns the unit of a state.
func (g Game) Home(s State) int { return home(g.Men, s) }

// home returns the unit by numbers of men: first those in which the player to move has lost, then
// those in which the other one loses after any move, then those in which men move, fewer men
// first, and last those in which they are placed, the latest first.
func home(men int, s State) int {
	if left := 2*men - int(s.placed); left > 0 {
		return moving(men) + left - 1
	}
	mine, theirs := bits.OnesCount32(s.mine), bits.OnesCount32(s.theirs)
	less, more := min(mine, theirs)-3, max(mine, theirs)-3
	switch {
	case mine < 3:
		return 0
	case theirs < 3:
		return 1
	}
	return 2 + more*(more+1)/2 + less
}

// Rank returns the rank of a state in its unit, and how many symmetries keep it.
func (g Game) Rank(s State) (i uint64, syms int) {
	return g.ranks().Rank(g.Home(s), s.mine, s.theirs)
}

// Ranks appends the unit, the rank and the symmetries of each state.
func (g Game) Ranks(dst []custom.Place, all []State) []custom.Place {
	ranks, first, men := g.ranks(), rank.First[uint32]{}, g.Men
	for _, s := range all {
		p := custom.Place{Unit: home(men, s)}
		p.Rank, p.Symmetries = ranks.Next(&first, p.Unit, s.mine, s.theirs)
		dst = append(dst, p)
	}
	return dst
}

// Unrank returns the state with a rank, and whether there is one.
func (g Game) Unrank(unit int, i uint64) (s State, ok bool) {
	placed := uint8(2*g.Men - max(0, unit-moving(g.Men)+1))
	mine, theirs, ok := g.ranks().Unrank(unit, i)
	return State{mine, theirs, placed}, ok
}

// Leave appends the states after moves that take a man, and counts the others.
func (g Game) Leave(dst []State, s State) (left []State, stay int) {
	if int(s.placed) < 2*g.Men || g.Home(s) < 2 {
		return g.Moves(dst, s), 0
	}
	return g.move(dst, s, false)
}

// Unmoves appends the states that lead to one in the same unit: a man of the other player has
// moved and taken nothing, so it stands in no row.
func (g Game) Unmoves(dst []State, s State) []State {
	if int(s.placed) < 2*g.Men || g.Home(s) < 2 {
		return dst
	}
	b := g.squares()
	for men := s.theirs &^ b.inRows(s.theirs, s.theirs); men != 0; men &= men - 1 {
		to := men & -men
		for from := b.reach(s.theirs, bits.TrailingZeros32(men)) &^ (s.mine | s.theirs); from != 0; from &= from - 1 {
			dst = append(dst, State{s.theirs&^to | from&-from, s.mine, s.placed})
		}
	}
	return dst
}
