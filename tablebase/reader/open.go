package reader

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"backsolve/internal/stamp"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/pack"
)

const (
	// maxHeldFooter is the length of the longest footer of a packed table, in bytes, that is
	// read and checked by the identity when the table is opened. Of a longer one the
	// checksums stay in the file.
	maxHeldFooter = 1 << 20
	// cacheBytes bounds the unpacked frames that a packed table keeps.
	cacheBytes = 64 << 20

	// How much of a Storage is fetched when it is opened: the header with the frame that it
	// is packed in; and the end, where footer and seek table are in all but large tables.
	// Of a longer footer so much is fetched at once.
	fetchedHead   = 8 << 10
	fetchedTail   = 64 << 10
	fetchedFooter = 8 << 20
)

// Open opens a finished table, packed or not. It checks header and directory, but not the
// checksums in a long directory of a packed table; data are checked when they are first
// touched. Errors: fs.ErrNotExist, ErrForeign, ErrTruncated, ErrNewer and ErrDamaged.
func Open(path string) (*Table, error) {
	file, err := os.OpenFile(path, openFlags, 0)
	return openFile(path, file, err)
}

// OpenIn opens a table like Open, by its name beneath a directory. It does not follow a
// link that leads out of the directory.
func OpenIn(root *os.Root, name string) (*Table, error) {
	file, err := root.OpenFile(name, openFlags, 0)
	return openFile(filepath.Join(root.Name(), name), file, err)
}

// Head returns the shape that the header of a table gives, and the number of classes. ok is false if
// the header cannot be read. The rest of the file is not checked.
func Head(path string) (s tablebase.Shape, classes int, ok bool) {
	file, err := os.OpenFile(path, openFlags, 0)
	raw, err := Local(path, file, err)
	if err != nil {
		return s, 0, false
	}
	defer raw.Close()
	page, archive, err := pack.Head(raw)
	if err != nil {
		return s, 0, false
	}
	var h format.Header
	h.Decode(page, 0) // whether the length is right does not matter
	h.Shape.Archive = archive
	return h.Shape, int(h.Classes), h.Shape.Game != ""
}

// openFile opens the table in a file, or says why the file could not be opened.
func openFile(path string, file *os.File, err error) (*Table, error) {
	source, err := Local(path, file, err)
	if err != nil {
		return nil, err
	}
	t, err := openSource(path, source, maxHeldFooter, cacheBytes)
	begun := strings.HasSuffix(path, tablebase.PartialSuffix) || strings.HasSuffix(path, tablebase.ManifestSuffix)
	if begun && (errors.Is(err, tablebase.ErrForeign) || errors.Is(err, tablebase.ErrTruncated)) {
		return nil, &tablebase.Error{Path: path, Err: tablebase.ErrUnfinished}
	}
	return t, err
}

// OpenStorage opens a finished table like Open, packed or not, and closes the storage if
// that fails. Messages call the table by the name.
func OpenStorage(name string, s format.Storage) (*Table, error) {
	size, err := s.Size()
	if err == nil {
		tail := max(0, size-fetchedTail)
		err = s.Fetch([]format.Extent{{Offset: 0, Length: min(size, fetchedHead)}, {Offset: tail, Length: size - tail}})
	}
	if err != nil {
		s.Close()
		return nil, tablebase.Failed(name, "open the table", err, "")
	}
	return openSource(name, s, maxHeldFooter, cacheBytes)
}

// openSource opens the table in a source, and closes it if that fails. A packed table's footer
// is held unless it is longer than that; cache bounds the unpacked frames.
func openSource(path string, raw format.Source, held int64, cache int) (*Table, error) {
	c := &contents{reporter: reporter{path: path}}
	t := &Table{contents: c}
	if file, plain := raw.(plainFile); plain {
		t.watched = stamp.Watch(file.File)
		t.opened = t.watched.Stamp()
	}
	if c.storage, _ = raw.(format.Storage); c.storage != nil {
		c.remedy = putAgain
	}
	data, err := pack.Unpacked(path, raw, cache)
	if err != nil {
		raw.Close()
		return nil, err
	}
	c.data = data
	c.frames, _ = data.(*pack.Frames)
	if err := load(t, held); err != nil {
		data.Close()
		return nil, err
	}
	return t, nil
}

// mapTable maps a file; tests replace it.
var mapTable = mapFile

// load reads header and directory and prepares lookups.
func load(t *Table, held int64) error {
	var err error
	if t.header, t.records, err = t.readEnds(held); err != nil {
		return err
	}
	t.index()
	if t.frames != nil {
		if err := t.frames.SetRegions(&t.header, t.records); err != nil {
			return t.sourceError(err)
		}
	}
	if t.header.Shape.Archive {
		if t.archive, err = NewArchive(t.frames, t.header.Shape, t.records); err != nil {
			return t.damaged("%v", err)
		}
		t.data = t.archive
	}
	mapped, _, err := MapLocal(t.path, t.data, t.header.Length)
	if err != nil || mapped == nil {
		return err
	}
	t.mapped.Store(&mapping{t.contents, mapped, le.Uint64(t.header.EndMark())})
	return nil
}

// readEnds reads header, directory and end mark, and checks that they belong together. Of a
// packed table with a footer longer than held it leaves the checksums in the file.
func (c *contents) readEnds(held int64) (h format.Header, records []*format.Record, err error) {
	page, err := c.readHeader(&h)
	if err != nil {
		return h, nil, err
	}
	if c.frames != nil && c.records == nil {
		c.frames.FindEnds(&h)
	}
	if h.Shape.Archive = c.frames != nil && c.frames.Level() == pack.Archive; h.Shape.Check() != nil {
		return h, nil, c.damaged("it is an archive: %v", h.Shape.Check())
	}
	apart := c.frames != nil && c.storage == nil && h.FooterLength > held
	if !apart {
		if err := c.data.Fetch([]format.Extent{{Offset: h.FooterOffset, Length: min(h.FooterLength, fetchedFooter)}}); err != nil {
			return h, nil, c.sourceError(err)
		}
	}
	mark := make([]byte, format.EndMarkSize)
	if err := format.ReadFull(c.data, mark, h.Length-format.EndMarkSize); err != nil {
		return h, nil, c.sourceError(err)
	}
	if apart {
		records, err = format.ReadHeads(c.frames.ThroughCache(), &h)
	} else {
		records, err = format.ReadFooter(c.data, page, &h)
	}
	if err != nil {
		return h, nil, c.sourceError(err)
	}
	if !bytes.Equal(mark, h.EndMark()) {
		return h, nil, c.damaged("its end mark is missing")
	}
	return h, records, nil
}

// readHeader reads the header and returns its page.
func (c *contents) readHeader(h *format.Header) (page []byte, err error) {
	size, err := c.data.Size()
	if err != nil {
		return nil, c.sourceError(err)
	}
	page = make([]byte, format.PageSize)
	n, err := c.data.ReadAt(page, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, c.sourceError(err)
	}
	if n < len(page) {
		if magic := page[:min(n, len(format.TableMagic))]; !bytes.HasPrefix([]byte(format.TableMagic), magic) {
			return nil, c.sourceError(tablebase.ErrForeign)
		}
		return nil, c.truncated("%d bytes are less than a header", n)
	}
	if err := h.Decode(page, size); err != nil {
		return nil, c.sourceError(err)
	}
	if h.Length > math.MaxInt {
		return nil, tablebase.Failed(c.path, "open the table", errors.New("it is larger than the address space"), "use a 64-bit system")
	}
	return page, nil
}
