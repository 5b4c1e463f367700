package bitslice

import "testing"

func TestInterleaveIsStateByState(t *testing.T) {
	for k := 1; k < 12; k++ {
		clear, set := randomSlice(uint64(k), k-1, 0), randomSlice(uint64(k)+99, k-1, 1)
		for bit := range k {
			got := make([]uint64, Words(k))
			Interleave(got, clear, set, bit, k)
			for i := range 1 << uint(k) {
				low := 1<<uint(bit) - 1
				j, half := i&low|i>>1&^low, clear
				if i>>uint(bit)&1 == 1 {
					half = set
				}
				if want := half[j>>6] >> uint(j&63) & 1; got[i>>6]>>uint(i&63)&1 != want {
					t.Fatalf("k = %d, bit %d: state %d is %d", k, bit, i, 1-want)
				}
			}
			for _, w := range got {
				if w&^Valid(k) != 0 {
					t.Fatalf("k = %d, bit %d: states beyond the slice", k, bit)
				}
			}
		}
	}
}
