package format

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"

	"backsolve/tablebase"
)

// directory reads records one after the other, from the footer of a table or a
// manifest. What it says of sizes is compared with what there is before memory is
// taken for it.
type directory struct {
	src    io.Reader
	apart  *io.SectionReader // src, where the checksums stay in the footer
	footer Footer            // that these are read from
	left   int64             // bytes that src should still have
	shape  tablebase.Shape
	end    int64 // of the data of the class read last
	limit  int64 // that no class's data may pass
	last   int   // number of the class read last
}

// newDirectory reads a directory of the given length.
func newDirectory(src io.Reader, length int64, s tablebase.Shape, limit int64) *directory {
	return &directory{src: src, left: length, shape: s, end: PageSize, limit: limit, last: MaxClass + 1}
}

// sparePage is how much of a directory is read at once. Counts and checksums are
// never all zero for so long: that is a hole in a file, which takes no room on the
// disk and must not take any in memory.
const sparePage = 64 << 10

var errHole = errors.New("a stretch of the directory is empty")

// refuseHoles ends with errHole where it reads a whole buffer of zeros of that
// size.
type refuseHoles struct{ io.Reader }

func (r refuseHoles) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if n == sparePage && isZero(b[:n]) {
		return 0, errHole
	}
	return n, err
}

// isZero says whether bytes are all zero.
func isZero(b []byte) bool {
	for _, v := range b {
		if v != 0 {
			return false
		}
	}
	return true
}

// ReadFooter reads the directory of a table, whose classes must fill the file from
// the header to the footer, and checks that it is the one that the header's page was
// signed with.
func ReadFooter(f io.ReaderAt, page []byte, h *Header) ([]*Record, error) {
	hash := sha256.New()
	HashHeader(hash, page)
	section := io.TeeReader(io.NewSectionReader(f, h.FooterOffset, h.FooterLength), hash)
	src := bufio.NewReaderSize(refuseHoles{section}, sparePage)
	classes, wrong := newDirectory(src, h.FooterLength, h.Shape, h.FooterOffset).all(h)
	if wrong != nil && (!errors.Is(wrong, ErrDirectory) || errors.Is(wrong, errHole)) {
		return nil, wrong
	}
	// Whether it makes sense or not, it may be damaged: all of it is hashed.
	if _, err := io.Copy(io.Discard, section); err != nil {
		return nil, err
	}
	if [sha256.Size]byte(hash.Sum(nil)) != h.Identity {
		return nil, fmt.Errorf("%w: its checksum does not hold", ErrDirectory)
	}
	return classes, wrong
}

// ReadHeads is readFooter for a packed table and without the checksums, which are read when
// they are needed. So the identity is not checked, but all that is read passes the checks of its frame.
func ReadHeads(f Footer, h *Header) ([]*Record, error) {
	d := newDirectory(nil, h.FooterLength, h.Shape, h.FooterOffset)
	d.footer, d.apart = f, io.NewSectionReader(f, 0, h.FooterOffset+h.FooterLength)
	d.src = d.apart
	if err := d.skip(h.FooterOffset); err != nil {
		return nil, err
	}
	d.left = h.FooterLength
	return d.all(h)
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

// next reads the record of the next class. It trusts nothing: a record that passes
// lies within the file, whatever the bytes were. errDirectory where they cannot
// be those of a record, else the error is the reader's.
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
	n := int64(r.IndexBits+1)*tallySize + int64(rows)*stepSize
	for _, p := range r.Parts {
		n += int64(p.Chunks()) * ChecksumSize
	}
	return n
}

// readTail reads counts and checksums. Their memory grows as they are read, so that
// a file that ends before takes none.
func (d *directory) readTail(r *Record, rows int) (err error) {
	r.Counts.ByWeight, err = readAll(d, int64(r.IndexBits+1), tallySize, func(all []tablebase.OutcomeCounts, piece []byte) []tablebase.OutcomeCounts {
		for b := range slices.Chunk(piece, tallySize) {
			v := func(i int) uint64 { return le.Uint64(b[8*i:]) }
			all = append(all, tablebase.OutcomeCounts{Wins: v(0), Losses: v(1), Draws: v(2), TerminalWins: v(3), TerminalLosses: v(4)})
		}
		return all
	})
	if err != nil {
		return err
	}
	r.Counts.BySteps, err = readAll(d, int64(rows), stepSize, func(all []tablebase.StepCounts, piece []byte) []tablebase.StepCounts {
		for b := range slices.Chunk(piece, stepSize) {
			all = append(all, tablebase.StepCounts{Wins: le.Uint64(b), Losses: le.Uint64(b[8:])})
		}
		return all
	})
	if err != nil {
		return err
	}
	for i, p := range r.Parts {
		if d.apart != nil {
			offset, _ := d.apart.Seek(0, io.SeekCurrent) // which cannot fail
			r.Sums[i] = Sums{footer: d.footer, offset: offset}
			err = d.skip(int64(p.Chunks()) * ChecksumSize)
		} else if r.Sums[i].Held, err = readAll(d, int64(p.Chunks()), ChecksumSize, addSums); err != nil {
			return err
		}
	}
	return nil
}

// skip passes over so many bytes of the file.
func (d *directory) skip(n int64) error {
	d.left -= n
	_, err := d.apart.Seek(n, io.SeekCurrent)
	return err
}

// addSums adds checksums, of which large tables have millions.
func addSums(sums []uint32, piece []byte) []uint32 {
	for ; len(piece) >= ChecksumSize; piece = piece[ChecksumSize:] {
		sums = append(sums, le.Uint32(piece))
	}
	return sums
}

// readAll reads n values of so many bytes each, which add adds by pieces of whole values;
// nil where there are none. Memory is taken for eight times of what has been read at the
// most: what takes no room in a file that is all hole takes little here, and what is much
// is moved seldom.
func readAll[T any](d *directory, n, size int64, add func(all []T, piece []byte) []T) (all []T, err error) {
	buf := make([]byte, min(n*size, sparePage/size*size))
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

// read fills b, for which enough is left. io.ErrUnexpectedEOF where the file has
// become shorter.
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

// MostFooter bounds the length of the footer behind data that end at offset.
func MostFooter(offset int64) int64 {
	const mostTail = RecordHead + (MaxIndexBits+1)*tallySize + 1<<MaxDigits*stepSize
	const classes = MaxClass + 1
	return classes*mostTail + (offset/ChunkSize+classes*PartCount)*ChecksumSize
}
