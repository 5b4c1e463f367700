package format

import (
	"backsolve/internal/parallel"
	"backsolve/tablebase"
)

// Columns yield the words of a part in runs, each of which starts a chunk.
type Columns struct {
	held   [][]uint64 // in memory, or nil:
	reader *tablebase.RunReader
	check  func(first int64, digits [][]uint64) error // unless nil
	serial bool                                       // runs are read in order
	Failed func(error)                                // called, unless nil, when a run cannot be taken
}

// Held returns columns that are in memory.
func Held(planes [][]uint64) Columns { return Columns{held: planes} }

// PlaneColumns returns the columns of the outcomes and of the steps or nimbers.
func PlaneColumns(p *tablebase.Planes, indexBits int) (outcomes, steps Columns) {
	outcomes, steps = Held(OutcomePlanes(p)), Held(p.Steps)
	if p.Outcomes != nil {
		outcomes = Columns{reader: p.Outcomes, check: func(_ int64, planes [][]uint64) error {
			return checkOutcomes(planes[0], planes[1], indexBits)
		}}
	}
	if p.Reader != nil {
		steps = Columns{reader: p.Reader, check: func(first int64, digits [][]uint64) error {
			return checkSteps(p, indexBits, first, digits)
		}}
	}
	return outcomes, steps
}

// InOrder returns columns that one goroutine reads, run after run.
func InOrder(read func(dst [][]uint64, first int) error) Columns {
	return Columns{reader: &tablebase.RunReader{Run: IOSize / 8, Read: read}, serial: true}
}

// run returns how many words of a column are taken at once: whole chunks, about IOSize.
func (l Columns) run(p Part) int64 {
	if l.reader == nil {
		most := int64(IOSize / ChunkSize / p.Columns)
		return ChunkSize / 8 * max(1, min(most, int64(p.Chunks())/64))
	}
	return max(ChunkSize/8, int64(l.reader.Run))
}

// take returns the words [first, first+count) of the columns. scratch has room for as many.
func (l Columns) take(first, count int64, scratch [][]uint64) ([][]uint64, error) {
	if l.reader == nil {
		for i, column := range l.held {
			scratch[i] = column[first : first+count]
		}
		return scratch, nil
	}
	dst := make([][]uint64, len(scratch))
	for i := range dst {
		dst[i] = scratch[i][:count]
	}
	if err := readRuns(l.reader, dst, int(first)); err != nil || l.check == nil {
		return dst, err
	}
	return dst, l.check(first, dst)
}

// readRuns fills dst with the words from first on, the start of a run.
func readRuns(r *tablebase.RunReader, dst [][]uint64, first int) error {
	run := make([][]uint64, len(dst))
	for at := 0; at < len(dst[0]); at += r.Run {
		for i, column := range dst {
			run[i] = column[at:min(at+r.Run, len(column))]
		}
		if err := r.Read(run, first+at); err != nil {
			return err
		}
	}
	return nil
}

func (l Columns) scratch(p Part) [][]uint64 {
	s := make([][]uint64, p.Columns)
	if l.reader != nil {
		for i := range s {
			s[i] = make([]uint64, min(l.run(p), p.Words))
		}
	}
	return s
}

// EachRun has workers work on the bytes of the part, run by run. at is the first byte of buf,
// which ends with zeros up to the next page. The first error ends it.
func (p Part) EachRun(from Columns, workers int, work func(buf []byte, at int64) error) error {
	if p.Words == 0 || p.Columns == 0 {
		return nil
	}
	run, stride := from.run(p), int64(p.Columns)*8
	if from.serial {
		workers = 1
	}
	return parallel.Each(int((p.Words+run-1)/run), workers, func(next func() (int, bool)) error {
		scratch := from.scratch(p)
		buf := make([]byte, min(run*stride, p.Padded()))
		for i, more := next(); more; i, more = next() {
			first := int64(i) * run
			columns, err := from.take(first, min(run, p.Words-first), scratch)
			if err != nil {
				if from.Failed != nil {
					from.Failed(err)
				}
				return err
			}
			at := first * stride
			piece := buf[:min(run*stride, p.Padded()-at)]
			interleave(piece, columns)
			if err := work(piece, at); err != nil {
				return err
			}
		}
		return nil
	})
}

// interleave fills buf with the words of the columns, one of each in turn, and then zeros.
func interleave(buf []byte, columns [][]uint64) {
	stride := 8 * len(columns)
	for l, column := range columns {
		pos := 8 * l
		for _, v := range column {
			le.PutUint64(buf[pos:], v)
			pos += stride
		}
	}
	clear(buf[len(columns[0])*stride:])
}
