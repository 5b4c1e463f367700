package pack

import (
	"errors"
	"slices"

	"github.com/klauspost/compress/huff0"

	"backsolve/bitslice"
	"backsolve/tablebase/format"
)

// In a packed table the digits of the steps, or of the nimbers, are packed as numbers: a
// frame has, instead of the words that it stands for, a byte for each state of them that
// is won, and then one for each that is lost, in the order of the states; and where there
// are more than eight digits, behind all of these a second byte of each. What is won has
// other numbers than what is lost, so each of these runs has a code of its own. Where no
// game is drawn, there is a byte for each state, and digit 0 is turned round in what is
// won, since parity and outcome nearly determine each other. The outcomes stand in frames
// of their own. docs/reference/format.md has what this saves.

const (
	// fewestNumbers is how many digits are packed as numbers. Of fewer, a byte for each
	// state would be much longer than their words.
	fewestNumbers = 4
	// mostNumbers is how many bytes the numbers take that a frame stands for, at most.
	mostNumbers = format.FrameSize / 8 / fewestNumbers * 64
	// groupDigits is how many digits have a byte.
	groupDigits = 8
	// numbersRoom is as much again, as one run may begin where the other ends, and what is
	// read and written behind them.
	numbersRoom = 2*mostNumbers + 64
	// drawn is how many planes of outcomes a game with draws has.
	drawn = 2
)

// errNumbers is why a frame of numbers is refused.
var errNumbers = errors.New("it has not as many numbers as there are decided states")

// digitWords is a run of the part that holds the digits: elements of eight bytes, from
// one on that may be of any column.
type digitWords struct {
	columns, planes int   // of the digits, and of the outcomes
	all             int64 // words that a column of the part has
	first, end      int64 // elements
}

// words returns the words of a column that the elements are of.
func (d digitWords) words() (first, end int64) {
	columns := int64(d.columns)
	return d.first / columns, (d.end + columns - 1) / columns
}

// outcomes returns which bytes of their part are the outcomes of the words.
func (d digitWords) outcomes() (from, to int64) {
	first, end := d.words()
	stride := int64(d.planes) * 8
	return first * stride, max(first, min(end, d.all)) * stride
}

// present returns which columns of a group of eight are in the run for a word, counted
// within the group.
func (d digitWords) present(word int64, group int) (from, to int) {
	begin := word*int64(d.columns) + int64(group*groupDigits)
	return int(max(0, d.first-begin)), int(min(d.end-begin, int64(d.columns-group*groupDigits), groupDigits))
}

// numberRoom is memory to pack or unpack a frame of numbers in.
type numberRoom struct {
	numbers  [numbersRoom]byte
	ends     []int           // of the runs with a code of their own
	outcomes []byte          // as in their part
	runs     [drawn][]uint64 // of which states the numbers are, word by word
	scratch  huff0.Scratch
	// The frame of outcomes that was unpacked last, and whose it is: several frames of
	// numbers in a row need the same one.
	frame [format.FrameSize]byte
	of    *Frames
	is    packedFrame
}

// takeOutcomes sets of which states the numbers are, from the outcomes: of those that are
// won and then of those that are lost, or where no game is drawn, of all. What is behind
// the last word of the part has no number.
func (n *numberRoom) takeOutcomes(d digitWords) {
	first, end := d.words()
	words := int(end - first)
	for i := range n.runs {
		n.runs[i] = slices.Grow(n.runs[i][:0], words)[:words]
		clear(n.runs[i])
	}
	for w := range len(n.outcomes) / 8 / d.planes {
		if d.planes != drawn {
			n.runs[0][w] = ^uint64(0)
			continue
		}
		for i := range n.runs {
			n.runs[i][w] = le.Uint64(n.outcomes[(w*drawn+i)*8:])
		}
	}
}

// turn turns digit 0 of the won states round, where no game is drawn.
func (n *numberRoom) turn(d digitWords, digits []byte) {
	if d.planes == drawn {
		return
	}
	first, _ := d.words()
	for w := range len(n.outcomes) / 8 {
		element := (first+int64(w))*int64(d.columns) - d.first
		if element < 0 || element >= d.end-d.first {
			continue
		}
		digit := digits[element*8:]
		le.PutUint64(digit, le.Uint64(digit)^le.Uint64(n.outcomes[w*8:]))
	}
}

// pack sets the numbers to those of the digits, as the outcomes say, and ends to where
// their runs end, and returns how many bytes they take.
func (n *numberRoom) pack(d digitWords, digits []byte) int {
	taken := 0
	n.takeOutcomes(d)
	n.turn(d, digits)
	defer n.turn(d, digits) // back
	n.ends = n.ends[:0]
	for group := range d.groups() {
		for _, those := range n.runs {
			d.eachRun(group, digits, func(run bitslice.Digits, from, to int) {
				taken += run.Pack(n.numbers[taken:], those[from:to])
			})
			n.ends = append(n.ends, taken)
		}
	}
	if taken == 0 {
		n.numbers[0], taken = 0, 1 // a seek table has no frames of nothing
		n.ends = append(n.ends, taken)
	}
	return taken
}

// unpack sets the digits to those that so many bytes of numbers and the outcomes say.
func (n *numberRoom) unpack(d digitWords, digits []byte, length int) error {
	taken := 0
	n.takeOutcomes(d)
	clear(digits)
	for group := range d.groups() {
		for _, those := range n.runs {
			d.eachRun(group, digits, func(run bitslice.Digits, from, to int) {
				taken += run.Unpack(n.numbers[taken:], those[from:to])
			})
		}
	}
	n.turn(d, digits)
	if length != max(taken, 1) || taken == 0 && n.numbers[0] != 0 {
		return errNumbers
	}
	return nil
}

// groups returns how many bytes a number has.
func (d digitWords) groups() int { return (d.columns + groupDigits - 1) / groupDigits }

// eachRun yields the digits of a group of eight: words of which all are there at once, and
// by itself, in a copy, a word of which they are not. They are those from one word to
// before another, counted from the first of the run.
func (d digitWords) eachRun(group int, digits []byte, yield func(run bitslice.Digits, from, to int)) {
	first, end := d.words()
	columns := min(d.columns-group*groupDigits, groupDigits)
	for word := first; word < end; {
		from, to := d.present(word, group)
		next := word + 1
		at := (word*int64(d.columns) + int64(group*groupDigits) - d.first) * 8
		switch {
		case from == 0 && to == columns:
			for ; next < end; next++ {
				if _, to := d.present(next, group); to != columns {
					break
				}
			}
			yield(bitslice.Digits{Bytes: digits[at:], Columns: columns, Stride: d.columns}, int(word-first), int(next-first))
		case from < to:
			var some [groupDigits * 8]byte
			present := digits[at+int64(8*from) : at+int64(8*to)]
			copy(some[8*from:], present)
			yield(bitslice.Digits{Bytes: some[:], Columns: groupDigits, Stride: groupDigits}, int(word-first), int(next-first))
			copy(present, some[8*from:])
		}
		word = next
	}
}
