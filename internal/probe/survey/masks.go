package survey

import (
	"math/rand/v2"

	"backsolve/game/rank"
)

// randomMask is uniform over the masks of n bits, set of them ones (Floyd's algorithm).
func randomMask(n, set int, r *rand.Rand) (mask uint64) {
	for i := n - set; i < n; i++ {
		bit := uint64(1) << uint(r.IntN(i+1))
		if mask&bit != 0 {
			bit = 1 << uint(i)
		}
		mask |= bit
	}
	return mask
}

// nthMask returns the mask with a number, from 0 in ascending order, of those of n bits with set ones.
func nthMask(n, set int, number uint64) (mask uint64) {
	for bit := n - 1; set > 0; bit-- {
		if below := rank.Choose(bit, set); number >= below {
			mask |= 1 << uint(bit)
			number -= below
			set--
		}
	}
	return mask
}
