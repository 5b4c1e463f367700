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
	// computed from it overflows.
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

// record is all that the footer, and before it the manifest, says of a class.
type record struct {
	ClassInfo
	parts [partCount]part
	sums  [partCount][]uint32 // checksums of the parts' chunks
}

// newRecord lays a class out at offset, a multiple of the page size; the
// checksums are still missing.
func newRecord(s Shape, class, indexBits, blocks, digits int, offset int64) (*record, error) {
	switch {
	case class < 0 || class > maxClass:
		return nil, fmt.Errorf("class %d is not between 0 and %d", class, maxClass)
	case indexBits < 0 || indexBits > maxIndexBits:
		return nil, fmt.Errorf("class %d has %d index bits, not 0 to %d", class, indexBits, maxIndexBits)
	case blocks < 1 || blocks > maxWords>>max(0, indexBits-6):
		return nil, fmt.Errorf("class %d has %d blocks, not 1 to %d", class, blocks, maxWords>>max(0, indexBits-6))
	case digits < 0 || digits > maxDigits || digits > 0 && !s.Steps:
		return nil, fmt.Errorf("class %d has %d digits of steps in a table %v", class, digits, s)
	}
	r := &record{ClassInfo: ClassInfo{Class: class, IndexBits: indexBits, Blocks: blocks, Digits: digits}}
	words := int64(blocks) * int64(r.Words())
	for i, p := range []part{{lanes: s.Planes, words: words}, {lanes: digits, words: words}, {lanes: 1, words: int64(blocks)}} {
		p.offset = offset
		if p.padded() > math.MaxInt64/2-offset {
			return nil, fmt.Errorf("class %d makes the file longer than a file can be", class)
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
		for _, c := range sums {
			b = le.AppendUint32(b, c)
		}
	}
	return b
}

// decodeRecord reads the record of a class that begins at offset and must end
// by limit, and returns the bytes after it. It trusts nothing: a record that
// passes lies within the file, whatever the bytes were.
func decodeRecord(b []byte, s Shape, offset, limit int64) (*record, []byte, error) {
	if len(b) < recordHead {
		return nil, nil, fmt.Errorf("the directory ends within a class")
	}
	field := func(i int) int { return int(int32(le.Uint32(b[4*i:]))) }
	blocks := le.Uint64(b[16:])
	if blocks > math.MaxInt {
		return nil, nil, fmt.Errorf("class %d has %d blocks", field(0), blocks)
	}
	r, err := newRecord(s, field(0), field(1), int(blocks), field(2), offset)
	if err != nil {
		return nil, nil, err
	}
	for i, p := range r.parts {
		if got := le.Uint64(b[24+8*i:]); got != uint64(p.offset) {
			return nil, nil, fmt.Errorf("the %s of class %d lie at %d, not at %d", partNames[i], r.Class, got, p.offset)
		}
	}
	if r.end() > limit {
		return nil, nil, fmt.Errorf("class %d ends at %d, beyond the data, which ends at %d", r.Class, r.end(), limit)
	}
	rows := field(3)
	if err := checkRows(s, r.Digits, rows); err != nil {
		return nil, nil, fmt.Errorf("class %d: %w", r.Class, err)
	}
	need := int64(r.IndexBits+1)*tallySize + int64(rows)*stepSize
	for _, p := range r.parts {
		need += int64(p.chunks()) * checksumSize
	}
	b = b[recordHead:]
	if int64(len(b)) < need {
		return nil, nil, fmt.Errorf("the directory ends within class %d", r.Class)
	}
	return r, r.decodeTail(b, rows), nil
}

// checkRows says whether a class with that many digits of steps can have a
// histogram of that many rows.
func checkRows(s Shape, digits, rows int) error {
	if most := 1 << digits; rows < 0 || rows > most || rows > 0 && !s.Steps {
		return fmt.Errorf("%d numbers of steps are counted, but %d digits are stored in a table %v", rows, digits, s)
	}
	return nil
}

// decodeTail reads counts and checksums, for which b is long enough.
func (r *record) decodeTail(b []byte, rows int) []byte {
	next := func() uint64 {
		v := le.Uint64(b)
		b = b[8:]
		return v
	}
	r.Counts.ByWeight = make([]Tally, r.IndexBits+1)
	for i := range r.Counts.ByWeight {
		r.Counts.ByWeight[i] = Tally{next(), next(), next(), next(), next()}
	}
	if rows > 0 {
		r.Counts.BySteps = make([]StepTally, rows)
	}
	for i := range r.Counts.BySteps {
		r.Counts.BySteps[i] = StepTally{next(), next()}
	}
	for i, p := range r.parts {
		r.sums[i] = make([]uint32, p.chunks())
		for c := range r.sums[i] {
			r.sums[i][c] = le.Uint32(b)
			b = b[checksumSize:]
		}
	}
	return b
}
