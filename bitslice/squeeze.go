package bitslice

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
)

// Squeeze appends words to dst without those of their bytes that are zero: first, for
// each word, a byte whose bit i says that byte i of the word, the lowest first, is not
// zero; then these bytes.
func Squeeze(dst []byte, words []uint64) []byte {
	at, n := len(dst), len(words)
	// A row is written as a whole, and the next over what is too much of it.
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

// ErrSqueezed is the error where what is to be expanded was not squeezed from so many
// words.
var ErrSqueezed = errors.New("squeezed words of another number")

// Expand sets words to what was squeezed into src. It is fast where src has room for 64
// bytes more.
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
	// What lies behind is read with the last bytes, and not used.
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

// countBytes returns how many bytes the masks ask for.
func countBytes(masks []byte) (bytes int) {
	for ; len(masks) >= 8; masks = masks[8:] {
		bytes += bits.OnesCount64(binary.LittleEndian.Uint64(masks))
	}
	for _, m := range masks {
		bytes += bits.OnesCount8(m)
	}
	return bytes
}
