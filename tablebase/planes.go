package tablebase

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// outcomes returns the columns of the part that holds the outcomes.
func (p *Planes) outcomes() [][]uint64 {
	if p.Lose == nil {
		return [][]uint64{p.Win}
	}
	return [][]uint64{p.Win, p.Lose}
}

// digits returns the number of digits of the steps.
func (p *Planes) digits() int {
	if p.Reader != nil {
		return p.Reader.Digits
	}
	return len(p.Steps)
}

// check says what is wrong with planes of the given number of words. What a Reader
// has is checked when it is read.
func (p *Planes) check(s Shape, indexBits int, words int64) error {
	if (p.Lose != nil) != (s.Planes == 2) {
		return fmt.Errorf("a table with %d planes of outcomes needs the lost states just if there are 2", s.Planes)
	}
	for _, plane := range slices.Concat(p.outcomes(), p.Steps) {
		if int64(len(plane)) != words {
			return fmt.Errorf("a plane has %d words, not %d", len(plane), words)
		}
	}
	valid := ^uint64(0)
	if indexBits < 6 {
		valid = 1<<(1<<indexBits) - 1
	}
	var stray, both uint64
	for w, win := range p.Win {
		decided := valid
		if p.Lose != nil {
			decided = win | p.Lose[w]
			both |= win & p.Lose[w]
		}
		stray |= (decided | win) &^ valid
	}
	switch {
	case stray != 0:
		return fmt.Errorf("bits are set beyond the %d states of a slice", 1<<indexBits)
	case both != 0:
		return errors.New("a state is both won and lost")
	}
	if s.Nimbers {
		return p.checkNimbers()
	}
	return p.checkSteps(indexBits, 0, p.Steps)
}

// checkNimbers says whether lost states have another nimber than 0.
func (p *Planes) checkNimbers() error {
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

// checkSteps says whether states without a winner have steps among the digits of the
// words from first on.
func (p *Planes) checkSteps(indexBits int, first int64, digits [][]uint64) error {
	valid := ^uint64(0)
	if indexBits < 6 {
		valid = 1<<(1<<indexBits) - 1
	}
	var undecided uint64
	for _, digit := range digits {
		for i, x := range digit {
			decided := valid
			if p.Lose != nil {
				decided = p.Win[first+int64(i)] | p.Lose[first+int64(i)]
			}
			undecided |= x &^ decided
		}
	}
	if undecided != 0 {
		return errors.New("a state without a winner has steps")
	}
	return nil
}

// resize gives the planes n words each and as many digits as asked for, and
// keeps what memory there is.
func (p *Planes) resize(s Shape, digits int, n int) {
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

// partError says in which part of a class reading failed.
type partError struct {
	part  int
	cause error
}

func (e *partError) Error() string { return e.cause.Error() }
func (e *partError) Unwrap() error { return e.cause }

// readPlanes reads the planes of a run of blocks, checksums checked. The error
// is a *partError, or says what contradicts itself.
func (r *record) readPlanes(f io.ReaderAt, s Shape, first, blocks int, dst *Planes, workers int) error {
	words := int64(r.Words())
	dst.resize(s, r.Digits, blocks*r.Words())
	for i, columns := range [][][]uint64{dst.outcomes(), dst.Steps} {
		if len(columns) == 0 {
			continue
		}
		err := r.parts[i].read(f, &r.sums[i], int64(first)*words, int64(blocks)*words, columns, workers)
		if err != nil {
			return &partError{i, err}
		}
	}
	return dst.check(s, r.IndexBits, int64(blocks)*words)
}

// readError turns what went wrong while reading a class into a sentence.
func readError(path string, r *record, err error, remedy string) error {
	var at *partError
	var bad *badChunk
	var frame *badFrame
	switch {
	case errors.As(err, &at) && errors.As(err, &bad):
		return &Error{Path: path, Err: ErrDamaged, Damaged: []Stretch{r.stretch(at.part, bad.chunk)}, Remedy: remedy}
	case errors.As(err, &at) && errors.Is(err, errPadding):
		return &Error{Path: path, Err: ErrDamaged, Detail: fmt.Sprintf("class %d, %s: %v", r.Class, r.names[at.part], errPadding), Remedy: remedy}
	case errors.As(err, &frame):
		return &Error{Path: path, Err: ErrDamaged, Detail: fmt.Sprintf("class %d: %v", r.Class, frame), Remedy: remedy}
	case errors.Is(err, errSeekTable):
		return &Error{Path: path, Err: ErrDamaged, Detail: fmt.Sprintf("class %d: %v", r.Class, err), Remedy: remedy}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{Path: path, Err: ErrTruncated, Detail: fmt.Sprintf("it ends within class %d", r.Class), Remedy: remedy}
	case at != nil:
		return failed(path, "read the table", err, remedy)
	}
	return &Error{Path: path, Err: ErrDamaged, Detail: fmt.Sprintf("class %d: %v", r.Class, err), Remedy: remedy}
}

// stretch describes a chunk of a part.
func (r *record) stretch(part, chunk int) Stretch {
	offset, length := r.parts[part].chunk(chunk)
	return Stretch{Class: r.Class, Part: r.names[part], Offset: offset, Length: length}
}
