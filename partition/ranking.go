package partition

import (
	"math/bits"
	"sync"
)

// ranking has the rank of each mask of up to 32 bits among those with as many one-bits, in ascending
// order: what a byte adds to it, by the byte's place, the one-bits below it, and its value.
type ranking [4][25][256]uint32

// ranks returns the ranking. The i-th one-bit, at b, has passed over all ways to put i one-bits below b.
var ranks = sync.OnceValue(func() *ranking {
	var choose [33][33]uint32 // places, one-bits
	for n := range choose {
		choose[n][0] = 1
		for k := 1; k <= n; k++ {
			choose[n][k] = choose[n-1][k-1] + choose[n-1][k]
		}
	}
	r := new(ranking)
	for place := range r {
		for below := range 8*place + 1 {
			for value := range uint(256) {
				ones := below
				for rest := value; rest != 0; rest &= rest - 1 {
					ones++
					r[place][below][value] += choose[8*place+bits.TrailingZeros(rest)][ones]
				}
			}
		}
	}
	return r
})

func (r *ranking) rankOf(mask uint32) (rank uint32) {
	below := 0
	for place := range r {
		value := uint8(mask >> (8 * place))
		rank += r[place][below][value]
		below += bits.OnesCount8(value)
	}
	return rank
}
