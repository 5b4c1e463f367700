// Package archive finds the steps that an archive leaves out, by the rules of its game. To import it
// has package reader open archives.
package archive

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"sync"

	"backsolve/internal/bitslice"
	"backsolve/internal/recent"
	"backsolve/partition"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/pack"
	"backsolve/tablebase/reader"
)

func init() {
	reader.NewDeriver = func(frames *pack.Frames, s tablebase.Shape, classes []*format.Record) (reader.Deriver, error) {
		return New(frames, s, classes)
	}
}

// Archive is an archive as a source: its frames, and the steps of won states. Unless terminal, these end one ply
// after the first of the lost states after them, whose steps are stored. It is safe for concurrent use.
type Archive struct {
	*pack.Frames
	space   *partition.Space
	classes [format.MaxClass + 1]*archivedClass
	derived []*archivedClass // those whose steps are derived, in the order of the file
	slices  recent.Cache[sliceKey, heldSlice]
}

type archivedClass struct {
	*format.Record
	digits int              // that steps are compared by: those of the class and its children
	part   bitslice.Segment // the first of a slice
	lock   sync.Mutex
	masks  []uint64 // nil until they are read
}

// partBits bounds the words that are derived at once, so that they stay in a core's cache.
const partBits = 11

// New returns the frames of an archive with these classes as a source of all steps.
func New(frames *pack.Frames, s tablebase.Shape, classes []*format.Record) (*Archive, error) {
	space, err := partition.Named(s.Game, s.Size)
	if err != nil {
		return nil, fmt.Errorf("an archive needs the moves of its game: %w", err)
	}
	a := &Archive{Frames: frames, space: space, slices: recent.Cache[sliceKey, heldSlice]{Limit: youngBytes}}
	for _, r := range classes {
		if r.Class > space.MaskBits || r.IndexBits != space.IndexBits[r.Class] || s.Planes != space.Planes() {
			return nil, fmt.Errorf("%w: class %d is not one of %s %d×%d", format.ErrDirectory, r.Class, s.Game, s.Size, s.Size)
		}
		c := &archivedClass{Record: r, digits: r.Digits, part: bitslice.Whole(min(r.IndexBits, partBits+bitslice.WordBits))}
		if r.Class < space.MaskBits {
			above := a.classes[r.Class+1]
			if above == nil {
				return nil, fmt.Errorf("%w: class %d is missing", format.ErrDirectory, r.Class+1)
			}
			c.digits = max(c.digits, above.Digits)
		}
		if a.classes[r.Class] = c; frames.Archived(r) {
			a.derived = append(a.derived, c)
		}
	}
	return a, nil
}

// ReadAt reads the unpacked table, in long runs: it derives steps of whole parts of slices.
func (a *Archive) ReadAt(buf []byte, offset int64) (n int, err error) {
	for n < len(buf) {
		at := offset + int64(n)
		i := sort.Search(len(a.derived), func(i int) bool { p := a.derived[i].Parts[format.Steps]; return p.Offset+p.Padded() > at })
		piece := buf[n:]
		if i == len(a.derived) || a.derived[i].Parts[format.Steps].Offset > at {
			if i < len(a.derived) {
				piece = piece[:min(int64(len(piece)), a.derived[i].Parts[format.Steps].Offset-at)]
			}
			m, err := a.Frames.ReadAt(piece, at)
			if n += m; err != nil {
				return n, err
			}
			continue
		}
		p := a.derived[i].Parts[format.Steps]
		piece = piece[:min(int64(len(piece)), p.Offset+p.Padded()-at)]
		if err := a.readSteps(a.derived[i], piece, at-p.Offset); err != nil {
			return n, err
		}
		n += len(piece)
	}
	return n, nil
}

// readSteps derives bytes of the steps of a class, from byte at of their part.
func (a *Archive) readSteps(c *archivedClass, buf []byte, at int64) error {
	stride := int64(c.Parts[format.Steps].Columns) * 8
	length := int64(c.Words()) * stride
	for len(buf) > 0 {
		block := int(at / length)
		if block >= c.Blocks {
			clear(buf) // padding at the end of the part
			return nil
		}
		steps, err := a.steps(c, block)
		if err != nil {
			return err
		}
		from := at % length
		done := min(int64(len(buf)), length-from)
		interleave(buf[:done], from, steps)
		buf, at = buf[done:], at+done
	}
	return nil
}

