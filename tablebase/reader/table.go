// Package reader opens tables and answers from them: it maps a table into memory or
// unpacks it frame by frame, looks states up, and verifies checksums.
package reader

import (
	"bytes"
	"encoding/binary"
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
	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/pack"
)

var le = binary.LittleEndian

// Table is a finished table, mapped for reading, or a packed one, unpacked frame
// by frame as it is read; one that can be neither is read chunk by chunk. All its
// methods may be called from many goroutines at once. Close should wait until the
// others have returned; one that is caught by it returns ErrClosed.
type Table struct {
	path    string
	data    format.Source
	header  format.Header
	classes []*format.Record
	byClass [format.MaxClass + 1]*located
	checked []atomic.Uint64             // a bit a chunk: its checksum held once
	always  atomic.Bool                 // it is checked again at each lookup
	watched stamp.Open                  // the file, where the table is one
	opened  stamp.Stamp                 // of that, before anything was read of it
	far     bool                        // what is read is fetched before
	storage format.Storage              // nil where the table is on this machine
	shut    atomic.Bool                 // by Close
	mapped  atomic.Pointer[mapping]     // nil where the table is not mapped, or closed
	packed  atomic.Pointer[pack.Frames] // nil where the table is not packed, or closed
}

// located is a class with the numbers of its parts' first chunks and, in a
// packed table, first frames, counted over the whole table.
type located struct {
	*format.Record
	words      uint64       // of a slice
	fetched    atomic.Bool  // were the masks, by fetchMasks
	unchecked  atomic.Int64 // chunks of outcomes and of steps of which the checksum has not held yet
	firstChunk [format.PartCount]int
	firstFrame [format.PartCount]int
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
		return nil, tablebase.Failed(path, "open the table", err, "")
	}
	if err := checkRegular(path, file); err != nil {
		file.Close()
		return nil, err
	}
	t, err := openSource(path, plainFile{file})
	begun := strings.HasSuffix(path, tablebase.PartialSuffix) || strings.HasSuffix(path, tablebase.ManifestSuffix)
	if begun && (errors.Is(err, tablebase.ErrForeign) || errors.Is(err, tablebase.ErrTruncated)) {
		return nil, &tablebase.Error{Path: path, Err: tablebase.ErrUnfinished}
	}
	return t, err
}

// mostHeld is how long a packed table's footer may be that is read when the table is opened,
// and checked by the identity. Of a longer one the checksums stay where they are.
const mostHeld = 1 << 20

// cacheBytes bounds the unpacked frames that a packed table keeps.
const cacheBytes = 64 << 20

// openSource opens the table in a source, which it closes where that fails.
func openSource(path string, raw format.Source) (*Table, error) {
	return openHolding(path, raw, mostHeld, cacheBytes)
}

// openHolding is openSource with other bounds for a packed table's footer that is held, and for
// the frames that are kept unpacked.
func openHolding(path string, raw format.Source, held int64, cache int) (*Table, error) {
	t := &Table{path: path}
	if file, plain := raw.(plainFile); plain {
		t.watched = stamp.Watch(file.File)
		t.opened = t.watched.Stamp()
	}
	data, err := pack.Unpacked(path, raw, cache)
	if err != nil {
		raw.Close()
		return nil, err
	}
	t.data = data
	t.storage, t.far = raw.(format.Storage)
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
		l := &located{Record: r, words: uint64(r.Words())}
		for i, p := range r.Parts {
			l.firstChunk[i], l.firstFrame[i] = chunks, frames
			chunks += p.Chunks()
			frames += p.Frames()
		}
		l.unchecked.Store(int64(r.Parts[format.Outcomes].Chunks() + r.Parts[format.Steps].Chunks()))
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
	case *pack.Frames:
		if err := data.SetRegions(&t.header, t.classes); err != nil {
			return t.headerError(err)
		}
		t.packed.Store(data)
	case plainFile:
		mapped, err := mapTable(data.File, t.header.Length)
		if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOMEM) {
			return nil // it is read instead
		}
		if err != nil {
			return tablebase.Failed(t.path, "map the table", err, "")
		}
		adviseRandom(mapped)
		t.mapped.Store(&mapping{bytes: mapped, endMark: le.Uint64(t.header.EndMark())})
	}
	return nil
}

