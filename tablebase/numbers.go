package tablebase

import (
	"errors"
	"slices"

	"backsolve/bitslice"
)

// In a packed table the digits of the steps, or of the nimbers, are packed as numbers: a
// frame has, instead of the words that it stands for, a byte for each state of them that
// is decided, in the order of the states; and where there are more than eight digits,
// behind all of these a second byte of each. Bit 0 of the first byte is turned round where
// the state is won, since the outcome and the parity nearly determine each other. The
// outcomes, which tell what is decided, stand in frames of their own. docs/format.md has
// what this saves.

const (
	// fewestNumbers is how many digits are packed as numbers. Of fewer, a byte for each
	// state would be much longer than their words.
	fewestNumbers = 4
	// mostNumbers is how many bytes the numbers take that a frame stands for, at most.
	mostNumbers = frameSize / 8 / fewestNumbers * 64
	// groupDigits is how many digits have a byte.
	groupDigits = 8
	// numbersAhead is how much more room there is than numbers take.
	numbersAhead = 64
)

// errNumbers is why a frame of numbers is refused.
var errNumbers = errors.New("it has not as many numbers as there are decided states")

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

// outcomes returns which bytes of their part are the outcomes of the words.
func (d digitWords) outcomes() (from, to int64) {
	first, end := d.words()
	stride := int64(d.planes) * 8
	return first * stride, max(first, min(end, d.all)) * stride
}

// present returns which lanes of a group of eight are in the run for a word, counted
// within the group.
func (d digitWords) present(word int64, group int) (from, to int) {
	begin := word*int64(d.lanes) + int64(group*groupDigits)
	return int(max(0, d.first-begin)), int(min(d.end-begin, int64(d.lanes-group*groupDigits), groupDigits))
}

// numberRoom is memory to pack or unpack a frame of numbers in.
type numberRoom struct {
	numbers      [mostNumbers + numbersAhead]byte
	outcomes     []byte   // as in their part
	decided, win []uint64 // of each word of the frame
	none         []uint64 // as many zeros
	// The frame of outcomes that was unpacked last, and whose it is: several frames of
	// numbers in a row need the same one.
	frame [frameSize]byte
	of    *frames
	is    packedFrame
}

// takeOutcomes sets what is known of the states of the run from the outcomes. What is
// behind the last word of the part has no number.
func (n *numberRoom) takeOutcomes(d digitWords) {
	first, end := d.words()
	words := int(end - first)
	n.decided = slices.Grow(n.decided[:0], words)[:words]
	n.win = slices.Grow(n.win[:0], words)[:words]
	if len(n.none) < words {
		n.none = make([]uint64, words)
	}
	clear(n.decided)
	clear(n.win)
	for w := range len(n.outcomes) / 8 / d.planes {
		n.win[w] = le.Uint64(n.outcomes[w*d.planes*8:])
		n.decided[w] = ^uint64(0)
		if d.planes == 2 {
			n.decided[w] = n.win[w] | le.Uint64(n.outcomes[w*16+8:])
		}
	}
}

// pack sets the numbers to those of the digits, as the outcomes say, and returns how many
// bytes they take.
func (n *numberRoom) pack(d digitWords, digits []byte) int {
	taken := 0
	n.takeOutcomes(d)
	d.eachRun(digits, func(run bitslice.Digits, from, to int, flipped bool) {
		taken += run.Pack(n.numbers[taken:], n.decided[from:to], n.flip(from, to, flipped))
	})
	if taken == 0 {
		n.numbers[0], taken = 0, 1 // a seek table has no frames of nothing
	}
	return taken
}

// unpack sets the digits to those that so many bytes of numbers and the outcomes say.
func (n *numberRoom) unpack(d digitWords, digits []byte, length int) error {
	taken := 0
	n.takeOutcomes(d)
	d.eachRun(digits, func(run bitslice.Digits, from, to int, flipped bool) {
		taken += run.Unpack(n.numbers[taken:], n.decided[from:to], n.flip(from, to, flipped))
	})
	if length != max(taken, 1) || taken == 0 && n.numbers[0] != 0 {
		return errNumbers
	}
	return nil
}

// flip returns in which states of the words bit 0 of the number is turned round.
func (n *numberRoom) flip(from, to int, flipped bool) []uint64 {
	if flipped {
		return n.win[from:to]
	}
	return n.none[from:to]
}

// eachRun yields the digits by groups of eight, and of each group runs of words of which all are
// there, and single words, in a copy, of which they are not: from one word to before another, counted from the first
// of the run; and whether digit 0 is among them.
func (d digitWords) eachRun(digits []byte, yield func(run bitslice.Digits, from, to int, flipped bool)) {
	first, end := d.words()
	for group := 0; group*groupDigits < d.lanes; group++ {
		lanes := min(d.lanes-group*groupDigits, groupDigits)
		for word := first; word < end; {
			from, to := d.present(word, group)
			next := word + 1
			at := (word*int64(d.lanes) + int64(group*groupDigits) - d.first) * 8
			switch {
			case from == 0 && to == lanes:
				for ; next < end; next++ {
					if _, to := d.present(next, group); to != lanes {
						break
					}
				}
				yield(bitslice.Digits{Bytes: digits[at:], Lanes: lanes, Stride: d.lanes}, int(word-first), int(next-first), group == 0)
			case from < to:
				var some [groupDigits * 8]byte
				present := digits[at+int64(8*from) : at+int64(8*to)]
				copy(some[8*from:], present)
				yield(bitslice.Digits{Bytes: some[:], Lanes: groupDigits, Stride: groupDigits}, int(word-first), int(next-first), group == 0 && from == 0)
				copy(present, some[8*from:])
			}
			word = next
		}
	}
}
