package survey

import (
	"math/rand/v2"

	"backsolve/game/rank"
)

// randomMask is uniform over the masks of n bits of which set are 1 (Floyd's algorithm).
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

// nthMask counts the masks of n bits of which set are 1 in ascending order from 0.
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