// interleave writes steps as they are in their part, from a byte on.
func interleave(buf []byte, from int64, steps bitslice.Numbers) {
	var word [8]byte
	i, column := int(from/8)/len(steps), int(from/8)%len(steps)
	for len(buf) > 0 {
		binary.LittleEndian.PutUint64(word[:], steps[column][i])
		n := copy(buf, word[from%8:])
		buf, from = buf[n:], 0
		if column++; column == len(steps) {
			i, column = i+1, 0
		}
	}
}

// slice is a slice as it is read, with the steps of its lost states.
type slice struct {
	won, lost []uint64
	steps     bitslice.Numbers
}

func (a *Archive) held(c *archivedClass, block int) *heldSlice {
	return a.slices.Get(sliceKey{c.Class, block}, heldBytes(c))
}

func heldBytes(c *archivedClass) int64 { return int64(c.Words()) * 8 * int64(2+2*c.Digits) }

func (a *Archive) slice(c *archivedClass, block int) (*slice, error) {
	h := a.held(c, block)
	h.read.Do(func() { h.slice, h.readError = a.readSlice(c, block) })
	if h.readError != nil {
		a.slices.Forget(sliceKey{c.Class, block})
	}
	return &h.slice, h.readError
}

// Steps returns all steps of a block of a class; see reader.Deriver.
func (a *Archive) Steps(class, block int) ([][]uint64, error) {
	return a.steps(a.classes[class], block)
}

func (a *Archive) steps(c *archivedClass, block int) (bitslice.Numbers, error) {
	h := a.held(c, block)
	h.derive.Do(func() { h.steps, h.deriveError = a.derive(c, block) })
	if h.deriveError != nil {
		a.slices.Forget(sliceKey{c.Class, block})
	}
	return h.steps, h.deriveError
}

func (a *Archive) readSlice(c *archivedClass, block int) (s slice, err error) {
	outcomes, err := a.readColumns(c, format.Outcomes, block)
	if err != nil {
		return s, err
	}
	s.won = outcomes[0]
	if len(outcomes) > 1 {
		s.lost = outcomes[1]
	} else {
		s.lost = make([]uint64, len(s.won))
		for w, x := range s.won {
			s.lost[w] = bitslice.Valid(c.IndexBits) &^ x
		}
	}
	s.steps, err = a.readColumns(c, format.Steps, block)
	return s, err
}

// readColumns reads what is stored of a block, a long slice around the cache.
func (a *Archive) readColumns(c *archivedClass, part, block int) ([][]uint64, error) {
	p, words := c.Parts[part], int64(c.Words())
	planes := make([][]uint64, p.Columns)
	for i := range planes {
		planes[i] = make([]uint64, words)
	}
	source := io.ReaderAt(a.Frames)
	if words < 1<<14 {
		source = a.ThroughCache()
	}
	return planes, p.Copy(source, int64(block)*words, planes)
}

func (a *Archive) block(c *archivedClass, mask uint64) (int, error) {
	masks, err := a.masksOf(c)
	block, found := slices.BinarySearch(masks, mask)
	if err == nil && !found {
		err = fmt.Errorf("%w: class %d has no block of the mask %#x", format.ErrUnderivable, c.Class, mask)
	}
	return block, err
}

// masksOf returns the masks of a class, which it reads until that succeeds.
func (a *Archive) masksOf(c *archivedClass) ([]uint64, error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.masks != nil {
		return c.masks, nil
	}
	p := c.Parts[format.Masks]
	masks := make([]uint64, p.Words)
	err := p.Read(a.Frames, c.Sums[format.Masks], 0, p.Words, [][]uint64{masks}, 1)
	if errors.As(err, new(*format.BadChunk)) || errors.Is(err, format.ErrPadding) {
		return nil, fmt.Errorf("%w: the masks of class %d: %v", format.ErrUnderivable, c.Class, err)
	}
	if err != nil {
		return nil, &format.PartError{Part: format.Masks, Cause: err}
	}
	c.masks = masks
	return masks, nil
}

const youngBytes = 128 << 20

type sliceKey struct{ class, block int }

type heldSlice struct {
	read, derive           sync.Once
	slice                  slice
	steps                  bitslice.Numbers // derived
	readError, deriveError error
}
