package reader

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// Verify reads the whole file by workers, at least 1, and checks every checksum; of steps that an archive leaves out,
// those of the frames. The error lists all damaged ranges. progress may be nil, and is never called twice at once.
func (c *contents) Verify(ctx context.Context, workers int, progress func(tablebase.Event)) error {
	return c.VerifyRest(ctx, workers, nil, progress)
}

// VerifyRest is Verify without the parts that begin at the known offsets of the table.
func (c *contents) VerifyRest(ctx context.Context, workers int, known map[int64]bool, progress func(tablebase.Event)) error {
	if err := c.VerifyEnds(); err != nil {
		return err
	}
	var found []tablebase.Range
	done := c.header.Length - c.header.FooterOffset + format.PageSize
	for _, r := range c.records {
		for part := range r.Parts {
			if known[r.Parts[part].Offset] {
				continue
			}
			bad, err := c.verifyPart(ctx, r, part, workers, func(bytes int64) {
				done += bytes
				tablebase.Tell(progress, tablebase.Event{Stage: tablebase.Checksums, Unit: "bytes", Done: uint64(done), Total: uint64(c.header.Length)})
			})
			if err != nil {
				return err
			}
			found = append(found, bad...)
		}
	}
	if len(found) > 0 {
		return &tablebase.Error{Path: c.Path(), Err: tablebase.ErrDamaged, Damaged: found, Remedy: c.Remedy()}
	}
	return nil
}

// VerifyEnds reads header, directory and end mark again: Masks and Planes check all else.
func (c *contents) VerifyEnds() error {
	if c.IsClosed() {
		return c.Closed()
	}
	again, _, err := c.readEnds()
	if err == nil && again != c.header {
		err = c.Damaged("it was overwritten while it was in use")
	}
	return err
}

// verifyPart returns the damaged ranges of a part. It never calls count twice at once.
func (c *contents) verifyPart(ctx context.Context, r *format.Record, part, workers int, count func(bytes int64)) ([]tablebase.Range, error) {
	var lock sync.Mutex
	var bad []int
	p, sums, data := r.Parts[part], r.Sums[part], io.ReaderAt(c.Data)
	if c.class(r.Class).isDerived(part) {
		data, sums = c.Frames, nil // what is stored: all steps are derived when they are read
	}
	err := format.EachRange(p.Padded(), workers, func(buf []byte, at int64) error {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%s: %w", c.Path(), err)
		}
		unreadable := format.ReadFull(data, buf, p.Offset+at)
		if errors.Is(unreadable, io.ErrUnexpectedEOF) || errors.Is(unreadable, fs.ErrClosed) {
			return c.classError(r, unreadable)
		}
		if said := (*tablebase.Error)(nil); errors.As(unreadable, &said) {
			return said // a Storage that cannot be reached is not damaged
		}
		found := p.BadChunks(data, sums, buf, at, unreadable == nil)
		if len(found) == 0 && !p.IsPadded(buf, at) {
			return c.classError(r, &format.PartError{Part: part, Cause: format.ErrPadding})
		}
		lock.Lock()
		defer lock.Unlock()
		bad = append(bad, found...)
		count(int64(len(buf)))
		return nil
	})
	slices.Sort(bad)
	var found []tablebase.Range
	for _, chunk := range bad {
		s := r.Range(part, chunk)
		if n := len(found) - 1; n >= 0 && found[n].Offset+found[n].Length == s.Offset {
			found[n].Length += s.Length
		} else {
			found = append(found, s)
		}
	}
	return found, err
}
