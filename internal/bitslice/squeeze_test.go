package bitslice

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// squeezeNaive is what Squeeze says, byte by byte.
func squeezeNaive(words []uint64) (squeezed []byte) {
	plain, body := make([]byte, 8), []byte(nil)
	for _, x := range words {
		binary.LittleEndian.PutUint64(plain, x)
		mask := byte(0)
		for i, b := range plain {
			if b != 0 {
				mask |= 1 << i
				body = append(body, b)
			}
		}
		squeezed = append(squeezed, mask)
	}
	return append(squeezed, body...)
}

// drawWords draws words of which some bytes are zero.
func drawWords(t *rapid.T) []uint64 {
	word := rapid.Custom(func(t *rapid.T) uint64 {
		x := rapid.Uint64().Draw(t, "word")
		for i := range 8 {
			if rapid.Bool().Draw(t, "zero") {
				x &^= 0xff << (8 * i)
			}
		}
		return x
	})
	return rapid.SliceOfN(word, 0, 100).Draw(t, "words")
}

// TestSqueezedWordsExpand compares Squeeze, which appends, with its slow twin, and reverses it.
func TestSqueezedWordsExpand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := drawWords(t)
		before := rapid.SliceOfN(rapid.Byte(), 0, 9).Draw(t, "before")
		squeezed := Squeeze(slices.Clone(before), words)
		if want := append(slices.Clone(before), squeezeNaive(words)...); !bytes.Equal(squeezed, want) {
			t.Fatalf("Squeeze(%x) = %x, want %x", words, squeezed, want)
		}
		expanded := make([]uint64, len(words))
		if err := Expand(expanded, squeezed[len(before):]); err != nil || !slices.Equal(expanded, words) {
			t.Fatalf("Expand = %x, %v; want %x", expanded, err, words)
		}
	})
}

// TestExpandRefuses expands bytes that were cut short, lengthened or altered: they are
// refused unless the masks have as many bits as there are bytes.
func TestExpandRefuses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := drawWords(t)
		src := Squeeze(nil, words)
		switch {
		case rapid.Bool().Draw(t, "cut") && len(src) > 0:
			src = src[:rapid.IntRange(0, len(src)-1).Draw(t, "length")]
		case len(src) > 0 && rapid.Bool().Draw(t, "altered"):
			src[rapid.IntRange(0, len(src)-1).Draw(t, "at")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		default:
			src = append(src, 1)
		}
		masked := 0
		for _, m := range src[:min(len(words), len(src))] {
			masked += bits.OnesCount8(m)
		}
		err := Expand(make([]uint64, len(words)), src)
		if fits := len(src) == len(words)+masked; fits != (err == nil) || err != nil && !errors.Is(err, ErrSqueezed) {
			t.Fatalf("%d bytes for %d words whose masks have %d bits: %v", len(src), len(words), masked, err)
		}
	})
}

// BenchmarkSqueeze squeezes and expands planes in which an eighth of the bits is set, and
// hardly any.
func BenchmarkSqueeze(b *testing.B) {
	for name, density := range map[string]int{"dense": 1, "sparse": 3} {
		words := randomSlice(1, 17, density)
		squeezed := Squeeze(nil, words)
		b.Run(name+"/squeeze", func(b *testing.B) {
			for b.Loop() {
				squeezed = Squeeze(squeezed[:0], words)
			}
			perWord(b, len(words))
		})
		b.Run(name+"/expand", func(b *testing.B) {
			for b.Loop() {
				if err := Expand(words, squeezed); err != nil {
					b.Fatal(err)
				}
			}
			perWord(b, len(words))
		})
	}
}
