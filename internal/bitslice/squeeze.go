package bitslice

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
)

// Squeeze appends words to dst without their zero bytes: first a mask for each word, whose
// bit i says that byte i of the word, lowest first, is not zero; then these bytes.
func Squeeze(dst []byte, words []uint64) []byte {
	at, n := len(dst), len(words)
	// The kernels write whole rows, and each over the excess of the one before.
	dst = slices.Grow(dst, 9*n+8*rowWords)
	masks, body := dst[at:at+n], dst[at+n:cap(dst)]
	done, used := 0, 0
	if vectors() {
		done, used = squeezeVector(body, masks, words)
	}
	for i, x := range words[done:] {
		mask := uint8(0)
		for b := range 8 {
			if y := uint8(x >> (8 * b)); y != 0 {
				mask |= 1 << b
				body[used] = y
				used++
			}
		}
		masks[done+i] = mask
	}
	return dst[:at+n+used]
}

// ErrSqueezed says that bytes were not squeezed from that many words.
var ErrSqueezed = errors.New("squeezed words of another number")

// Expand is the inverse of Squeeze. It is fast if src has a spare capacity of 64 bytes.
func Expand(words []uint64, src []byte) error {
	n := len(words)
	if len(src) < n {
		return ErrSqueezed
	}
	masks, body := src[:n], src[n:]
	if countBytes(masks) != len(body) {
		return ErrSqueezed
	}
	done := 0
	// The kernels read beyond the last bytes, but do not use what they read there.
	if vectors() && cap(body) >= 8*rowWords {
		used := 0
		done, used = expandVector(words, masks, body[:cap(body)])
		body = body[used:]
	}
	for i, m := range masks[done:] {
		x := uint64(0)
		for ; m != 0; m &= m - 1 {
			x |= uint64(body[0]) << (8 * bits.TrailingZeros8(m))
			body = body[1:]
		}
		words[done+i] = x
	}
	return nil
}

func countBytes(masks []byte) (bytes int) {
	for ; len(masks) >= 8; masks = masks[8:] {
		bytes += bits.OnesCount64(binary.LittleEndian.Uint64(masks))
	}
	for _, m := range masks {
		bytes += bits.OnesCount8(m)
	}
	return bytes
}
