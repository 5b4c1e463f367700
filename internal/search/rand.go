package search

import "math/bits"

// Rand is a generator without an interface call for playouts: Weyl's sequence, each term hashed by a long
// multiplication. It is not safe for concurrent use.
type Rand struct{ state uint64 }

// NewRand returns the generator of a seed.
func NewRand(seed uint64) Rand { return Rand{seed} }

// Uint64 returns 64 random bits.
func (r *Rand) Uint64() uint64 {
	r.state += 0xa0761d6478bd642f // odd, so that the sequence has all numbers
	hi, lo := bits.Mul64(r.state, r.state^0xe7037ed1a0b428db)
	return hi ^ lo
}

// Below returns a number from 0 to n−1, n > 0, uniform to within n/2⁶⁴.
func (r *Rand) Below(n int) int {
	hi, _ := bits.Mul64(r.Uint64(), uint64(n))
	return int(hi)
}

// Mix scrambles the bits of a number (SplitMix64).
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
