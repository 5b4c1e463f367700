package retro

import (
	"fmt"
	"hash/crc32"
	"io"
	"sync/atomic"

	"backsolve/internal/bitslice"
	"backsolve/internal/plan"
	"backsolve/partition"
	"backsolve/retro/internal/plylog"
	"backsolve/retro/internal/work"
)

// planeFile is a work file with planes of a class. Planes are written and read in sections of
// whole blocks. Different sections may be written and read concurrently.
type planeFile struct {
	sectioning
	store   plylog.Store
	sums    []uint32
	read    atomic.Int64
	written atomic.Int64
}

// newWorkFile is replaced by tests.
var newWorkFile = plylog.NewFile

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// newPlaneFile returns a file for the given number of planes of a class. Only written sections take space.
func (e *engine) newPlaneFile(c *partition.Class, planes int) (*planeFile, error) {
	store, err := newWorkFile(e.o.LogPath)
	if err != nil {
		return nil, err
	}
	f := &planeFile{store: store, sectioning: e.sectioning(c)}
	f.sums = make([]uint32, planes*f.sections())
	return f, nil
}

// sectionWords returns the words of a section: at least a block, and those of a log's.
func (e *engine) sectionWords(c *partition.Class) int {
	if e.elsewhere {
		return int(plan.SharedSection(int64(len(c.Masks)), int64(c.Words()), e.o.Steps))
	}
	sectionBits := min(e.sectionBits, plan.ShardSectionBits(e.o.Steps))
	if e.o.Steps {
		sectionBits = max(sectionBits, bitslice.GroupBits)
	}
	return max(c.Words(), 1<<sectionBits)
}

type sectioning struct {
	words   int // of a plane
	section int // words of every section but the last
}

func (e *engine) sectioning(c *partition.Class) sectioning {
	return sectioning{len(c.Masks) * c.Words(), e.sectionWords(c)}
}

func (s sectioning) sections() int { return (s.words + s.section - 1) / s.section }

func (s sectioning) bounds(section int) (first, end int) {
	return section * s.section, min((section+1)*s.section, s.words)
}

// write writes words of a section: all of them, or those that read asks for.
func (f *planeFile) write(plane, section int, words []uint64) error {
	b := bitslice.Bytes(words)
	f.sums[plane*f.sections()+section] = crc32.Checksum(b, castagnoli)
	f.written.Add(int64(len(b)))
	_, err := f.store.WriteAt(b, f.offset(plane, section))
	return plylog.DiskError("write a work file", err)
}

// take reads as many words of a section as were written.
func (f *planeFile) take(plane, section int, words []uint64) error {
	b := bitslice.Bytes(words)
	f.read.Add(int64(len(b)))
	_, err := f.store.ReadAt(b, f.offset(plane, section))
	if err == nil && crc32.Checksum(b, castagnoli) != f.sums[plane*f.sections()+section] {
		err = fmt.Errorf("section %d of plane %d is damaged", section, plane)
	}
	return plylog.DiskError("read a work file", err)
}

func (f *planeFile) offset(plane, section int) int64 {
	return 8 * (int64(plane)*int64(f.words) + int64(section)*int64(f.section))
}

// bytes returns the most bytes that the file takes on the disk, 0 for nil.
func (f *planeFile) bytes() int64 {
	if f == nil {
		return 0
	}
	return 8 * int64(f.words) * int64(len(f.sums)/f.sections())
}

func (f *planeFile) close() {
	if f != nil {
		f.store.(io.Closer).Close()
	}
}

// each calls take or write of a file for the sections from..to−1 of planes, the first of which
// has the given number in the file.
func (e *engine) each(f *planeFile, do func(plane, section int, words []uint64) error, from, to, first int, planes ...[]uint64) error {
	return e.pool.Run(from, to, func(_ *work.Worker, section int) {
		at, end := f.bounds(section)
		for i, plane := range planes {
			e.pool.Fail(do(first+i, section, plane[at:end]))
		}
	}, nil)
}

// eachWindow calls do with runs of sections that have all for which has is true, at most atOnce in each.
func eachWindow(sections, atOnce int, has func(section int) bool, do func(first, end int)) {
	for first := 0; first < sections; {
		end, n := first, 0
		for ; end < sections && (n < atOnce || !has(end)); end++ {
			if has(end) {
				n++
			}
		}
		if n > 0 {
			do(first, end)
		}
		first = end
	}
}

// write writes the outcomes of words of whole sections, from word first on, to the file.
func (l *level) write(first int, win, lose []uint64) error {
	for from := 0; from < len(win); from += l.file.section {
		end, section := min(from+l.file.section, len(win)), (first+from)/l.file.section
		for plane, words := range [...][]uint64{winPlane: win, losePlane: lose} {
			if err := l.file.write(plane, section, words[from:end]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (j *job) toFile(l *level) error {
	file, err := j.newPlaneFile(l.class, outcomePlanes)
	if err != nil {
		return err
	}
	err = j.each(file, file.write, 0, file.sections(), winPlane, l.win, l.lose)
	if err == nil {
		err = j.sealed() // it reads the planes
	}
	l.freePlanes()
	l.file = file
	return err
}

func (j *job) toMemory(l *level) error {
	if err := allocate(j.ledger.DirtyPlane, l.file.words, &l.win, &l.lose); err != nil {
		return err
	}
	return j.each(l.file, l.file.take, 0, l.file.sections(), winPlane, l.win, l.lose)
}
