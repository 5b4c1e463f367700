package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"backsolve/bitslice"
	"backsolve/cluster/store"
	"backsolve/internal/durable"
	"backsolve/retro"
	"backsolve/tablebase/format"
)

// stretch is what was written into the table, or read there.
type stretch struct {
	Attempt string     `json:"attempt"`
	Sums    [][]uint32 `json:"sums"` // of the pieces, for each part
}

// equal reports whether two stretches have the same checksums.
func (s *stretch) equal(o *stretch) bool {
	return s != nil && o != nil && slices.EqualFunc(s.Sums, o.Sums, slices.Equal[[]uint32])
}

// writeTable writes the blocks of a task into the table, or reads back what another worker wrote.
func (j *job) writeTable(ctx context.Context, t task) (upload, error) {
	began, g := time.Now(), t.group()
	defer j.worker.spend(began, &j.worker.status.Reading)
	done := completion{Read: j.worker.metrics().Read}
	f, err := j.openTable(t)
	if err != nil {
		return nil, err
	}
	if g.check {
		if done.Stretch, done.Counts, err = j.readStretch(f, t); err == nil {
			done.Check, done.Counts = &checkResult{Maker: t.Maker, Share: t.Share, Counts: done.Counts}, nil
		}
	} else {
		err = j.withPart(ctx, g, func(part *retro.SolvedBlocks) (err error) {
			done.Stretch, err = writeStretch(f, t, part)
			done.Counts, done.Written = &part.Counts, planeBytes(part)
			return err
		})
	}
	if closed := f.Close(); err == nil {
		err = closed // a network file system reports a full disk only here
	}
	done.Read = j.worker.metrics().Read - done.Read
	return func(context.Context) (completion, error) { return done, nil }, store.FullError(err, j.o.Store.String())
}

// openTable opens the table of a task. Outside the store a worker opens no other file than that it
// was started for.
func (j *job) openTable(t task) (*os.File, error) {
	flag := os.O_WRONLY
	if t.Check {
		flag = os.O_RDONLY
	}
	if t.File == j.o.Table {
		return durable.Open(t.File, flag)
	}
	if files, shared := j.o.Store.(store.Files); shared {
		return files.OpenFile(t.File, flag)
	}
	return nil, fmt.Errorf("this worker cannot open %s: its store is %v", t.File, j.o.Store)
}

// withPart calls do with the part of a group. If it is missing or damaged, the coordinator is told.
func (j *job) withPart(ctx context.Context, g group, do func(*retro.SolvedBlocks) error) error {
	g = group{subclass: subclass{class: g.class}, first: g.first, blocks: g.blocks}
	var part *retro.SolvedBlocks
	err := j.readOrRepair(ctx, g, func() (err error) {
		part, err = getPart(ctx, j.o.Store, j.solve, g, bitslice.Words(j.space.IndexBits[g.class]))
		return err
	})
	if err != nil {
		return err
	}
	defer freePart(part)
	j.worker.set(func(w *WorkerStatus) { w.Read += planeBytes(part) })
	return do(part)
}

// writeStretch writes a part into the table.
func writeStretch(f io.WriterAt, t task, part *retro.SolvedBlocks) (*stretch, error) {
	s := &stretch{Attempt: t.Attempt}
	for i, columns := range [][][]uint64{{part.Win}, part.Digits} {
		if i == format.Steps && len(columns) == 0 && t.Parts[i].Columns > 0 {
			columns = [][]uint64{make([]uint64, len(part.Win))}
		}
		sums, err := t.Parts[i].WriteStretch(f, int64(part.First)*int64(part.Words), columns)
		if err != nil {
			return nil, err
		}
		s.Sums = append(s.Sums, sums)
	}
	return s, nil
}

// nowhere is what a stretch is written to for its checksums alone.
type nowhere struct{}

func (nowhere) WriteAt(b []byte, _ int64) (int, error) { return len(b), nil }

// readStretch reads what was written into the table, and counts it.
func (j *job) readStretch(f *os.File, t task) (*stretch, *retro.StateCounts, error) {
	words := bitslice.Words(j.space.IndexBits[t.Class])
	part := &retro.SolvedBlocks{Class: t.Class, First: t.First, Words: words, Win: newPlane(t.Blocks * words)}
	for range t.Parts[format.Steps].Columns {
		part.Digits = append(part.Digits, newPlane(t.Blocks*words))
	}
	defer freePart(part)
	s := &stretch{Attempt: t.Attempt}
	for i, columns := range [][][]uint64{{part.Win}, part.Digits} {
		sums, err := t.Parts[i].ReadStretch(f, int64(t.First)*int64(words), columns)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			sums, err = nil, nil // it is not there, which the coordinator finds out
		}
		if err != nil {
			return nil, nil, err
		}
		s.Sums = append(s.Sums, sums)
	}
	j.worker.set(func(w *WorkerStatus) { w.Read += planeBytes(part) })
	counts, err := j.runner.(*tableRunner).blocks.Count(part)
	return s, counts, err
}

// differs reports whether the table has something else than the part of a group, or the worker that
// wrote it says so: then that was wrong, and otherwise the worker that has read it back.
func (j *job) differs(ctx context.Context, t task, base completion) (differs bool, err error) {
	t.Check = true
	f, err := j.openTable(t)
	if err != nil {
		return false, err
	}
	defer f.Close()
	found, _, err := j.readStretch(f, t)
	if err != nil {
		return false, err
	}
	err = j.withPart(ctx, t.group(), func(part *retro.SolvedBlocks) error {
		want, err := writeStretch(nowhere{}, t, part)
		differs = !want.equal(found) || !want.equal(base.Stretch)
		return err
	})
	return differs, err
}
