package zero

// HeldOut reports whether a state is one of a share of all states that a training with a
// seed holds out: a hash decides, so that it is known of each state by itself.
func HeldOut(share float64, seed uint64, s State) bool {
	h := mixed(mixed(mixed(seed)+s[0]) + s[1])
	if s[2] != 0 {
		h = mixed(h + s[2])
	}
	return float64(h>>11) < share*(1<<53)
}

// mixed turns numbers that are near each other into ones that are not (SplitMix64).
func mixed(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
