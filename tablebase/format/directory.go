package format

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"backsolve/tablebase"
)

// directory has the records of the footer of a table or of a manifest.
type directory struct {
	rest  []byte // that was not read yet
	shape tablebase.Shape
	end   int64 // of the data of the last class
	limit int64 // that no class's data may pass
	last  int   // number of the last class
}

func newDirectory(b []byte, s tablebase.Shape, limit int64) *directory {
	return &directory{rest: b, shape: s, end: PageSize, limit: limit, last: MaxClass + 1}
}

// directoryRead is how many bytes of a directory are read at once. So many zeros are no counts and
// checksums but a hole in a file, which takes no disk and must take no memory.
const directoryRead = 64 << 10

var errHole = errors.New("a part of the directory is empty")

// ReadWithoutHoles is ReadFull that refuses directoryRead zeros, and takes memory as it reads.
func ReadWithoutHoles(f io.ReaderAt, offset, length int64) ([]byte, error) {
	var all []byte
	for at := int64(0); at < length; at = int64(len(all)) {
		n := min(length-at, directoryRead)
		all = slices.Grow(all, int(n))[:at+n]
		if err := ReadFull(f, all[at:], offset+at); err != nil {
			return nil, err
		}
		if n == directoryRead && isZero(all[at:]) {
			return nil, fmt.Errorf("%w: %w", ErrDirectory, errHole)
		}
	}
	return all, nil
}

func isZero(b []byte) bool { return len(bytes.TrimLeft(b, "\x00")) == 0 }

// ReadFooter reads the directory of a table and checks its identity. page is the page of h.
func ReadFooter(f io.ReaderAt, page []byte, h *Header) ([]*Record, error) {
	footer, err := ReadWithoutHoles(f, h.FooterOffset, h.FooterLength)
	if err != nil {
		return nil, err
	}
	if Identity(page, footer) != h.Identity {
		return nil, fmt.Errorf("%w: its checksum does not hold", ErrDirectory)
	}
	return newDirectory(footer, h.Shape, h.FooterOffset).all(h)
}

func (d *directory) all(h *Header) (classes []*Record, err error) {
	for len(d.rest) > 0 {
		r, err := d.next()
		if err != nil {
			return nil, err
		}
		classes = append(classes, r)
	}
	if d.end != h.FooterOffset || len(classes) != int(h.Classes) {
		return nil, fmt.Errorf("%w: %d classes end at %d, not %d at %d", ErrDirectory, len(classes), d.end, h.Classes, h.FooterOffset)
	}
	if err := CheckClasses(h.Shape, classes); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDirectory, err)
	}
	return classes, nil
}

// next reads the next record, which lies within the file whatever the bytes are; ErrDirectory.
func (d *directory) next() (*Record, error) {
	refuse := func(format string, args ...any) (*Record, error) {
		return nil, fmt.Errorf("%w: "+format, append([]any{ErrDirectory}, args...)...)
	}
	if len(d.rest) < RecordHead {
		return refuse("it ends within a class")
	}
	head := d.rest[:RecordHead]
	d.rest = d.rest[RecordHead:]
	field := func(i int) int { return int(int32(le.Uint32(head[4*i:]))) }
	r, err := NewRecord(d.shape, field(0), field(1), int64(le.Uint64(head[16:])), field(2), d.end)
	if err != nil {
		return refuse("%w", err)
	}
	if r.Class >= d.last {
		return refuse("class %d comes after class %d", r.Class, d.last)
	}
	for i, p := range r.Parts {
		if got := le.Uint64(head[24+8*i:]); got != uint64(p.Offset) {
			return refuse("the %s of class %d lie at %d, not at %d", r.Names[i], r.Class, got, p.Offset)
		}
	}
	if r.End() > d.limit {
		return refuse("class %d ends at %d, beyond the data, which ends at %d", r.Class, r.End(), d.limit)
	}
	rows := field(3)
	if err := CheckRows(d.shape, r.Digits, rows); err != nil {
		return refuse("class %d: %w", r.Class, err)
	}
	if need := r.tailLength(rows); int64(len(d.rest)) < need {
		return refuse("it ends within class %d", r.Class)
	}
	d.last, d.end = r.Class, r.End()
	d.readTail(r, rows)
	return r, nil
}

func (r *Record) tailLength(rows int) int64 {
	n := int64(r.IndexBits+1)*weightRowSize + int64(rows)*stepRowSize
	for _, p := range r.Parts {
		n += int64(p.Chunks()) * ChecksumSize
	}
	return n
}

func (d *directory) readTail(r *Record, rows int) {
	r.Counts.ByWeight = make([]tablebase.OutcomeCounts, r.IndexBits+1)
	if rows > 0 {
		r.Counts.BySteps = make([]tablebase.StepCounts, rows)
	}
	for i, p := range r.Parts {
		r.Sums[i] = make([]uint32, p.Chunks())
	}
	for _, list := range r.tail() {
		n, _ := binary.Decode(d.rest, le, list)
		d.rest = d.rest[n:]
	}
}

// MaxFooter bounds the length of the footer behind data that end at offset.
func MaxFooter(offset int64) int64 {
	const mostTail = RecordHead + (MaxIndexBits+1)*weightRowSize + 1<<MaxDigits*stepRowSize
	const classes = MaxClass + 1
	return classes*mostTail + (offset/ChunkSize+classes*PartCount)*ChecksumSize
}
