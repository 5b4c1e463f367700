package tablebase

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"

	"backsolve/internal/stamp"
)

// Table is a finished table, mapped for reading, or a packed one, unpacked frame
// by frame as it is read; one that can be neither is read chunk by chunk. All its
// methods may be called from many goroutines at once. Close should wait until the
// others have returned; one that is caught by it returns ErrClosed.
type Table struct {
	path    string
	data    source
	header  header
	classes []*record
	byClass [maxClass + 1]*located
	checked []atomic.Uint64         // a bit a chunk: its checksum held once
	always  atomic.Bool             // it is checked again at each lookup
	watched stamp.Open              // the file, where the table is one
	opened  stamp.Stamp             // of that, before anything was read of it
	far     bool                    // what is read is fetched before
	shut    atomic.Bool             // by Close
	mapped  atomic.Pointer[mapping] // nil where the table is not mapped, or closed
	packed  atomic.Pointer[frames]  // nil where the table is not packed, or closed
}

// located is a class with the numbers of its parts' first chunks and, in a
// packed table, first frames, counted over the whole table.
type located struct {
	*record
	words      uint64       // of a slice
	fetched    atomic.Bool  // were the masks, by fetchMasks
	unchecked  atomic.Int64 // chunks of outcomes and of steps of which the checksum has not held yet
	firstChunk [partCount]int
	firstFrame [partCount]int
}

// mapping is the mapped file and what must stand at its end.
type mapping struct {
	bytes   []byte
	endMark uint64
}

// Open opens a finished table, packed or not, after checking its header and
// directory, but for the checksums in a packed table's that is long; data is checked when it
// is first touched. Errors: fs.ErrNotExist, ErrForeign, ErrTruncated, ErrNewer and ErrDamaged.
func Open(path string) (*Table, error) {
	file, err := os.OpenFile(path, openFlags, 0)
	return openTable(path, file, err)
}

// OpenIn opens a table like Open, by its name beneath a directory. A link that
// leads out of the directory is not followed.
func OpenIn(root *os.Root, name string) (*Table, error) {
	file, err := root.OpenFile(name, openFlags, 0)
	return openTable(filepath.Join(root.Name(), name), file, err)
}

// openTable opens the table in a file, or says why that could not be opened.
func openTable(path string, file *os.File, err error) (*Table, error) {
	if err != nil {
		return nil, failed(path, "open the table", err, "")
	}
	if err := checkRegular(path, file); err != nil {
		file.Close()
		return nil, err
	}
	t, err := openSource(path, plainFile{file})
	begun := strings.HasSuffix(path, PartialSuffix) || strings.HasSuffix(path, manifestSuffix)
	if begun && (errors.Is(err, ErrForeign) || errors.Is(err, ErrTruncated)) {
		return nil, &Error{Path: path, Err: ErrUnfinished}
	}
	return t, err
}

// mostHeld is how long a packed table's footer may be that is read when the table is opened,
// and checked by the identity. Of a longer one the checksums stay where they are.
const mostHeld = 1 << 20

// openSource opens the table in a source, which it closes where that fails.
func openSource(path string, raw source) (*Table, error) {
	return openHolding(path, raw, mostHeld)
}

// openHolding is openSource with another bound for a packed table's footer that is held.
func openHolding(path string, raw source, held int64) (*Table, error) {
	t := &Table{path: path}
	if file, plain := raw.(plainFile); plain {
		t.watched = stamp.Watch(file.File)
		t.opened = t.watched.Stamp()
	}
	data, err := unpackedSource(path, raw)
	if err != nil {
		raw.Close()
		return nil, err
	}
	t.data, t.far = data, isFar(data)
	if err := t.load(held); err != nil {
		data.Close()
		return nil, err
	}
	return t, nil
}

// load reads header and directory and makes the data ready for lookups. A packed table's footer
// is held where it is no longer than that.
func (t *Table) load(held int64) error {
	header, classes, err := t.readEnds(held)
	if err != nil {
		return err
	}
	t.header, t.classes = header, classes
	chunks, frames := 0, 1 // the header is the first frame
	for _, r := range classes {
		l := &located{record: r, words: uint64(r.Words())}
		for i, p := range r.parts {
			l.firstChunk[i], l.firstFrame[i] = chunks, frames
			chunks += p.chunks()
			frames += p.frames()
		}
		l.unchecked.Store(int64(r.parts[outcomes].chunks() + r.parts[steps].chunks()))
		t.byClass[r.Class] = l
	}
	t.checked = make([]atomic.Uint64, (chunks+63)/64)
	return t.prepare()
}

// mapTable maps a file; tests put something in its place that fails.
var mapTable = mapFile

