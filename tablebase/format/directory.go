package format

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"

	"backsolve/tablebase"
)

// directory reads records from the footer of a table or from a manifest. It compares sizes with
// the length of the file before it allocates.
type directory struct {
	src   io.Reader
	left  int64 // bytes that src should still have
	shape tablebase.Shape
	end   int64 // of the data of the last class
	limit int64 // that no class's data may pass
	last  int   // number of the last class
}

// newDirectory returns a directory of the given length.
func newDirectory(src io.Reader, length int64, s tablebase.Shape, limit int64) *directory {
	return &directory{src: src, left: length, shape: s, end: PageSize, limit: limit, last: MaxClass + 1}
}

// directoryRead is how many bytes of a directory are read at once. Counts and checksums are
// never zero for so long: such zeros are a hole in a file, which takes no disk and must take no
// memory.
const directoryRead = 64 << 10

var errHole = errors.New("a part of the directory is empty")

// refuseHoles is a reader that ends with errHole at a whole buffer of zeros of that size.
type refuseHoles struct{ io.Reader }

func (r refuseHoles) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if n == directoryRead && isZero(b[:n]) {
		return 0, errHole
	}
	return n, err
}

// ReadWithoutHoles is ReadFull for data in which a run of directoryRead zeros cannot be right. Memory
// grows only as data are read.
func ReadWithoutHoles(f io.ReaderAt, offset, length int64) ([]byte, error) {
	var all []byte
	buf := make([]byte, min(length, directoryRead))
	for n := int64(0); n < length; n += int64(len(buf)) {
		buf = buf[:min(int64(len(buf)), length-n)]
		if err := ReadFull(f, buf, offset+n); err != nil {
			return nil, err
		}
		if len(buf) == directoryRead && isZero(buf) {
			return nil, fmt.Errorf("%w: %w", ErrDirectory, errHole)
		}
		all = append(all, buf...)
	}
	return all, nil
}

// isZero reports whether all bytes are zero.
func isZero(b []byte) bool { return len(bytes.TrimLeft(b, "\x00")) == 0 }

// ReadFooter reads the directory of a table and checks its identity. page is the page of h.
func ReadFooter(f io.ReaderAt, page []byte, h *Header) ([]*Record, error) {
	hash := sha256.New()
	HashHeader(hash, page)
	section := io.TeeReader(io.NewSectionReader(f, h.FooterOffset, h.FooterLength), hash)
	src := bufio.NewReaderSize(refuseHoles{section}, directoryRead)
	classes, wrong := newDirectory(src, h.FooterLength, h.Shape, h.FooterOffset).all(h)
	if wrong != nil && (!errors.Is(wrong, ErrDirectory) || errors.Is(wrong, errHole)) {
		return nil, wrong
	}
	// A directory that makes no sense may be a damaged one: all of it is hashed.
	if _, err := io.Copy(io.Discard, section); err != nil {
		return nil, err
	}
	if [sha256.Size]byte(hash.Sum(nil)) != h.Identity {
		return nil, fmt.Errorf("%w: its checksum does not hold", ErrDirectory)
	}
	return classes, wrong
}

