package format

// Sums are the checksums of a part's chunks.
type Sums []uint32

// Check compares a chunk's checksum; the error is a *BadChunk.
func (s Sums) Check(chunk int, sum uint32) error {
	if sum != s[chunk] {
		return &BadChunk{chunk}
	}
	return nil
}
