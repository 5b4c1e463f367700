package zero

import "backsolve/internal/search"

// HeldOut reports whether a state is one of a share of all states that a training with a
// seed holds out: a hash decides, so that it is known of each state by itself.
func HeldOut(share float64, seed uint64, s State) bool {
	h := search.Mix(search.Mix(search.Mix(seed)+s[0]) + s[1])
	if s[2] != 0 {
		h = search.Mix(h + s[2])
	}
	return float64(h>>11) < share*(1<<53)
}