// all reads the records of a table.
func (d *directory) all(h *Header) (classes []*Record, err error) {
	for d.left > 0 {
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

// next reads the next record. A record that passes lies within the file, whatever the bytes
// are. The error is ErrDirectory or the reader's.
func (d *directory) next() (*Record, error) {
	refuse := func(format string, args ...any) (*Record, error) {
		return nil, fmt.Errorf("%w: "+format, append([]any{ErrDirectory}, args...)...)
	}
	if d.left < RecordHead {
		return refuse("it ends within a class")
	}
	head := make([]byte, RecordHead)
	if err := d.read(head); err != nil {
		return nil, err
	}
	field := func(i int) int { return int(int32(le.Uint32(head[4*i:]))) }
	blocks := le.Uint64(head[16:])
	if blocks > maxWords {
		return refuse("class %d has %d blocks", field(0), blocks)
	}
	r, err := NewRecord(d.shape, field(0), field(1), int64(blocks), field(2), d.end)
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
	if need := r.tailLength(rows); d.left < need {
		return refuse("it ends within class %d", r.Class)
	}
	d.last, d.end = r.Class, r.End()
	return r, d.readTail(r, rows)
}

// tailLength is the length of a record's counts and checksums.
func (r *Record) tailLength(rows int) int64 {
	n := int64(r.IndexBits+1)*weightRowSize + int64(rows)*stepRowSize
	for _, p := range r.Parts {
		n += int64(p.Chunks()) * ChecksumSize
	}
	return n
}

// readTail reads counts and checksums. Memory grows as they are read, so that a short file
// takes none.
func (d *directory) readTail(r *Record, rows int) (err error) {
	r.Counts.ByWeight, err = readAll(d, int64(r.IndexBits+1), weightRowSize, func(all []tablebase.OutcomeCounts, piece []byte) []tablebase.OutcomeCounts {
		for b := range slices.Chunk(piece, weightRowSize) {
			v := func(i int) uint64 { return le.Uint64(b[8*i:]) }
			all = append(all, tablebase.OutcomeCounts{Wins: v(0), Losses: v(1), Draws: v(2), TerminalWins: v(3), TerminalLosses: v(4)})
		}
		return all
	})
	if err != nil {
		return err
	}
	r.Counts.BySteps, err = readAll(d, int64(rows), stepRowSize, func(all []tablebase.StepCounts, piece []byte) []tablebase.StepCounts {
		for b := range slices.Chunk(piece, stepRowSize) {
			all = append(all, tablebase.StepCounts{Wins: le.Uint64(b), Losses: le.Uint64(b[8:])})
		}
		return all
	})
	if err != nil {
		return err
	}
	for i, p := range r.Parts {
		if r.Sums[i], err = readAll(d, int64(p.Chunks()), ChecksumSize, addSums); err != nil {
			return err
		}
	}
	return nil
}

// addSums appends checksums, of which large tables have millions.
func addSums(sums []uint32, piece []byte) []uint32 {
	for ; len(piece) >= ChecksumSize; piece = piece[ChecksumSize:] {
		sums = append(sums, le.Uint32(piece))
	}
	return sums
}

// readAll reads n values of size bytes each; add appends a piece of whole values. Memory never
// exceeds eight times what has been read, so a file of holes takes little and a long list is
// seldom moved.
func readAll[T any](d *directory, n, size int64, add func(all []T, piece []byte) []T) (all []T, err error) {
	buf := make([]byte, min(n*size, directoryRead/size*size))
	for n > 0 {
		piece := buf[:min(int64(len(buf)), n*size)]
		if err := d.read(piece); err != nil {
			return nil, err
		}
		values := int64(len(piece)) / size
		if int64(cap(all)-len(all)) < values {
			all = slices.Grow(all, int(min(n, 8*max(values, int64(len(all))))))
		}
		all = add(all, piece)
		n -= values
	}
	return all, nil
}

// read fills b, which must be left. io.ErrUnexpectedEOF where the file has become shorter.
func (d *directory) read(b []byte) error {
	_, err := io.ReadFull(d.src, b)
	d.left -= int64(len(b))
	switch {
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	case errors.Is(err, errHole):
		return fmt.Errorf("%w: %w", ErrDirectory, errHole)
	}
	return err
}

// MaxFooter bounds the length of the footer behind data that end at offset.
func MaxFooter(offset int64) int64 {
	const mostTail = RecordHead + (MaxIndexBits+1)*weightRowSize + 1<<MaxDigits*stepRowSize
	const classes = MaxClass + 1
	return classes*mostTail + (offset/ChunkSize+classes*PartCount)*ChecksumSize
}
