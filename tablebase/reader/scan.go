package reader

import (
	"io"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// Masks returns the canonical masks of the i-th class, ascending and checked.
func (t *Table) Masks(i int) ([]uint64, error) {
	r, err := t.record(i, 0, 0)
	if err != nil {
		return nil, err
	}
	p := r.Parts[format.Masks]
	list := make([]uint64, p.Words)
	if err := p.Read(t.Data, r.Sums[format.Masks], 0, p.Words, [][]uint64{list}, 1); err != nil {
		return nil, t.classError(r, &format.PartError{Part: format.Masks, Cause: err})
	}
	if err := format.CheckMasks(t.header.Shape, list); err != nil {
		return nil, t.Damaged("class %d: %v", r.Class, err)
	}
	return list, nil
}

// Planes reads the planes of a run of blocks of the i-th class into dst, and reuses the memory
// of dst. It reads and checks whole chunks of 64 KiB, so runs should be of several.
func (t *Table) Planes(i int, firstBlock, blocks int, dst *tablebase.Planes) error {
	return t.readPlanes(t.header.Shape, i, firstBlock, blocks, dst)
}

// Outcomes is Planes without steps and nimbers, which it does not read.
func (t *Table) Outcomes(i int, firstBlock, blocks int, dst *tablebase.Planes) error {
	return t.readPlanes(tablebase.Shape{Planes: t.header.Shape.Planes}, i, firstBlock, blocks, dst)
}

// readPlanes is Planes, without digits where the shape has no numbers.
func (t *Table) readPlanes(shape tablebase.Shape, i, firstBlock, blocks int, dst *tablebase.Planes) error {
	r, err := t.record(i, firstBlock, blocks)
	if err != nil {
		return err
	}
	if err := r.ReadPlanes(t.Data, shape, firstBlock, blocks, dst, 1); err != nil {
		return t.classError(r, err)
	}
	return nil
}

// StoredPlanes is Planes with the steps that an archive has, of lost states, by checked frames.
func (t *Table) StoredPlanes(i int, firstBlock, blocks int, dst *tablebase.Planes) error {
	r, err := t.record(i, firstBlock, blocks)
	if err != nil {
		return err
	}
	if !t.class(r.Class).derived {
		return t.Planes(i, firstBlock, blocks, dst)
	}
	if err := t.Outcomes(i, firstBlock, blocks, dst); err != nil {
		return err
	}
	format.ResizePlanes(dst, t.header.Shape, r.Digits, blocks*r.Words()) // the outcomes stay
	if err := r.Parts[format.Steps].Copy(t.Frames, int64(firstBlock)*int64(r.Words()), dst.Steps); err != nil {
		return t.classError(r, &format.PartError{Part: format.Steps, Cause: err})
	}
	return nil
}

// Block returns the planes of one block of the i-th class, which are not to be changed. It reads
// little else, and so checks no chunks: Planes must have checked them.
func (t *Table) Block(i, block int) (p tablebase.Planes, err error) {
	r, err := t.record(i, block, 1)
	if err != nil {
		return p, err
	}
	format.ResizePlanes(&p, t.header.Shape, r.Parts[format.Steps].Columns, r.Words())
	source := io.ReaderAt(t.Data)
	if t.Frames != nil && t.Storage == nil {
		source = t.Frames.ThroughCache()
	}
	for part, columns := range [][][]uint64{format.OutcomePlanes(&p), p.Steps} {
		if t.class(r.Class).isDerived(part) {
			p.Steps, err = t.archive.Steps(r.Class, block)
		} else if len(columns) > 0 {
			err = r.Parts[part].Copy(source, int64(block)*int64(r.Words()), columns)
		}
		if err != nil {
			return p, t.classError(r, &format.PartError{Part: part, Cause: err})
		}
	}
	return p, nil
}

// record returns the record of the i-th class, which must have the given run of blocks.
func (t *Table) record(i, firstBlock, blocks int) (*format.Record, error) {
	if t.IsClosed() {
		return nil, t.Closed()
	}
	if i < 0 || i >= len(t.records) {
		return nil, tablebase.Inputf(t.Path(), "there is no class number %d of %d", i, len(t.records))
	}
	r := t.records[i]
	if firstBlock < 0 || blocks < 0 || firstBlock > r.Blocks-blocks {
		return nil, tablebase.Inputf(t.Path(), "there are no %d blocks from %d on in class %d", blocks, firstBlock, r.Class)
	}
	return r, nil
}
