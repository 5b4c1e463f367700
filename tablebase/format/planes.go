package format

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"backsolve/internal/bitslice"
	"backsolve/tablebase"
)

// OutcomePlanes returns the columns of the outcomes.
func OutcomePlanes(p *tablebase.Planes) [][]uint64 {
	if p.Lose == nil {
		return [][]uint64{p.Win}
	}
	return [][]uint64{p.Win, p.Lose}
}

// DigitsOf returns the number of digits of the steps.
func DigitsOf(p *tablebase.Planes) int {
	if p.Reader != nil {
		return p.Reader.Digits
	}
	return len(p.Steps)
}

// CheckPlanes says what is wrong with planes. What a RunReader has is checked when it is read.
func CheckPlanes(p *tablebase.Planes, s tablebase.Shape, indexBits int, words int64) error {
	if p.Outcomes != nil {
		if s.Planes != 2 || p.Win != nil || p.Lose != nil || len(p.Steps) > 0 || s.Nimbers || p.Reader != nil && p.Reader.Run != p.Outcomes.Run {
			return errors.New("only outcomes of two planes are read in runs, and steps in the same runs")
		}
		return nil
	}
	if (p.Lose != nil) != (s.Planes == 2) {
		return fmt.Errorf("a table with %d planes of outcomes needs the lost states just if there are 2", s.Planes)
	}
	for _, plane := range slices.Concat(OutcomePlanes(p), p.Steps) {
		if int64(len(plane)) != words {
			return fmt.Errorf("a plane has %d words, not %d", len(plane), words)
		}
	}
	if err := checkOutcomes(p.Win, p.Lose, indexBits); err != nil {
		return err
	}
	if s.Nimbers {
		return checkNimbers(p)
	}
	return checkSteps(p, indexBits, 0, p.Steps)
}

// checkOutcomes says what is wrong with outcomes; lose is nil in a game without draws.
func checkOutcomes(win, lose []uint64, indexBits int) error {
	var all, both uint64
	if lose == nil {
		for _, x := range win {
			all |= x
		}
	} else {
		lose = lose[:len(win)]
		for i, x := range win {
			both |= x & lose[i]
			all |= x | lose[i]
		}
	}
	switch {
	case all&^bitslice.Valid(indexBits) != 0:
		return fmt.Errorf("bits are set beyond the %d states of a slice", 1<<indexBits)
	case both != 0:
		return errors.New("a state is both won and lost")
	}
	return nil
}

func checkNimbers(p *tablebase.Planes) error {
	if p.Reader != nil {
		return errors.New("nimbers are not read in runs")
	}
	var lost uint64
	for _, digit := range p.Steps {
		for i, x := range digit {
			lost |= x &^ p.Win[i]
		}
	}
	if lost != 0 {
		return errors.New("a lost state has another nimber than 0")
	}
	return nil
}

// checkSteps says whether a drawn state has steps, in the digits of the words from first on.
func checkSteps(p *tablebase.Planes, indexBits int, first int64, digits [][]uint64) error {
	if len(digits) == 0 {
		return nil
	}
	valid := bitslice.Valid(indexBits)
	var undecided uint64
	err := withOutcomes(p, first, int64(len(digits[0])), func(outcomes [][]uint64) {
		for _, digit := range digits {
			for i, x := range digit {
				decided := valid
				if len(outcomes) == 2 {
					decided = outcomes[0][i] | outcomes[1][i]
				}
				undecided |= x &^ decided
			}
		}
	})
	if err != nil {
		return err
	}
	if undecided != 0 {
		return errors.New("a state without a winner has steps")
	}
	return nil
}

// ResizePlanes gives the planes n words and the given number of digits, and reuses their memory.
func ResizePlanes(p *tablebase.Planes, s tablebase.Shape, digits int, n int) {
	fit := func(b []uint64) []uint64 { return slices.Grow(b[:0], n)[:n] }
	p.Win = fit(p.Win)
	if s.Planes == 2 {
		p.Lose = fit(p.Lose)
	} else {
		p.Lose = nil
	}
	p.Steps = slices.Grow(p.Steps[:0], digits)[:digits]
	for d := range p.Steps {
		p.Steps[d] = fit(p.Steps[d])
	}
}

// ReadPlanes reads the planes of a run of blocks, checksums checked; none of the digits where s
// has no numbers. The error is a *PartError, or says what contradicts itself.
func (r *Record) ReadPlanes(f io.ReaderAt, s tablebase.Shape, first, blocks int, dst *tablebase.Planes, workers int) error {
	words, digits := int64(r.Words()), 0
	if s.Numbered() {
		digits = r.Digits
	}
	ResizePlanes(dst, s, digits, blocks*r.Words())
	for i, columns := range [][][]uint64{OutcomePlanes(dst), dst.Steps} {
		if len(columns) == 0 {
			continue
		}
		err := r.Parts[i].Read(f, r.Sums[i], int64(first)*words, int64(blocks)*words, columns, workers)
		if err != nil {
			return &PartError{i, err}
		}
	}
	return CheckPlanes(dst, s, r.IndexBits, int64(blocks)*words)
}

// Range returns where a chunk of a part is.
func (r *Record) Range(part, chunk int) tablebase.Range {
	offset, length := r.Parts[part].Chunk(chunk)
	return tablebase.Range{Class: r.Class, Part: r.Names[part], Offset: offset, Length: length}
}

// OutcomesAt writes the outcomes as they are in their part, from byte at, which starts a word.
func OutcomesAt(p *tablebase.Planes, buf []byte, at int64) error {
	columns := int64(2)
	if p.Outcomes == nil && p.Lose == nil {
		columns = 1
	}
	return withOutcomes(p, at/8/columns, int64(len(buf))/8/columns, func(planes [][]uint64) { interleave(buf, planes) })
}

var runBuffers = sync.Pool{New: func() any { return new([]uint64) }}

// withOutcomes calls use with the planes of count words of the outcomes, from word first on.
func withOutcomes(p *tablebase.Planes, first, count int64, use func(planes [][]uint64)) error {
	planes := OutcomePlanes(p)
	if p.Outcomes == nil {
		for i := range planes {
			planes[i] = planes[i][first : first+count]
		}
		use(planes)
		return nil
	}
	run := int64(p.Outcomes.Run)
	from := first / run * run
	words := (first + count - from + run - 1) / run * run
	buffer := runBuffers.Get().(*[]uint64)
	defer runBuffers.Put(buffer)
	*buffer = slices.Grow((*buffer)[:0], int(2*words))[:2*words]
	planes = [][]uint64{(*buffer)[:words], (*buffer)[words:]}
	if err := readRuns(p.Outcomes, planes, int(from)); err != nil {
		return err
	}
	for i := range planes {
		planes[i] = planes[i][first-from:][:count]
	}
	use(planes)
	return nil
}
