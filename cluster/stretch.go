package cluster

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"backsolve/cluster/store"
	"backsolve/internal/durable"
	"backsolve/retro"
	"backsolve/tablebase/format"
)

// stretch is what was written into the table, or read there.
type stretch struct {
	Attempt string `json:"attempt"`
	// Sums are the checksums of the pieces, for each part, as bytes: a message has at most 1 MiB.
	Sums [][]byte `json:"sums"`
}

func (s *stretch) equal(o *stretch) bool {
	return s != nil && o != nil && slices.EqualFunc(s.Sums, o.Sums, bytes.Equal)
}

// add adds the checksums of what follows in a part.
func (s *stretch) add(part int, sums []uint32) {
	for len(s.Sums) <= part {
		s.Sums = append(s.Sums, nil)
	}
	s.Sums[part], _ = binary.Append(s.Sums[part], binary.LittleEndian, sums)
}

func (s *stretch) sums(part int) []uint32 {
	sums := make([]uint32, len(s.Sums[part])/4)
	binary.Decode(s.Sums[part], binary.LittleEndian, sums)
	return sums
}

// writeTable does a task that writes into the table, or reads back what another worker wrote.
func (j *job) writeTable(ctx context.Context, t task) (upload, error) {
	f, err := j.openTable(ctx, t)
	if err != nil {
		return nil, err
	}
	var done completion
	switch {
	case t.Check:
		done.Stretch, done.Counts, err = j.readBack(f, t)
	case j.runner.write != nil:
		done, err = j.runner.write(ctx, t, f)
	default:
		done, err = j.write(ctx, f, t)
	}
	err = errors.Join(err, f.Close()) // where a network file system reports a full disk
	return done.ready(), store.FullError(err, j.o.Store.String())
}

func (j *job) write(ctx context.Context, f io.WriterAt, t task) (done completion, err error) {
	defer j.worker.spend(time.Now(), &j.worker.status.Reading)
	done.Stretch = &stretch{Attempt: t.Attempt}
	for _, u := range j.units(t.shard) {
		err := j.readOrRepair(ctx, u.shard, func() error {
			return j.columns(ctx, u, t.Parts[format.Steps].Columns, func(outcomes, numbers [][]uint64) error {
				done.Written += 8 * u.words * int64(len(outcomes)+len(numbers))
				if err := writeColumns(f, t.Parts, u.at, done.Stretch, outcomes, numbers); err != nil {
					return &permanentError{fmt.Errorf("cannot write the table: %w", err)} // a file does not come back
				}
				return nil
			})
		})
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// readBack reads and counts what a task has written into the table; what cannot be right has no counts.
func (j *job) readBack(f io.ReaderAt, t task) (*stretch, *retro.StateCounts, error) {
	defer j.worker.spend(time.Now(), &j.worker.status.Reading)
	s, counts := &stretch{Attempt: t.Attempt}, new(retro.StateCounts)
	for _, u := range j.units(t.shard) {
		columns, err := readColumns(f, t.Parts, u.at, int(u.words), s)
		sum := new(retro.StateCounts)
		if j.onRead(8 * u.words * int64(len(columns[format.Outcomes])+len(columns[format.Steps]))); err == nil && j.runner.count != nil {
			sum, err = j.runner.count(u, columns[format.Outcomes], columns[format.Steps])
		}
		free(slices.Concat(columns...))
		if errors.Is(err, retro.ErrMiscounted) {
			return s, nil, nil
		}
		if err != nil {
			return nil, nil, err
		}
		counts.Add(sum)
	}
	counts.Trim()
	return s, counts, nil
}

type tableFile interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
}

// openTable opens the table of a task: in the store, or the one that the worker was started for.
func (j *job) openTable(ctx context.Context, t task) (tableFile, error) {
	flag := os.O_WRONLY
	if t.Check {
		flag = os.O_RDONLY
	}
	if t.File == j.o.Table {
		return durable.Open(t.File, flag)
	}
	if pieces := store.PiecesOf(ctx, j.o.Store, t.File); pieces != nil {
		return &pieceFile{Pieces: pieces}, nil
	}
	return j.o.Store.OpenFile(t.File, flag)
}

// pieceFile is a table in a bucket, of which a task writes successive bytes of both parts.
type pieceFile struct {
	*store.Pieces
	held []*heldPiece
}

type heldPiece struct {
	at   int64
	data []byte
}

// WriteAt implements io.WriterAt.
func (f *pieceFile) WriteAt(b []byte, at int64) (int, error) {
	i := slices.IndexFunc(f.held, func(p *heldPiece) bool { return p.at+int64(len(p.data)) == at })
	if i < 0 {
		i, f.held = len(f.held), append(f.held, &heldPiece{at: at})
	}
	p := f.held[i]
	if p.data = append(p.data, b...); len(p.data) < pieceBytes {
		return len(b), nil
	}
	err := f.Put(p.at, p.data)
	p.at, p.data = p.at+int64(len(p.data)), nil
	return len(b), err
}

// Close puts what is held back.
func (f *pieceFile) Close() (err error) {
	for _, p := range f.held {
		if len(p.data) > 0 {
			err = errors.Join(err, f.Put(p.at, p.data))
		}
	}
	return err
}

func writeColumns(f io.WriterAt, parts []format.Part, first int64, to *stretch, columns ...[][]uint64) error {
	for i, part := range parts {
		if len(columns[i]) == 0 && part.Columns > 0 {
			columns[i] = [][]uint64{make([]uint64, len(columns[0][0]))}
		}
		sums, err := part.WriteStretch(f, first, columns[i])
		if err != nil {
			return err
		}
		to.add(i, sums)
	}
	return nil
}

func readColumns(f io.ReaderAt, parts []format.Part, first int64, words int, to *stretch) (columns [][][]uint64, err error) {
	columns = make([][][]uint64, len(parts))
	for i, part := range parts {
		for range part.Columns {
			columns[i] = append(columns[i], newPlane(words))
		}
		sums, err := part.ReadStretch(f, first, columns[i])
		if errors.Is(err, io.ErrUnexpectedEOF) {
			sums, err = nil, nil // it is not there, which the coordinator finds out
		}
		if err != nil {
			return columns, err
		}
		to.add(i, sums)
	}
	return columns, nil
}
