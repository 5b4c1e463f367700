package hounds

import (
	"math/bits"
	"slices"
	"sync"

	"backsolve/game/custom"
	"backsolve/game/rank"
)

// sets numbers the places of hounds and hare among all cells, the corners too.
var sets = sync.OnceValue(func() *rank.Sets[uint16] {
	asItIs := custom.NewMap[uint16](rows*columns, func(cell int) int { return cell })
	return rank.NewBoard(rows*columns, 3, []custom.Map[uint16]{asItIs, upsideDown}).Sets(3, 1)
})

// Units returns one with All, as the hare may always go back.
func (g Game) Units() int { return int(custom.Bit(g.All, 0)) }

// Size returns the number of ranks.
func (Game) Size(int) uint64 { return 2 * sets().Size() }

// Stays returns true.
func (Game) Stays(int) bool { return true }

// Home returns the unit.
func (Game) Home(State) int { return 0 }

// Rank returns the rank of a state, and how many symmetries keep it.
func (Game) Rank(s State) (i uint64, syms int) {
	i, syms = sets().Rank(s.hounds, 1<<s.hare)
	return 2*i + custom.Bit(s.flee, 0), syms
}

// Unrank returns the state with a rank, and whether there is one.
func (Game) Unrank(_ int, i uint64) (State, bool) {
	var masks [2]uint16
	ok := sets().Unrank(masks[:], i/2)
	s := State{masks[0], uint8(bits.TrailingZeros16(masks[1])), i%2 != 0}
	return s, ok && (masks[0]|masks[1])&^points == 0
}

// Unmoves appends the states that lead to one: hounds come from behind or beside, the hare from
// anywhere. Once it has escaped, there are no moves.
func (Game) Unmoves(dst []State, s State) []State {
	first, free := len(dst), ^(s.hounds | 1<<s.hare)
	for hounds := s.hounds; s.flee && hounds != 0; hounds &= hounds - 1 {
		to := hounds & -hounds
		for from := beside[bits.TrailingZeros16(to)] & free; from != 0; from &= from - 1 {
			if ahead[bits.TrailingZeros16(from)]&to != 0 {
				dst = append(dst, State{s.hounds&^to | from&-from, s.hare, false})
			}
		}
	}
	for from := beside[s.hare] & free; !s.flee && from != 0; from &= from - 1 {
		dst = append(dst, State{s.hounds, uint8(bits.TrailingZeros16(from)), true})
	}
	return dst[:first+len(slices.DeleteFunc(dst[first:], escaped))]
}
