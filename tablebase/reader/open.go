package reader

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"strings"

	"backsolve/tablebase"
	"backsolve/tablebase/container"
	"backsolve/tablebase/format"
	"backsolve/tablebase/pack"
)

const (
	// cacheBytes bounds the unpacked frames that a packed table keeps.
	cacheBytes = 64 << 20
	// fetchedFooter is how much of a footer on a Storage is fetched at once.
	fetchedFooter = 8 << 20
)

// Open opens a finished table, packed or not. It checks header and directory; data are
// checked when they are first touched. Errors: fs.ErrNotExist, ErrForeign, ErrTruncated, ErrNewer and ErrDamaged.
func Open(path string) (*Table, error) { return container.Open(path, openTable) }

// OpenIn is Open for a name beneath a directory, from which no link leads out.
func OpenIn(root *os.Root, name string) (*Table, error) {
	return container.OpenIn(root, name, openTable)
}

// OpenStorage is Open for a storage, which it closes if that fails. Messages use the name.
func OpenStorage(name string, s format.Storage) (*Table, error) {
	return container.OpenStorage(name, s, openTable)
}

// Head returns the shape and the number of classes by the header alone. ok is false if it is unreadable.
func Head(path string) (s tablebase.Shape, classes int, ok bool) {
	file, err := container.Open(path, func(path string, raw format.Source) (*container.File, error) { return container.New(path, raw, 0) })
	if err != nil {
		return s, 0, false
	}
	defer file.Close()
	page, h := make([]byte, format.PageSize), format.Header{}
	if format.ReadFull(file.Data, page, 0) != nil {
		return s, 0, false
	}
	h.Decode(page, format.PageSize) // whether the length is right does not matter
	h.Shape.Archive = file.Frames != nil && file.Frames.Level == pack.Archive
	return h.Shape, int(h.Classes), h.Shape.Game != ""
}

// openTable opens the table in a source, and says where it is unfinished.
func openTable(path string, raw format.Source) (*Table, error) {
	t, err := openSource(path, raw, cacheBytes)
	begun := strings.HasSuffix(path, tablebase.PartialSuffix) || strings.HasSuffix(path, tablebase.ManifestSuffix)
	if begun && (errors.Is(err, tablebase.ErrForeign) || errors.Is(err, tablebase.ErrTruncated)) {
		return nil, &tablebase.Error{Path: path, Err: tablebase.ErrUnfinished}
	}
	return t, err
}

// openSource opens the table in a source, which it closes if that fails. cache bounds unpacked frames.
func openSource(path string, raw format.Source, cache int) (*Table, error) {
	file, err := container.New(path, raw, cache)
	if err != nil {
		return nil, err
	}
	t := &Table{contents: &contents{File: file}}
	if err := load(t); err != nil {
		t.Data.Close()
		return nil, err
	}
	return t, nil
}

func load(t *Table) error {
	var err error
	if t.header, t.records, err = t.readEnds(); err != nil {
		return err
	}
	t.index()
	if t.Frames != nil {
		if err := t.Frames.SetRegions(&t.header, t.records); err != nil {
			return t.Failed(err)
		}
	}
	if t.header.Shape.Archive {
		t.archive, err = NewDeriver(t.Frames, t.header.Shape, t.records)
		if errors.Is(err, errNoRules) {
			return tablebase.Failed(t.Path(), "open the table", err, "")
		}
		if err != nil {
			return t.Damaged("%v", err)
		}
		t.Data = t.archive
	}
	mapped, err := t.Map(t.header.Length-format.EndMarkSize, le.Uint64(t.header.EndMark()))
	if mapped != nil {
		t.inMemory = &mapping{t.contents, mapped}
	}
	return err
}

// readEnds reads header, directory and end mark, and checks that they belong together.
func (c *contents) readEnds() (h format.Header, records []*format.Record, err error) {
	page, err := c.readHeader(&h)
	if err != nil {
		return h, nil, err
	}
	if c.Frames != nil && c.records == nil {
		c.Frames.FindEnds(&h)
	}
	if h.Shape.Archive = c.Frames != nil && c.Frames.Level == pack.Archive; h.Shape.Check() != nil {
		return h, nil, c.Damaged("it is an archive: %v", h.Shape.Check())
	}
	if err := c.Data.Fetch([]format.Extent{{Offset: h.FooterOffset, Length: min(h.FooterLength, fetchedFooter)}}); err != nil {
		return h, nil, c.Failed(err)
	}
	mark := make([]byte, format.EndMarkSize)
	if err := format.ReadFull(c.Data, mark, h.Length-format.EndMarkSize); err != nil {
		return h, nil, c.Failed(err)
	}
	if records, err = format.ReadFooter(c.Data, page, &h); err != nil {
		return h, nil, c.Failed(err)
	}
	if !bytes.Equal(mark, h.EndMark()) {
		return h, nil, c.Damaged("its end mark is missing")
	}
	return h, records, nil
}

func (c *contents) readHeader(h *format.Header) (page []byte, err error) {
	size, err := c.Data.Size()
	if err != nil {
		return nil, c.Failed(err)
	}
	page = make([]byte, format.PageSize)
	n, err := c.Data.ReadAt(page, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, c.Failed(err)
	}
	if n < len(page) {
		if magic := page[:min(n, len(format.TableMagic))]; !bytes.HasPrefix([]byte(format.TableMagic), magic) {
			return nil, c.Failed(tablebase.ErrForeign)
		}
		return nil, c.Truncated("%d bytes are less than a header", n)
	}
	if err := h.Decode(page, size); err != nil {
		return nil, c.Failed(err)
	}
	if h.Length > math.MaxInt {
		return nil, tablebase.Failed(c.Path(), "open the table", errors.New("it is larger than the address space"), "use a 64-bit system")
	}
	return page, nil
}
