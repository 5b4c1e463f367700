package tablebase

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync/atomic"

	"github.com/edsrzf/mmap-go"
)

// Table is a finished table, mapped for reading. All its methods may be called
// from many goroutines at once. Close should wait until the others have
// returned; one that is caught by it returns ErrClosed.
type Table struct {
	path    string
	file    *os.File
	header  header
	classes []*record
	byClass [maxClass + 1]*located
	checked []atomic.Uint64 // a bit a chunk: its checksum held once
	mapped  atomic.Pointer[mapping]
}

// located is a class with the numbers of its parts' first chunks, counted over
// the whole table.
type located struct {
	*record
	words      uint64 // of a slice
	firstChunk [partCount]int
}

// mapping is the mapped file and what must stand at its end.
type mapping struct {
	bytes   mmap.MMap
	endMark uint64
}

// Open maps a finished table after checking its header and directory; data is
// checked when it is first touched. Errors: fs.ErrNotExist, ErrForeign,
// ErrTruncated, ErrNewer and ErrDamaged.
func Open(path string) (*Table, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, failed(path, "open the table", err, "")
	}
	t := &Table{path: path, file: file}
	if err := t.load(); err != nil {
		file.Close()
		return nil, err
	}
	return t, nil
}

// load reads header and directory and maps the file.
func (t *Table) load() error {
	header, classes, err := readEnds(t.path, t.file)
	if err != nil {
		return err
	}
	t.header, t.classes = header, classes
	chunks := 0
	for _, r := range classes {
		l := &located{record: r, words: uint64(r.Words())}
		for i, p := range r.parts {
			l.firstChunk[i] = chunks
			chunks += p.chunks()
		}
		t.byClass[r.Class] = l
	}
	t.checked = make([]atomic.Uint64, (chunks+63)/64)

	length := int(header.length)
	if int64(length) != header.length {
		return failed(t.path, "map the table", errors.New("it is larger than the address space"), "use a 64-bit system")
	}
	mapped, err := mmap.MapRegion(t.file, length, mmap.RDONLY, 0, 0)
	if err != nil {
		return failed(t.path, "map the table", err, "")
	}
	adviseRandom(mapped)
	t.mapped.Store(&mapping{bytes: mapped, endMark: le.Uint64(header.endMark())})
	return nil
}

// readEnds reads what stands before and behind the data: header, directory and
// end mark, and checks that they belong together.
func readEnds(path string, f *os.File) (header, []*record, error) {
	var h header
	info, err := f.Stat()
	if err != nil {
		return h, nil, failed(path, "read the table", err, "")
	}
	if info.IsDir() {
		return h, nil, &Error{Path: path, Err: ErrForeign, Detail: "it is a directory", Remedy: pickTable}
	}
	page := make([]byte, pageSize)
	n, err := f.ReadAt(page, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return h, nil, failed(path, "read the table", err, "")
	}
	if n < pageSize {
		if magic := page[:min(n, len(tableMagic))]; !bytes.HasPrefix([]byte(tableMagic), magic) {
			return h, nil, &Error{Path: path, Err: ErrForeign, Remedy: pickTable}
		}
		return h, nil, truncated(path, "%d bytes are less than a header", n)
	}
	if err := h.decode(page, info.Size()); err != nil {
		return h, nil, headerError(path, err)
	}
	tail := make([]byte, h.footerLength+endMarkSize)
	if err := readFull(f, tail, h.footerOffset); err != nil {
		return h, nil, headerError(path, err)
	}
	footer, mark := tail[:h.footerLength], tail[h.footerLength:]
	if identity(page, footer) != h.identity {
		return h, nil, damaged(path, "the checksum of its directory does not hold")
	}
	if !bytes.Equal(mark, h.endMark()) {
		return h, nil, damaged(path, "its end mark is missing")
	}
	classes, err := decodeFooter(footer, &h)
	if err != nil {
		return h, nil, damaged(path, "%v", err)
	}
	return h, classes, nil
}

// headerError turns what is wrong with a header into a sentence.
func headerError(path string, err error) error {
	switch {
	case errors.Is(err, ErrForeign):
		return &Error{Path: path, Err: ErrForeign, Remedy: pickTable}
	case errors.Is(err, ErrNewer):
		return &Error{Path: path, Err: err, Remedy: upgrade}
	case errors.Is(err, ErrTruncated):
		return &Error{Path: path, Err: err, Remedy: solveAgain}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return truncated(path, "it became shorter while it was opened")
	case errors.Is(err, errHeader):
		return damaged(path, "%v", err)
	}
	return failed(path, "read the table", err, "")
}

// decodeFooter reads the directory, whose classes must fill the file from the
// header to the footer.
func decodeFooter(footer []byte, h *header) ([]*record, error) {
	var classes []*record
	var seen [maxClass + 1]bool
	end := int64(pageSize)
	for len(footer) > 0 {
		r, rest, err := decodeRecord(footer, h.shape, end, h.footerOffset)
		if err != nil {
			return nil, err
		}
		if seen[r.Class] {
			return nil, fmt.Errorf("class %d is listed twice", r.Class)
		}
		seen[r.Class] = true
		classes = append(classes, r)
		footer, end = rest, r.end()
	}
	if end != h.footerOffset || len(classes) != int(h.classes) {
		return nil, fmt.Errorf("%d classes end at %d, not %d at %d", len(classes), end, h.classes, h.footerOffset)
	}
	return classes, nil
}

// Shape returns what the table holds.
func (t *Table) Shape() Shape { return t.header.shape }

// Identity returns the SHA-256 that tells this table from every other.
func (t *Table) Identity() [32]byte { return t.header.identity }

// Bytes returns the length of the file.
func (t *Table) Bytes() int64 { return t.header.length }

// Path returns the path that the table was opened by.
func (t *Table) Path() string { return t.path }

// Classes returns the classes in the order they were solved, the fullest first.
func (t *Table) Classes() []ClassInfo {
	infos := make([]ClassInfo, len(t.classes))
	for i, r := range t.classes {
		infos[i] = r.ClassInfo
	}
	return infos
}

// Close unmaps the file. A second Close does nothing.
func (t *Table) Close() error {
	m := t.mapped.Swap(nil)
	if m == nil {
		return nil
	}
	bytes := m.bytes // a copy: Unmap empties its receiver, which a lookup may hold
	err := errors.Join(bytes.Unmap(), t.file.Close())
	if err != nil && !errors.Is(err, fs.ErrClosed) {
		return failed(t.path, "close the table", err, "")
	}
	return nil
}

func (t *Table) closed() error { return &Error{Path: t.path, Err: ErrClosed} }
