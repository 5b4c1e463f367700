package tablebase

import (
	"errors"
	"math/bits"
)

// In a packed table the digits of the steps, or of the nimbers, are packed as numbers: a
// frame has, instead of the words that it stands for, one byte for each state in them that is decided,
// in the order of the states; and where there are more than eight digits, behind all of
// these a second byte of each. Bit 0 of the first byte is turned round where the state is won, since parity
// and outcome nearly determine each other. The outcomes, which tell what is decided,
// stand in frames of their own. docs/format.md has what it saves.

const (
	// fewestNumbers is how many digits are packed as numbers. Of fewer a byte for each
	// state would be longer by far than their words.
	fewestNumbers = 4
	// mostNumbers is how many bytes numbers take at most that stand for a frame.
	mostNumbers = frameSize / 8 / fewestNumbers * 64
)

// digitWords is a run of the part that holds the digits: elements of eight bytes, from
// one on that may be of any lane.
type digitWords struct {
	lanes, planes int   // of the digits, and of the outcomes
	all           int64 // words that a lane of the part has
	first, end    int64 // elements
}

// words returns the words of a lane that the elements are of.
func (d digitWords) words() (first, end int64) {
	lanes := int64(d.lanes)
	return d.first / lanes, (d.end + lanes - 1) / lanes
}

// present returns which lanes of a group of eight are in the run for a word, counted
// within the group.
func (d digitWords) present(word int64, group int) (from, to int) {
	begin := word*int64(d.lanes) + int64(8*group)
	from = int(max(0, d.first-begin))
	to = int(min(8, int64(d.lanes-8*group), d.end-begin))
	return from, to
}

// decided returns which states of a word are won, and which have a number. What is behind
// the last word of the part has none.
func (d digitWords) decided(outcomes []byte, word int) (win, decided uint64) {
	at := word * d.planes * 8
	if at >= len(outcomes) {
		return 0, 0
	}
	win = le.Uint64(outcomes[at:])
	if d.planes == 1 {
		return win, ^uint64(0)
	}
	return win, win | le.Uint64(outcomes[at+8:])
}

// outcomes returns which bytes of their part are the outcomes of the words.
func (d digitWords) outcomes() (from, to int64) {
	first, end := d.words()
	stride := int64(d.planes) * 8
	return first * stride, max(first, min(end, d.all)) * stride
}

// pack writes the numbers of the digits to numbers, of mostNumbers+8 bytes, and returns how many bytes
// they take. outcomes are those of the words of the run, as in their part.
func (d digitWords) pack(numbers, digits, outcomes []byte) int {
	first, end := d.words()
	n := 0
	for group := 0; 8*group < d.lanes; group++ {
		for word := first; word < end; word++ {
			from, to := d.present(word, group)
			win, decided := d.decided(outcomes, int(word-first))
			if from >= to || decided == 0 {
				continue
			}
			var v [8]uint64
			at := int(word*int64(d.lanes)+int64(8*group)-d.first) * 8
			for l := from; l < to; l++ {
				v[l] = le.Uint64(digits[at+8*l:])
			}
			if group == 0 && from == 0 {
				v[0] ^= win
			}
			transposeBytes(&v)
			for i, x := range v {
				n += putDecided((*[8]byte)(numbers[n:]), transposeBits(x), byte(decided>>(8*i)))
			}
		}
	}
	if n == 0 {
		numbers[0], n = 0, 1 // the seek table has no frames of nothing
	}
	return n
}

// errNumbers is why a frame of numbers is refused.
var errNumbers = errors.New("it has not as many numbers as there are decided states")

// unpack is the inverse of pack. numbers has n bytes, and behind them room up to
// mostNumbers+8.
func (d digitWords) unpack(digits, outcomes, numbers []byte, n int) error {
	first, end := d.words()
	taken := 0
	for group := 0; 8*group < d.lanes; group++ {
		for word := first; word < end; word++ {
			from, to := d.present(word, group)
			if from >= to {
				continue
			}
			var v [8]uint64
			win, decided := d.decided(outcomes, int(word-first))
			if decided != 0 {
				for i := range v {
					x, of := takeDecided((*[8]byte)(numbers[taken:]), byte(decided>>(8*i)))
					v[i] = transposeBits(x)
					taken += of
				}
				transposeBytes(&v)
				if group == 0 && from == 0 {
					v[0] ^= win
				}
			}
			at := int(word*int64(d.lanes)+int64(8*group)-d.first) * 8
			for l := from; l < to; l++ {
				le.PutUint64(digits[at+8*l:], v[l])
			}
		}
	}
	if taken != n && (taken != 0 || n != 1 || numbers[0] != 0) {
		return errNumbers
	}
	return nil
}

// putDecided puts those bytes of x one behind the other whose bits are set, and returns
// how many they are. Those behind them are anything.
func putDecided(to *[8]byte, x uint64, decided byte) (n int) {
	if decided == 0xff {
		le.PutUint64(to[:], x)
		return 8
	}
	for i := range 8 {
		to[n&7] = byte(x >> (8 * i))
		n += int(decided >> i & 1)
	}
	return n
}

// takeDecided is the inverse of putDecided: the bytes whose bits are not set are zero.
func takeDecided(from *[8]byte, decided byte) (x uint64, n int) {
	if decided == 0xff {
		return le.Uint64(from[:]), 8
	}
	for i := range 8 {
		is := uint64(decided >> i & 1)
		x |= uint64(from[n&7]) & -is << (8 * i)
		n += int(is)
	}
	return x, bits.OnesCount8(decided)
}

// transposeBytes makes byte i of word j byte j of word i.
func transposeBytes(v *[8]uint64) {
	for i := range 4 {
		v[i], v[i+4] = exchange(v[i], v[i+4], 32, 0x00000000ffffffff)
	}
	for _, i := range [4]int{0, 1, 4, 5} {
		v[i], v[i+2] = exchange(v[i], v[i+2], 16, 0x0000ffff0000ffff)
	}
	for _, i := range [4]int{0, 2, 4, 6} {
		v[i], v[i+1] = exchange(v[i], v[i+1], 8, 0x00ff00ff00ff00ff)
	}
}

// exchange exchanges the upper bits of one word, shifted, with the lower ones of
// another, which the mask has.
func exchange(a, b uint64, shift int, mask uint64) (uint64, uint64) {
	t := (a>>shift ^ b) & mask
	return a ^ t<<shift, b ^ t
}

// transposeBits makes bit i of byte j bit j of byte i. Henry S. Warren, Hacker's Delight,
// section 7–3.
func transposeBits(x uint64) uint64 {
	t := (x ^ x>>7) & 0x00aa00aa00aa00aa
	x ^= t ^ t<<7
	t = (x ^ x>>14) & 0x0000cccc0000cccc
	x ^= t ^ t<<14
	t = (x ^ x>>28) & 0x00000000f0f0f0f0
	return x ^ t ^ t<<28
}
