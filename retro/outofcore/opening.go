package outofcore

import (
	"errors"
	"fmt"
	"slices"

	"backsolve/bitslice"
	"backsolve/partition"
	"backsolve/tablebase"
)

// Opening is the table of the emptiest classes: those from Classes−1 down to 0 are
// sealed into it as they are solved.
type Opening struct {
	Writer  *tablebase.Writer
	Classes int
}

// ErrGone is the cause where classes of the opening table are missing that are
// solved already and whose slices are gone.
var ErrGone = errors.New("solved without the opening table")

// lacks reports whether a class is still to be sealed.
func (o *Opening) lacks(class int) bool {
	return o != nil && class < o.next()+1
}

// next is the class that is sealed next, −1 after the last.
func (o *Opening) next() int { return o.Classes - 1 - len(o.Writer.Sealed()) }

// check says whether the classes sealed so far are those of the opening.
func (o *Opening) check() error {
	for i, c := range o.Writer.Sealed() {
		if c.Class != o.Classes-1-i {
			return fmt.Errorf("%w: the opening table has class %d, not %d; finish it with the same --keep, or start over with --force", ErrGone, c.Class, o.Classes-1-i)
		}
	}
	return nil
}

// OpeningClasses returns how many of the emptiest classes of a space make a table
// of at most so many bytes.
func OpeningClasses(space partition.Space, bytes int64) int {
	classes := 0
	for ; classes <= space.MaskBits; classes++ {
		if OpeningBytes(space, classes+1) > bytes {
			break
		}
	}
	return classes
}

// OpeningBytes is the length of the table of so many of the emptiest classes, but
// for some pages.
func OpeningBytes(space partition.Space, classes int) int64 {
	const headerAndPadding = 3 * 4096
	var bytes int64
	for class, blocks := range partition.BlockCounts(space)[:classes] {
		bytes += blocks*8*int64(bitslice.Words(space.IndexBits[class])+1) + headerAndPadding
	}
	return bytes
}

// sealOpening seals the class that the stage finishes into the opening table, if it
// belongs there, so that it stays when the slices go.
func (s *solver) sealOpening(at stage) error {
	o := s.o.Opening
	if o == nil || at.class >= o.Classes {
		return nil
	}
	if err := o.check(); err != nil {
		return err
	}
	switch next := o.next(); {
	case next < at.class:
		return nil // before the interruption
	case next > at.class:
		return fmt.Errorf("%w: of the opening table class %d is missing, and its slices are gone; finish without it, by --keep result, or start over with --force", ErrGone, next)
	}
	class := s.files.of(at.number)
	if class == nil {
		return fmt.Errorf("%w: the slices of class %d are gone; finish without the opening table, by --keep result, or start over with --force", ErrGone, at.class)
	}
	sealed := s.files.whole(s.files.state.Stages[at.number+1-len(s.files.spaces):][:len(s.files.spaces)])
	cut := s.cuts[0].Class(at.class)
	err := o.Writer.SealSlices(tablebase.Class{Class: at.class, IndexBits: sealed.IndexBits, Masks: cut.Masks}, sealed.Counts, s.wholeSlices(at))
	if err != nil {
		return err
	}
	return o.Writer.Flush()
}

// wholeSlices returns the slices of a finished class by block, put together from
// the halves. Each is good until the next one.
func (s *solver) wholeSlices(at stage) func(block int) ([]uint64, error) {
	f := s.files
	if !f.halved() {
		return func(block int) ([]uint64, error) { return s.readSlice(f.of(at.number), block, nil) }
	}
	words := bitslice.Words(f.spaces[0].IndexBits[at.class])
	set, clear := make([]uint64, words), make([]uint64, words)
	whole := make([]uint64, bitslice.Words(f.space.IndexBits[at.class]))
	return func(block int) ([]uint64, error) {
		for half, of := range [][]uint64{set, clear} {
			if _, err := s.readSlice(f.of(at.number-1+half), block, of); err != nil {
				return nil, err
			}
		}
		bitslice.Interleave(whole, clear, set, f.halves.Bit, f.space.IndexBits[at.class])
		return whole, nil
	}
}

// readSlice reads the slice of a block, into dst unless that is nil.
func (s *solver) readSlice(from *sliceFile, block int, dst []uint64) ([]uint64, error) {
	if err := s.pool.Cause(); err != nil {
		return nil, err
	}
	buf := <-s.child
	defer func() { s.child <- buf }()
	h := <-s.hands
	defer func() { s.hands <- h }()
	b, err := from.stored(block, buf)
	if err != nil {
		return nil, err
	}
	s.read.Add(int64(len(b)))
	slice, err := from.unpack(&h.packer, block, b, buf, h.slice)
	if err != nil {
		return nil, err
	}
	return append(slices.Grow(dst[:0], len(slice)), slice...), nil
}
