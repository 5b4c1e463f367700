package bitslice

import (
	"testing"

	"pgregory.net/rapid"
)

// TestNonZero compares the mask of a group with a loop over its words.
func TestNonZero(t *testing.T) {
	word := rapid.OneOf(rapid.Just(uint64(0)), rapid.Uint64(), rapid.Custom(func(t *rapid.T) uint64 {
		return 1 << rapid.IntRange(0, 63).Draw(t, "bit")
	}))
	rapid.Check(t, func(t *rapid.T) {
		length := rapid.OneOf(rapid.Just(1<<GroupBits), rapid.IntRange(0, 1<<GroupBits)).Draw(t, "length")
		words := rapid.SliceOfN(word, length, length).Draw(t, "words")
		mask := NonZero(words)
		for i := range 64 {
			if got, want := mask>>i&1 == 1, i < len(words) && words[i] != 0; got != want {
				t.Fatalf("NonZero(%x) = %#x: bit %d is %v", words, mask, i, got)
			}
		}
	})
}
