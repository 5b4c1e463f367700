package partition

// BlockCounts returns the number of blocks of each class, 0..MaskBits, without
// listing them: by Burnside's lemma it is the mean, over the symmetries, of the
// number of masks of that weight that a symmetry leaves as they are.
func BlockCounts(s *Space) []int64 {
	bits := s.MaskBits
	sum := make([]int64, bits+1)
	for _, p := range s.Symmetries.perms {
		// A fixed mask takes each cycle of the permutation whole or not at all:
		// the counts are the coefficients of the product of 1 + x^length.
		fixed := make([]int64, bits+1)
		fixed[0] = 1
		var seen uint64
		for c := range p {
			length := 0
			for at := uint8(c); seen>>at&1 == 0; at = p[at] {
				seen |= 1 << at
				length++
			}
			if length == 0 {
				continue
			}
			for w := bits; w >= length; w-- {
				fixed[w] += fixed[w-length]
			}
		}
		for w, n := range fixed {
			sum[w] += n
		}
	}
	for w := range sum {
		sum[w] /= int64(s.Symmetries.Len())
	}
	return sum
}
