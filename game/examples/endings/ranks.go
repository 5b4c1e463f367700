package endings

import (
	"math/bits"
	"slices"
	"sync"

	"backsolve/game/custom"
	"backsolve/game/rank"
)

var sets = sync.OnceValue(func() *rank.Sets[uint64] {
	return rank.NewBoard(64, 1, custom.SquareMaps[uint64](8)).Sets(1, 1, 1)
})

// Units returns one.
func (Game) Units() int { return 1 }

// Size returns the number of ranks: two for each way to place the men.
func (Game) Size(int) uint64 { return 2 * sets().Size() }

// Stays returns true.
func (Game) Stays(int) bool { return true }

// Home returns the unit.
func (Game) Home(State) int { return 0 }

// Rank returns the rank of a state, and how many symmetries keep it.
func (Game) Rank(s State) (i uint64, syms int) {
	i, syms = sets().Rank(1<<s.men[white], 1<<s.men[piece], 1<<s.men[king])
	return 2*i + custom.Bit(s.black, 0), syms
}

// Unrank returns the state with a rank, and whether there is one.
func (g Game) Unrank(_ int, i uint64) (s State, ok bool) {
	var men [3]uint64
	ok = sets().Unrank(men[:], i/2)
	for man, at := range men {
		s.men[man] = uint8(bits.TrailingZeros64(at))
	}
	s.black = i%2 == 1
	return s, ok && g.legal(s)
}

// Unmoves takes moves back, as men go back the way they came. Where Black could have taken the
// piece, the game was over.
func (g Game) Unmoves(dst []State, s State) []State {
	first := len(dst)
	dst = g.steps(dst, s, !s.black)
	return dst[:first+len(slices.DeleteFunc(dst[first:], State.takes))]
}
