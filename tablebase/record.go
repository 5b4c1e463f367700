package tablebase

import (
	"fmt"
	"math"
)

const (
	maxDigits    = 16 // of the steps
	maxIndexBits = 40
	maxClass     = 64
	// maxWords bounds the words of a plane, so that no length or offset
	// computed from it overflows 64 bits.
	maxWords = 1 << 50

	recordHead   = 48
	tallySize    = 5 * 8
	stepSize     = 2 * 8
	checksumSize = 4
)

// The parts of a class, in file order.
const (
	outcomes = iota
	steps
	masks
	partCount
)

var partNames = [partCount]string{"outcomes", "steps", "masks"}

// partNames names the parts of a class for messages.
func (s Shape) partNames() [partCount]string {
	names := partNames
	if s.Nimbers {
		names[steps] = "nimbers"
	}
	return names
}

// record is all that the footer, and before it the manifest, says of a class.
type record struct {
	ClassInfo
	names [partCount]string
	parts [partCount]part
	sums  [partCount]sums
}

// newRecord lays a class out at offset, a multiple of the page size; the
// checksums are still missing.
func newRecord(s Shape, class, indexBits int, blocks int64, digits int, offset int64) (*record, error) {
	switch {
	case class < 0 || class > maxClass:
		return nil, fmt.Errorf("class %d is not between 0 and %d", class, maxClass)
	case indexBits < 0 || indexBits > maxIndexBits:
		return nil, fmt.Errorf("class %d has %d index bits, not 0 to %d", class, indexBits, maxIndexBits)
	case blocks < 1 || blocks > maxWords>>max(0, indexBits-6):
		return nil, fmt.Errorf("class %d has %d blocks, not 1 to %d", class, blocks, int64(maxWords)>>max(0, indexBits-6))
	case digits < 0 || digits > maxDigits || digits > 0 && !s.numbered():
		return nil, fmt.Errorf("class %d has %d digits in a table %v", class, digits, s)
	}
	r := &record{ClassInfo: ClassInfo{Class: class, IndexBits: indexBits, Blocks: int(blocks), Digits: digits}, names: s.partNames()}
	words := blocks << max(0, indexBits-6)
	for i, p := range []part{{columns: s.Planes, words: words}, {columns: digits, words: words, steps: true}, {columns: 1, words: blocks}} {
		p.offset = offset
		if p.padded() > math.MaxInt-offset {
			return nil, fmt.Errorf("class %d makes the file longer than this system can address", class)
		}
		offset += p.padded()
		r.parts[i] = p
	}
	return r, nil
}

// end is where the class ends in the file and the next one begins.
func (r *record) end() int64 {
	last := r.parts[partCount-1]
	return last.offset + last.padded()
}

// append encodes the record.
func (r *record) append(b []byte) []byte {
	for _, v := range []int{r.Class, r.IndexBits, r.Digits, len(r.Counts.BySteps)} {
		b = le.AppendUint32(b, uint32(v))
	}
	b = le.AppendUint64(b, uint64(r.Blocks))
	for _, p := range r.parts {
		b = le.AppendUint64(b, uint64(p.offset))
	}
	for _, t := range r.Counts.ByWeight {
		for _, v := range []uint64{t.Wins, t.Losses, t.Draws, t.TerminalWins, t.TerminalLosses} {
			b = le.AppendUint64(b, v)
		}
	}
	for _, t := range r.Counts.BySteps {
		b = le.AppendUint64(b, t.Wins)
		b = le.AppendUint64(b, t.Losses)
	}
	for _, sums := range r.sums {
		for _, c := range sums.held {
			b = le.AppendUint32(b, c)
		}
	}
	return b
}

// checkRows says whether a class with that many digits of steps can have a
// histogram of that many rows.
func checkRows(s Shape, digits, rows int) error {
	if most := 1 << digits; rows < 0 || rows > most || rows > 0 && !s.numbered() {
		return fmt.Errorf("%d numbers are counted, but %d digits are stored in a table %v", rows, digits, s)
	}
	return nil
}