// prepare maps the file, or takes the frames of a packed one.
func (t *Table) prepare() error {
	switch data := t.data.(type) {
	case *frames:
		if err := t.checkCut(data); err != nil {
			return err
		}
		t.packed.Store(data)
	case plainFile:
		mapped, err := mapTable(data.File, t.header.length)
		if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOMEM) {
			return nil // it is read instead
		}
		if err != nil {
			return failed(t.path, "map the table", err, "")
		}
		adviseRandom(mapped)
		t.mapped.Store(&mapping{bytes: mapped, endMark: le.Uint64(t.header.endMark())})
	}
	return nil
}

// readEnds reads what stands before and behind the data: header, directory and
// end mark, and checks that they belong together; of a packed table whose footer is longer than
// held without the checksums in it.
func (t *Table) readEnds(held int64) (header, []*record, error) {
	var h header
	size, err := t.data.size()
	if err != nil {
		return h, nil, failed(t.path, "read the table", err, "")
	}
	page := make([]byte, pageSize)
	n, err := t.data.ReadAt(page, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return h, nil, t.headerError(err)
	}
	if n < pageSize {
		if magic := page[:min(n, len(tableMagic))]; !bytes.HasPrefix([]byte(tableMagic), magic) {
			return h, nil, t.headerError(ErrForeign)
		}
		return h, nil, t.truncated("%d bytes are less than a header", n)
	}
	if err := h.decode(page, size); err != nil {
		return h, nil, t.headerError(err)
	}
	if h.length > math.MaxInt {
		return h, nil, failed(t.path, "open the table", errors.New("it is larger than the address space"), "use a 64-bit system")
	}
	f, packed := t.data.(*frames)
	if packed && t.classes == nil {
		f.findEnds(&h)
	}
	apart := packed && !t.far && h.footerLength > held
	if !apart {
		if err := t.data.fetch([]Extent{{h.footerOffset, min(h.footerLength, fetchedFooter)}}); err != nil {
			return h, nil, t.headerError(err)
		}
	}
	mark := make([]byte, endMarkSize)
	if err := readFull(t.data, mark, h.length-endMarkSize); err != nil {
		return h, nil, t.headerError(err)
	}
	var classes []*record
	if apart {
		classes, err = readHeads(f, &h)
	} else {
		classes, err = readFooter(t.data, page, &h)
	}
	if err != nil {
		return h, nil, t.headerError(err)
	}
	if !bytes.Equal(mark, h.endMark()) {
		return h, nil, t.damaged("its end mark is missing")
	}
	return h, classes, nil
}

// headerError turns what is wrong with header or directory into a sentence.
func (t *Table) headerError(err error) error {
	var bad *badFrame
	switch {
	case errors.Is(err, ErrForeign):
		return &Error{Path: t.path, Err: ErrForeign}
	case errors.Is(err, ErrNewer):
		return &Error{Path: t.path, Err: err}
	case errors.Is(err, ErrTruncated):
		return &Error{Path: t.path, Err: err, Remedy: t.remedy()}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return t.truncated("it became shorter while it was opened")
	case errors.Is(err, errHeader), errors.Is(err, errDirectory), errors.Is(err, errSeekTable), errors.As(err, &bad):
		return t.damaged("%v", err)
	}
	return failed(t.path, "read the table", err, "")
}

// Shape returns what the table holds.
func (t *Table) Shape() Shape { return t.header.shape }

// Identity returns the SHA-256 that tells this table from every other.
func (t *Table) Identity() [32]byte { return t.header.identity }

// Bytes returns the length of the table, of what it unpacks to where it is packed.
func (t *Table) Bytes() int64 { return t.header.length }

// Packed returns the length of the file where it is packed, else 0.
func (t *Table) Packed() int64 {
	if f, ok := t.data.(*frames); ok {
		return f.fileSize
	}
	return 0
}

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

// Close unmaps and closes the file. A second Close does nothing.
func (t *Table) Close() error {
	if t.shut.Swap(true) {
		return nil
	}
	var err error
	if m := t.mapped.Swap(nil); m != nil {
		err = unmapFile(m.bytes)
	}
	t.packed.Store(nil)
	if err = errors.Join(err, t.data.Close()); err != nil && !errors.Is(err, fs.ErrClosed) {
		return failed(t.path, "close the table", err, "")
	}
	return nil
}

func (t *Table) isClosed() bool { return t.shut.Load() }

func (t *Table) closed() error { return &Error{Path: t.path, Err: ErrClosed} }

// damaged says that the contents of the table contradict each other.
func (t *Table) damaged(format string, args ...any) error {
	return &Error{Path: t.path, Err: ErrDamaged, Detail: fmt.Sprintf(format, args...), Remedy: t.remedy()}
}

// truncated says that the table ends too early.
func (t *Table) truncated(format string, args ...any) error {
	return &Error{Path: t.path, Err: ErrTruncated, Detail: fmt.Sprintf(format, args...), Remedy: t.remedy()}
}

// remedy is what helps against damage, "" where that depends on the program.
func (t *Table) remedy() string {
	if t.far {
		return putAgain
	}
	return ""
}