// readEnds reads what stands before and behind the data: header, directory and
// end mark, and checks that they belong together; of a packed table whose footer is longer than
// held without the checksums in it.
func (t *Table) readEnds(held int64) (format.Header, []*format.Record, error) {
	var h format.Header
	size, err := t.data.Size()
	if err != nil {
		return h, nil, tablebase.Failed(t.path, "read the table", err, "")
	}
	page := make([]byte, format.PageSize)
	n, err := t.data.ReadAt(page, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return h, nil, t.headerError(err)
	}
	if n < format.PageSize {
		if magic := page[:min(n, len(format.TableMagic))]; !bytes.HasPrefix([]byte(format.TableMagic), magic) {
			return h, nil, t.headerError(tablebase.ErrForeign)
		}
		return h, nil, t.truncated("%d bytes are less than a header", n)
	}
	if err := h.Decode(page, size); err != nil {
		return h, nil, t.headerError(err)
	}
	if h.Length > math.MaxInt {
		return h, nil, tablebase.Failed(t.path, "open the table", errors.New("it is larger than the address space"), "use a 64-bit system")
	}
	f, packed := t.data.(*pack.Frames)
	if packed && t.classes == nil {
		f.FindEnds(&h)
	}
	apart := packed && !t.far && h.FooterLength > held
	if !apart {
		if err := t.data.Fetch([]format.Extent{{Offset: h.FooterOffset, Length: min(h.FooterLength, fetchedFooter)}}); err != nil {
			return h, nil, t.headerError(err)
		}
	}
	mark := make([]byte, format.EndMarkSize)
	if err := format.ReadFull(t.data, mark, h.Length-format.EndMarkSize); err != nil {
		return h, nil, t.headerError(err)
	}
	var classes []*format.Record
	if apart {
		classes, err = format.ReadHeads(f.Footer(), &h)
	} else {
		classes, err = format.ReadFooter(t.data, page, &h)
	}
	if err != nil {
		return h, nil, t.headerError(err)
	}
	if !bytes.Equal(mark, h.EndMark()) {
		return h, nil, t.damaged("its end mark is missing")
	}
	return h, classes, nil
}

// headerError turns what is wrong with header or directory into a sentence.
func (t *Table) headerError(err error) error {
	var bad *format.BadFrame
	switch {
	case errors.Is(err, tablebase.ErrForeign):
		return &tablebase.Error{Path: t.path, Err: tablebase.ErrForeign}
	case errors.Is(err, tablebase.ErrNewer):
		return &tablebase.Error{Path: t.path, Err: err}
	case errors.Is(err, tablebase.ErrTruncated):
		return &tablebase.Error{Path: t.path, Err: err, Remedy: t.remedy()}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return t.truncated("it became shorter while it was opened")
	case errors.Is(err, format.ErrHeader), errors.Is(err, format.ErrDirectory), errors.Is(err, format.ErrSeekTable), errors.As(err, &bad):
		return t.damaged("%v", err)
	}
	return tablebase.Failed(t.path, "read the table", err, "")
}

// Shape returns what the table holds.
func (t *Table) Shape() tablebase.Shape { return t.header.Shape }

// Identity returns the SHA-256 that tells this table from every other.
func (t *Table) Identity() [32]byte { return t.header.Identity }

// Bytes returns the length of the table, of what it unpacks to where it is packed.
func (t *Table) Bytes() int64 { return t.header.Length }

// Packed returns the length of the file where it is packed, else 0.
func (t *Table) Packed() int64 {
	if f, ok := t.data.(*pack.Frames); ok {
		return f.FileSize
	}
	return 0
}

// Path returns the path that the table was opened by.
func (t *Table) Path() string { return t.path }

// Classes returns the classes in the order they were solved, the fullest first.
func (t *Table) Classes() []tablebase.ClassInfo {
	infos := make([]tablebase.ClassInfo, len(t.classes))
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
		return tablebase.Failed(t.path, "close the table", err, "")
	}
	return nil
}

func (t *Table) isClosed() bool { return t.shut.Load() }

func (t *Table) closed() error { return &tablebase.Error{Path: t.path, Err: tablebase.ErrClosed} }

// damaged says that the contents of the table contradict each other.
func (t *Table) damaged(format string, args ...any) error {
	return &tablebase.Error{Path: t.path, Err: tablebase.ErrDamaged, Detail: fmt.Sprintf(format, args...), Remedy: t.remedy()}
}

// truncated says that the table ends too early.
func (t *Table) truncated(format string, args ...any) error {
	return &tablebase.Error{Path: t.path, Err: tablebase.ErrTruncated, Detail: fmt.Sprintf(format, args...), Remedy: t.remedy()}
}

// putAgain is the remedy where a table on a server is damaged.
const putAgain = "put the table on the server again"

// remedy is what helps against damage, "" where that depends on the program.
func (t *Table) remedy() string {
	if t.far {
		return putAgain
	}
	return ""
}
