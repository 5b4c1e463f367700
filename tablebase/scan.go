package tablebase

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"sync"
)

// Masks returns the canonical masks of the blocks of the i-th class, in
// ascending order, checksums checked.
func (t *Table) Masks(i int) ([]uint64, error) {
	r, err := t.class(i, 0, 0)
	if err != nil {
		return nil, err
	}
	p := r.parts[masks]
	list := make([]uint64, p.words)
	if err := p.read(t.data, &r.sums[masks], 0, p.words, [][]uint64{list}, 1); err != nil {
		return nil, t.readError(r, &partError{masks, err})
	}
	if err := t.header.shape.checkMasks(list); err != nil {
		return nil, t.damaged("class %d: %v", r.Class, err)
	}
	return list, nil
}

// Planes reads the planes of a run of blocks of the i-th class into dst, whose
// memory is used where it suffices. It reads and checks whole chunks of 64 KiB,
// so a scan asks best for runs of a mebibyte or more.
func (t *Table) Planes(i int, firstBlock, blocks int, dst *Planes) error {
	r, err := t.class(i, firstBlock, blocks)
	if err != nil {
		return err
	}
	if err := r.readPlanes(t.data, t.header.shape, firstBlock, blocks, dst, 1); err != nil {
		return t.readError(r, err)
	}
	return nil
}

// class returns the i-th class, which must have the given run of blocks.
func (t *Table) class(i, firstBlock, blocks int) (*record, error) {
	if t.isClosed() {
		return nil, t.closed()
	}
	if i < 0 || i >= len(t.classes) {
		return nil, input(t.path, "there is no class number %d of %d", i, len(t.classes))
	}
	r := t.classes[i]
	if firstBlock < 0 || blocks < 0 || firstBlock > r.Blocks-blocks {
		return nil, input(t.path, "there are no %d blocks from %d on in class %d", blocks, firstBlock, r.Class)
	}
	return r, nil
}

// Verify reads the whole file and checks every checksum. It goes on where one
// does not hold; the error lists all stretches that are damaged. After each
// stretch it calls progress, unless nil, with the bytes done and in all.
func (t *Table) Verify(ctx context.Context, progress func(done, total int64)) error {
	return t.verify(ctx, 1, progress)
}

// verify is Verify by so many workers.
func (t *Table) verify(ctx context.Context, workers int, progress func(done, total int64)) error {
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
	var found []Stretch
	done := t.header.length - t.header.footerOffset + pageSize
	for _, r := range t.classes {
		for part := range r.parts {
			bad, err := t.verifyPart(ctx, r, part, workers, func(bytes int64) {
				if done += bytes; progress != nil {
					progress(done, t.header.length)
				}
			})
			if err != nil {
				return err
			}
			found = append(found, bad...)
		}
	}
	if len(found) > 0 {
		return &Error{Path: t.path, Err: ErrDamaged, Damaged: found, Remedy: t.remedy()}
	}
	return nil
}

// verifyPart returns the damaged stretches of a part, neighbouring chunks as
// one. It never calls progress twice at once.
func (t *Table) verifyPart(ctx context.Context, r *record, part, workers int, progress func(bytes int64)) ([]Stretch, error) {
	var lock sync.Mutex
	var bad []int
	p := r.parts[part]
	err := eachStretch(p.padded(), workers, func(buf []byte, at int64) error {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%s: %w", t.path, err)
		}
		unreadable := readFull(t.data, buf, p.offset+at)
		if errors.Is(unreadable, io.ErrUnexpectedEOF) || errors.Is(unreadable, fs.ErrClosed) {
			return t.readError(r, unreadable)
		}
		if said := (*Error)(nil); errors.As(unreadable, &said) {
			return said // a Storage that is out of reach is not damaged
		}
		found := r.badChunks(t.data, part, buf, at, unreadable == nil)
		if len(found) == 0 && !p.isPadded(buf, at) {
			return t.readError(r, &partError{part, errPadding})
		}
		lock.Lock()
		defer lock.Unlock()
		bad = append(bad, found...)
		progress(int64(len(buf)))
		return nil
	})
	slices.Sort(bad)
	var found []Stretch
	for _, c := range bad {
		s := r.stretch(part, c)
		if n := len(found) - 1; n >= 0 && found[n].Offset+found[n].Length == s.Offset {
			found[n].Length += s.Length
		} else {
			found = append(found, s)
		}
	}
	return found, err
}

// badChunks returns which chunks of a stretch of a part do not have their
// checksums; of a stretch that could not be read as a whole, each is read again.
func (r *record) badChunks(f io.ReaderAt, part int, stretch []byte, at int64, isRead bool) (bad []int) {
	for i := 0; i < len(stretch); i += chunkSize {
		chunk := stretch[i:min(i+chunkSize, len(stretch))]
		c := int((at + int64(i)) / chunkSize)
		if !isRead && readFull(f, chunk, r.parts[part].offset+at+int64(i)) != nil || r.sums[part].check(c, checksum(chunk)) != nil {
			bad = append(bad, c)
		}
	}
	return bad
}
