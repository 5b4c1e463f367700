package reader

import (
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"sync/atomic"

	"backsolve/tablebase"
	"backsolve/tablebase/container"
	"backsolve/tablebase/format"
)

var le = binary.LittleEndian

// contents is what all ways of reading a table share.
type contents struct {
	*container.File
	archive Deriver // nil where the table is not an archive; it then is the data
	header  format.Header
	records []*format.Record
	byClass [format.MaxClass + 1]*class
	checked container.Checked
}

// class has the first chunks and frames of its parts, counted over the whole table.
type class struct {
	*format.Record
	words      uint64       // of a slice
	derived    bool         // the steps of won states are
	fetched    atomic.Bool  // the masks were fetched
	unchecked  atomic.Int64 // chunks of outcomes and steps that have not been checked
	firstChunk [format.PartCount]int
	firstFrame [format.PartCount]int
}

func (c *contents) index() {
	chunks, frames := 0, 1 // the header is the first frame
	for _, r := range c.records {
		l := &class{Record: r, words: uint64(r.Words()), derived: c.Frames != nil && c.Frames.Archived(r)}
		for i, p := range r.Parts {
			l.firstChunk[i], l.firstFrame[i] = chunks, frames
			chunks += p.Chunks()
			frames += p.Frames()
		}
		l.unchecked.Store(int64(r.Parts[format.Outcomes].Chunks() + r.Parts[format.Steps].Chunks()))
		c.byClass[r.Class] = l
	}
	c.checked = container.NewChecked(int64(chunks))
}

func (l *class) isDerived(part int) bool { return l.derived && part == format.Steps }

// class returns a class by its number of marked cells, nil for none.
func (c *contents) class(number int) *class {
	if uint(number) >= uint(len(c.byClass)) {
		return nil
	}
	return c.byClass[number]
}

// locate returns the class of a place; ErrInput where the place is not in the table.
func (c *contents) locate(p Place) (*class, error) {
	l := c.class(p.Class)
	if l == nil || uint(p.Block) >= uint(l.Blocks) || p.Index>>l.IndexBits != 0 {
		return nil, tablebase.Inputf(c.Path(), "there is no state %d in block %d of class %d", p.Index, p.Block, p.Class)
	}
	return l, nil
}

// checkOnce checks the chunks that hold a word of each column of a part, once.
func (c *contents) checkOnce(l *class, part int, word uint64) error {
	stride := uint64(l.Parts[part].Columns) * 8
	first := int(word * stride / format.ChunkSize)
	last := int(((word+1)*stride - 1) / format.ChunkSize)
	for chunk := first; chunk <= last; chunk++ {
		if !c.isChecked(l, part, chunk) {
			if err := c.checkChunk(l, part, chunk); err != nil {
				return err
			}
		}
	}
	return nil
}

// isChecked reports whether a chunk was checked. Derived steps have the checksums of their frames.
func (c *contents) isChecked(l *class, part, chunk int) bool {
	if l.isDerived(part) {
		return true
	}
	return c.checked.Has(uint(l.firstChunk[part] + chunk))
}

// checkChunk checks a chunk for checkOnce. It reads the file, not the mapping, all pages at once.
func (c *contents) checkChunk(l *class, part, chunk int) (err error) {
	if c.Frames != nil {
		if c.Storage != nil {
			offset, length := l.Parts[part].Chunk(chunk)
			err = c.fetch([]format.Extent{{Offset: offset, Length: length}})
		}
		if err == nil {
			err = c.Frames.CheckChunk(l.Record, part, l.firstFrame[part], chunk)
		}
	} else {
		buffer := format.ChunkBuffers.Get().(*[]byte)
		_, err = l.ReadChunk(c.Data, part, chunk, *buffer)
		format.ChunkBuffers.Put(buffer)
	}
	if err != nil {
		return c.classError(l.Record, &format.PartError{Part: part, Cause: err})
	}
	c.setChecked(l, part, chunk)
	return nil
}

func (c *contents) setChecked(l *class, part, chunk int) {
	if c.checked.Set(uint(l.firstChunk[part]+chunk)) && part != format.Masks {
		l.unchecked.Add(-1)
	}
}

func (c *contents) fetch(wanted []format.Extent) error {
	if c.IsClosed() {
		return c.Closed()
	}
	return c.Failed(c.Data.Fetch(wanted))
}

func (c *contents) bothWonAndLost(p Place) error {
	return c.Damaged("class %d, block %d, state %d is both won and lost", p.Class, p.Block, p.Index)
}

func (c *contents) classError(class *format.Record, err error) error {
	if errors.Is(err, fs.ErrClosed) || errors.Is(err, io.ErrUnexpectedEOF) {
		return c.Failed(err)
	}
	return format.ReadError(c.Path(), class, err, c.Remedy())
}
