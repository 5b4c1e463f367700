package survey

import "math/rand/v2"

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

func choose(n, set int) uint64 {
	c := uint64(1)
	for i := range set {
		c = c * uint64(n-i) / uint64(i+1)
	}
	return c
}

// nthMask counts the masks of n bits of which set are 1 in ascending order from 0.
func nthMask(n, set int, number uint64) (mask uint64) {
	for bit := n - 1; set > 0; bit-- {
		if below := choose(bit, set); number >= below {
			mask |= 1 << uint(bit)
			number -= below
			set--
		}
	}
	return mask
}
