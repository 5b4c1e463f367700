package format

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"backsolve/tablebase"
)

// Limits of a class.
const (
	MaxDigits    = 16 // binary digits of the steps or nimbers
	MaxIndexBits = 40
	MaxClass     = 64 // marked cells
	// maxWords bounds the words of a plane, so that no offset overflows 64 bits.
	maxWords = 1 << 50

	// Lengths in a record, in bytes: its fixed part, rows of counts, checksums.
	RecordHead    = 48
	weightRowSize = 5 * 8
	stepRowSize   = 2 * 8
	ChecksumSize  = 4
)

// The parts of a class, in file order.
const (
	Outcomes = iota
	Steps
	Masks
	PartCount
)

// Record is what the footer, and before it the manifest, says of a class.
type Record struct {
	tablebase.ClassInfo
	Names [PartCount]string   // of the parts, for messages
	Parts [PartCount]Part     // Outcomes, Steps and Masks
	Sums  [PartCount][]uint32 // of the parts' chunks; large tables have millions
}

// NewRecord lays out a class at a multiple of PageSize, without counts and checksums.
func NewRecord(s tablebase.Shape, class, indexBits int, blocks int64, digits int, offset int64) (*Record, error) {
	switch {
	case class < 0 || class > MaxClass:
		return nil, fmt.Errorf("class %d is not between 0 and %d", class, MaxClass)
	case indexBits < 0 || indexBits > MaxIndexBits:
		return nil, fmt.Errorf("class %d has %d index bits, not 0 to %d", class, indexBits, MaxIndexBits)
	case blocks < 1 || blocks > maxWords>>max(0, indexBits-6):
		return nil, fmt.Errorf("class %d has %d blocks, not 1 to %d", class, blocks, int64(maxWords)>>max(0, indexBits-6))
	case digits < 0 || digits > MaxDigits || digits > 0 && !s.Numbered():
		return nil, fmt.Errorf("class %d has %d digits in a table %v", class, digits, s)
	}
	r := &Record{ClassInfo: tablebase.ClassInfo{Class: class, IndexBits: indexBits, Blocks: int(blocks), Digits: digits}, Names: [PartCount]string{"outcomes", "steps", "masks"}}
	if s.Nimbers {
		r.Names[Steps] = "nimbers"
	}
	words := blocks << max(0, indexBits-6)
	for i, p := range []Part{{Columns: s.Planes, Words: words}, {Columns: digits, Words: words, Steps: true}, {Columns: 1, Words: blocks}} {
		p.Offset = offset
		if p.Padded() > math.MaxInt-offset {
			return nil, fmt.Errorf("class %d makes the file longer than this system can address", class)
		}
		offset += p.Padded()
		r.Parts[i] = p
	}
	return r, nil
}

// Infos returns what the records say of their classes.
func Infos(records []*Record) []tablebase.ClassInfo {
	infos := make([]tablebase.ClassInfo, len(records))
	for i, r := range records {
		infos[i] = r.ClassInfo
	}
	return infos
}

// End is where the class ends in the file.
func (r *Record) End() int64 {
	last := r.Parts[PartCount-1]
	return last.Offset + last.Padded()
}

// Append encodes the record.
func (r *Record) Append(b []byte) []byte {
	for _, v := range []int{r.Class, r.IndexBits, r.Digits, len(r.Counts.BySteps)} {
		b = le.AppendUint32(b, uint32(v))
	}
	b = le.AppendUint64(b, uint64(r.Blocks))
	for _, p := range r.Parts {
		b = le.AppendUint64(b, uint64(p.Offset))
	}
	for _, list := range r.tail() {
		b, _ = binary.Append(b, le, list)
	}
	return b
}

// tail returns the lists that end a record, whose elements lie in the file as in memory.
func (r *Record) tail() []any {
	return []any{r.Counts.ByWeight, r.Counts.BySteps, r.Sums[Outcomes], r.Sums[Steps], r.Sums[Masks]}
}

// CheckRows says whether a class with the given digits can have that number of rows of StepCounts.
func CheckRows(s tablebase.Shape, digits, rows int) error {
	if most := 1 << digits; rows < 0 || rows > most || rows > 0 && !s.Numbered() {
		return fmt.Errorf("%d numbers are counted, but %d digits are stored in a table %v", rows, digits, s)
	}
	return nil
}

// Frames returns the number of frames in a packed table.
func (r *Record) Frames() (n int) {
	for _, p := range r.Parts {
		n += p.Frames()
	}
	return n
}

// ReadChunk reads a chunk into buf and checks it; *BadChunk, ErrPadding or the error of f.
func (r *Record) ReadChunk(f io.ReaderAt, part, chunk int, buf []byte) ([]byte, error) {
	p := r.Parts[part]
	offset, length := p.Chunk(chunk)
	buf = buf[:length]
	if err := ReadFull(f, buf, offset); err != nil {
		return nil, err
	}
	return buf, p.checkChunk(r.Sums[part], chunk, buf)
}
