package reader

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"sync"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// Masks returns the canonical masks of the blocks of the i-th class, in
// ascending order, checksums checked.
func (t *Table) Masks(i int) ([]uint64, error) {
	r, err := t.class(i, 0, 0)
	if err != nil {
		return nil, err
	}
	p := r.Parts[format.Masks]
	list := make([]uint64, p.Words)
	if err := p.Read(t.data, &r.Sums[format.Masks], 0, p.Words, [][]uint64{list}, 1); err != nil {
		return nil, t.readError(r, &format.PartError{Part: format.Masks, Cause: err})
	}
	if err := format.CheckMasks(t.header.Shape, list); err != nil {
		return nil, t.damaged("class %d: %v", r.Class, err)
	}
	return list, nil
}

// Planes reads the planes of a run of blocks of the i-th class into dst, whose
// memory is used where it suffices. It reads and checks whole chunks of 64 KiB,
// so a scan asks best for runs of a mebibyte or more.
func (t *Table) Planes(i int, firstBlock, blocks int, dst *tablebase.Planes) error {
	r, err := t.class(i, firstBlock, blocks)
	if err != nil {
		return err
	}
	if err := r.ReadPlanes(t.data, t.header.Shape, firstBlock, blocks, dst, 1); err != nil {
		return t.readError(r, err)
	}
	return nil
}

// class returns the i-th class, which must have the given run of blocks.
func (t *Table) class(i, firstBlock, blocks int) (*format.Record, error) {
	if t.isClosed() {
		return nil, t.closed()
	}
	if i < 0 || i >= len(t.classes) {
		return nil, tablebase.Inputf(t.path, "there is no class number %d of %d", i, len(t.classes))
	}
	r := t.classes[i]
	if firstBlock < 0 || blocks < 0 || firstBlock > r.Blocks-blocks {
		return nil, tablebase.Inputf(t.path, "there are no %d blocks from %d on in class %d", blocks, firstBlock, r.Class)
	}
	return r, nil
}

// Verify reads the whole file with so many workers, at least 1, and checks every checksum. It goes on where one
// does not hold; the error lists all stretches that are damaged. After each
// stretch it calls progress, unless nil, with the bytes done and in all.
func (t *Table) Verify(ctx context.Context, workers int, progress func(done, total int64)) error {
	if t.isClosed() {
		return t.closed()
	}
	again, _, err := t.readEnds(math.MaxInt64)
	if err != nil {
		return err
	}
	if again != t.header {
		return t.damaged("it was overwritten while it was in use")
	}
	var found []tablebase.Stretch
	done := t.header.Length - t.header.FooterOffset + format.PageSize
	for _, r := range t.classes {
		for part := range r.Parts {
			bad, err := t.verifyPart(ctx, r, part, workers, func(bytes int64) {
				if done += bytes; progress != nil {
					progress(done, t.header.Length)
				}
			})
			if err != nil {
				return err
			}
			found = append(found, bad...)
		}
	}
	if len(found) > 0 {
		return &tablebase.Error{Path: t.path, Err: tablebase.ErrDamaged, Damaged: found, Remedy: t.remedy()}
	}
	return nil
}

// verifyPart returns the damaged stretches of a part, neighbouring chunks as
// one. It never calls progress twice at once.
func (t *Table) verifyPart(ctx context.Context, r *format.Record, part, workers int, progress func(bytes int64)) ([]tablebase.Stretch, error) {
	var lock sync.Mutex
	var bad []int
	p := r.Parts[part]
	err := format.EachStretch(p.Padded(), workers, func(buf []byte, at int64) error {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%s: %w", t.path, err)
		}
		unreadable := format.ReadFull(t.data, buf, p.Offset+at)
		if errors.Is(unreadable, io.ErrUnexpectedEOF) || errors.Is(unreadable, fs.ErrClosed) {
			return t.readError(r, unreadable)
		}
		if said := (*tablebase.Error)(nil); errors.As(unreadable, &said) {
			return said // a Storage that is out of reach is not damaged
		}
		found := r.BadChunks(t.data, part, buf, at, unreadable == nil)
		if len(found) == 0 && !p.IsPadded(buf, at) {
			return t.readError(r, &format.PartError{Part: part, Cause: format.ErrPadding})
		}
		lock.Lock()
		defer lock.Unlock()
		bad = append(bad, found...)
		progress(int64(len(buf)))
		return nil
	})
	slices.Sort(bad)
	var found []tablebase.Stretch
	for _, c := range bad {
		s := r.Stretch(part, c)
		if n := len(found) - 1; n >= 0 && found[n].Offset+found[n].Length == s.Offset {
			found[n].Length += s.Length
		} else {
			found = append(found, s)
		}
	}
	return found, err
}

// ReadAt reads bytes of the table, of what it unpacks to where it is packed. Their checksums
// are not checked. Errors are those of Planes, and io.EOF.
func (t *Table) ReadAt(buf []byte, offset int64) (int, error) {
	n, err := t.data.ReadAt(buf, offset)
	var bad *format.BadFrame
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return n, err
	case errors.As(err, &bad):
		return n, t.damaged("%v", bad)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return n, t.shrunk()
	}
	return n, tablebase.Failed(t.path, "read the table", err, "see to the disk")
}

// Layout returns the header and where the classes lie. They are shared: do not change them.
func (t *Table) Layout() (*format.Header, []*format.Record) { return &t.header, t.classes }
