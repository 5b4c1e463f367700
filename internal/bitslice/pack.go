package bitslice

import (
	"encoding/binary"
	"math/bits"
)

// packRoom is how many bytes of room packed numbers need beyond their own.
const packRoom = 8 * rowWords

// Digits has numbers of at most eight binary digits as in a file: digit l of the 64 states
// of word w, 0 ≤ l < Columns ≤ 8, is in the eight bytes from (w·Stride + l)·8 on, lowest
// first.
type Digits struct {
	Bytes           []byte
	Columns, Stride int
}

// Pack writes the number of each state whose bit is set to dst, one byte each, in the order
// of words and bits. It returns the number of bytes. dst must have 64 bytes for each word
// and 64 more; those after the numbers are undefined.
func (d Digits) Pack(dst []byte, those []uint64) (n int) {
	if len(those) == 0 {
		return 0
	}
	d.check(dst, len(those))
	if vectors() {
		return packVector(dst, d, those)
	}
	return d.packWords(dst, those)
}

func (d Digits) packWords(dst []byte, those []uint64) (n int) {
	for w, states := range those {
		if states == 0 {
			continue
		}
		var v [8]uint64
		for l := range d.Columns {
			v[l] = binary.LittleEndian.Uint64(d.Bytes[(w*d.Stride+l)*8:])
		}
		transposeBytes(&v)
		for i, x := range v {
			n += putBytes((*[8]byte)(dst[n:]), transposeBits(x), byte(states>>(8*i)))
		}
	}
	return n
}

// Unpack is the inverse of Pack for digits that are zero. It returns how many bytes of src it
// used. src must have 64 bytes for each word and 64 more, of any value.
func (d Digits) Unpack(src []byte, those []uint64) (n int) {
	if len(those) == 0 {
		return 0
	}
	d.check(src, len(those))
	if vectors() {
		return unpackVector(d, src, those)
	}
	return d.unpackWords(src, those)
}

func (d Digits) unpackWords(src []byte, those []uint64) (n int) {
	for w, states := range those {
		if states == 0 {
			continue
		}
		var v [8]uint64
		for i := range v {
			x, taken := takeBytes((*[8]byte)(src[n:]), byte(states>>(8*i)))
			v[i] = transposeBits(x)
			n += taken
		}
		transposeBytes(&v)
		for l := range d.Columns {
			at := d.Bytes[(w*d.Stride+l)*8:]
			binary.LittleEndian.PutUint64(at, binary.LittleEndian.Uint64(at)|v[l])
		}
	}
	return n
}

// check panics if there is no room for that many words or their numbers: the kernels check no bounds.
func (d Digits) check(numbers []byte, words int) {
	_, _ = numbers[words*64+packRoom-1], d.Bytes[((words-1)*d.Stride+d.Columns)*8-1]
}

// putBytes writes the bytes of x whose bits are set one after another, and returns their
// number. The bytes after them are undefined.
func putBytes(to *[8]byte, x uint64, which byte) (n int) {
	if which == 0xff {
		binary.LittleEndian.PutUint64(to[:], x)
		return 8
	}
	for i := range 8 {
		to[n&7] = byte(x >> (8 * i))
		n += int(which >> i & 1)
	}
	return n
}

// takeBytes is the inverse of putBytes: the bytes whose bits are not set are zero.
func takeBytes(from *[8]byte, which byte) (x uint64, n int) {
	if which == 0xff {
		return binary.LittleEndian.Uint64(from[:]), 8
	}
	for i := range 8 {
		is := uint64(which >> i & 1)
		x |= uint64(from[n&7]) & -is << (8 * i)
		n += int(is)
	}
	return x, bits.OnesCount8(which)
}

// transposeBytes makes byte i of word j byte j of word i.
func transposeBytes(v *[8]uint64) {
	for i := range 4 {
		v[i], v[i+4] = exchangeBits(v[i], v[i+4], 32, 0x00000000ffffffff)
	}
	for _, i := range [4]int{0, 1, 4, 5} {
		v[i], v[i+2] = exchangeBits(v[i], v[i+2], 16, 0x0000ffff0000ffff)
	}
	for _, i := range [4]int{0, 2, 4, 6} {
		v[i], v[i+1] = exchangeBits(v[i], v[i+1], 8, 0x00ff00ff00ff00ff)
	}
}

// exchangeBits exchanges the bits of b that the mask has with those of a that lie shift above them.
func exchangeBits(a, b uint64, shift int, mask uint64) (uint64, uint64) {
	t := (a>>shift ^ b) & mask
	return a ^ t<<shift, b ^ t
}

// transposeBits makes bit i of byte j bit j of byte i (Warren, Hacker's Delight, section 7–3).
func transposeBits(x uint64) uint64 {
	t := (x ^ x>>7) & 0x00aa00aa00aa00aa
	x ^= t ^ t<<7
	t = (x ^ x>>14) & 0x0000cccc0000cccc
	x ^= t ^ t<<14
	t = (x ^ x>>28) & 0x00000000f0f0f0f0
	return x ^ t ^ t<<28
}
