package tablebase

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
)

// directory reads records one after the other, from the footer of a table or a
// manifest. What it says of sizes is compared with what there is before memory is
// taken for it.
type directory struct {
	src   io.Reader
	apart *footerReader // src, where checksums are passed over and stay there
	left  int64         // bytes that src should still have
	shape Shape
	end   int64 // of the data of the class read last
	limit int64 // that no class's data may pass
	last  int   // number of the class read last
}

// newDirectory reads a directory of the given length.
func newDirectory(src io.Reader, length int64, s Shape, limit int64) *directory {
	return &directory{src: src, left: length, shape: s, end: pageSize, limit: limit, last: maxClass + 1}
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

// readFooter reads the directory of a table, whose classes must fill the file from
// the header to the footer, and checks that it is the one that the header's page was
// signed with.
func readFooter(f io.ReaderAt, page []byte, h *header) ([]*record, error) {
	hash := sha256.New()
	hashHeader(hash, page)
	section := io.TeeReader(io.NewSectionReader(f, h.footerOffset, h.footerLength), hash)
	src := bufio.NewReaderSize(refuseHoles{section}, sparePage)
	classes, wrong := newDirectory(src, h.footerLength, h.shape, h.footerOffset).all(h)
	if wrong != nil && (!errors.Is(wrong, errDirectory) || errors.Is(wrong, errHole)) {
		return nil, wrong
	}
	// Whether it makes sense or not, it may be damaged: all of it is hashed.
	if _, err := io.Copy(io.Discard, section); err != nil {
		return nil, err
	}
	if [sha256.Size]byte(hash.Sum(nil)) != h.identity {
		return nil, fmt.Errorf("%w: its checksum does not hold", errDirectory)
	}
	return classes, wrong
}

// readHeads is readFooter for a packed table and without the checksums, which are read when
// they are needed. So the identity is not checked, but all that is read passes the checks of its frame.
func readHeads(f *frames, h *header) ([]*record, error) {
	d := newDirectory(nil, h.footerLength, h.shape, h.footerOffset)
	d.apart = &footerReader{f, h.footerOffset}
	d.src = d.apart
	return d.all(h)
}

// errDirectory is why a directory is refused that could be read.
var errDirectory = errors.New("damaged directory")

// all reads the records of a table.
func (d *directory) all(h *header) (classes []*record, err error) {
	for d.left > 0 {
		r, err := d.next()
		if err != nil {
			return nil, err
		}
		classes = append(classes, r)
	}
	if d.end != h.footerOffset || len(classes) != int(h.classes) {
		return nil, fmt.Errorf("%w: %d classes end at %d, not %d at %d", errDirectory, len(classes), d.end, h.classes, h.footerOffset)
	}
	if err := h.shape.checkClasses(classes); err != nil {
		return nil, fmt.Errorf("%w: %w", errDirectory, err)
	}
	return classes, nil
}

// next reads the record of the next class. It trusts nothing: a record that passes
// lies within the file, whatever the bytes were. errDirectory where they cannot
// be those of a record, else the error is the reader's.
func (d *directory) next() (*record, error) {
	refuse := func(format string, args ...any) (*record, error) {
		return nil, fmt.Errorf("%w: "+format, append([]any{errDirectory}, args...)...)
	}
	if d.left < recordHead {
		return refuse("it ends within a class")
	}
	head := make([]byte, recordHead)
	if err := d.read(head); err != nil {
		return nil, err
	}
	field := func(i int) int { return int(int32(le.Uint32(head[4*i:]))) }
	blocks := le.Uint64(head[16:])
	if blocks > maxWords {
		return refuse("class %d has %d blocks", field(0), blocks)
	}
	r, err := newRecord(d.shape, field(0), field(1), int64(blocks), field(2), d.end)
	if err != nil {
		return refuse("%w", err)
	}
	if r.Class >= d.last {
		return refuse("class %d comes after class %d", r.Class, d.last)
	}
	for i, p := range r.parts {
		if got := le.Uint64(head[24+8*i:]); got != uint64(p.offset) {
			return refuse("the %s of class %d lie at %d, not at %d", r.names[i], r.Class, got, p.offset)
		}
	}
	if r.end() > d.limit {
		return refuse("class %d ends at %d, beyond the data, which ends at %d", r.Class, r.end(), d.limit)
	}
	rows := field(3)
	if err := checkRows(d.shape, r.Digits, rows); err != nil {
		return refuse("class %d: %w", r.Class, err)
	}
	if need := r.tailLength(rows); d.left < need {
		return refuse("it ends within class %d", r.Class)
	}
	d.last, d.end = r.Class, r.end()
	return r, d.readTail(r, rows)
}

// tailLength is the length of a record's counts and checksums.
func (r *record) tailLength(rows int) int64 {
	n := int64(r.IndexBits+1)*tallySize + int64(rows)*stepSize
	for _, p := range r.parts {
		n += int64(p.chunks()) * checksumSize
	}
	return n
}

// readTail reads counts and checksums. Their memory grows as they are read, so that
// a file that ends before takes none.
func (d *directory) readTail(r *record, rows int) (err error) {
	r.Counts.ByWeight, err = readAll(d, int64(r.IndexBits+1), tallySize, func(all []OutcomeCounts, piece []byte) []OutcomeCounts {
		for b := range slices.Chunk(piece, tallySize) {
			v := func(i int) uint64 { return le.Uint64(b[8*i:]) }
			all = append(all, OutcomeCounts{v(0), v(1), v(2), v(3), v(4)})
		}
		return all
	})
	if err != nil {
		return err
	}
	r.Counts.BySteps, err = readAll(d, int64(rows), stepSize, func(all []StepCounts, piece []byte) []StepCounts {
		for b := range slices.Chunk(piece, stepSize) {
			all = append(all, StepCounts{le.Uint64(b), le.Uint64(b[8:])})
		}
		return all
	})
	if err != nil {
		return err
	}
	for i, p := range r.parts {
		if d.apart != nil {
			r.sums[i] = sums{footer: d.apart.frames, offset: d.apart.offset}
			d.skip(int64(p.chunks()) * checksumSize)
		} else if r.sums[i].held, err = readAll(d, int64(p.chunks()), checksumSize, addSums); err != nil {
			return err
		}
	}
	return nil
}

// skip passes over as many bytes of the footer, of which so many are left.
func (d *directory) skip(n int64) {
	d.apart.offset += n
	d.left -= n
}

// addSums adds checksums, of which large tables have millions.
func addSums(sums []uint32, piece []byte) []uint32 {
	for ; len(piece) >= checksumSize; piece = piece[checksumSize:] {
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
		return fmt.Errorf("%w: %w", errDirectory, errHole)
	}
	return err
}

// mostFooter bounds the length of the footer behind data that end at offset.
func mostFooter(offset int64) int64 {
	const mostTail = recordHead + (maxIndexBits+1)*tallySize + 1<<maxDigits*stepSize
	const classes = maxClass + 1
	return classes*mostTail + (offset/chunkSize+classes*partCount)*checksumSize
}
