package retro

import (
	"slices"
	"sync"

	"backsolve/game"
	"backsolve/internal/bitslice"
	"backsolve/partition"
	"backsolve/retro/internal/plylog"
	"backsolve/retro/internal/work"
	"backsolve/tablebase"
)

// level has the planes of one class, in the order of the index.
type level struct {
	class  *partition.Class
	words  int // of one block's slice
	first  int // the first block of the planes: 0 for a whole class
	win    []uint64
	lose   []uint64   // nil for fixed slices
	digits [][]uint64 // binary digits of steps or nimbers, lowest first, for fixed slices
	logs              // of states by steps, for other slices; nil without steps
	// file has the outcomes of a class that does not fit in memory, or of the one above it.
	file   *planeFile
	shards int        // into which the class was cut, 0 where it was not
	turns  int        // of all shards
	sums   [][]uint32 // of the parts, where other processes have written them
	ledger *work.Ledger
}

func (l *level) slice(plane []uint64, b int) []uint64 {
	return plane[(b-l.first)*l.words:][:l.words]
}

func (l *level) planeWords() int { return len(l.class.Masks) * l.words }

func (l *level) table() tablebase.Class {
	return tablebase.Class{Class: l.class.Class, IndexBits: l.class.IndexBits, Masks: l.class.Masks}
}

func (l *level) planes() tablebase.Planes {
	p := tablebase.Planes{Win: l.win, Lose: l.lose, Steps: l.digits}
	if l.file != nil {
		p = tablebase.Planes{Outcomes: &tablebase.RunReader{Run: l.file.section, Read: l.readOutcomes}}
	}
	if l.won != nil {
		plies := max(l.won.Plies(), l.lost.Plies(), 1)
		p.Reader = &tablebase.RunReader{Digits: work.DigitsFor(plies - 1), Run: l.won.SectionWords(), Read: l.readSteps}
	}
	return p
}

func (l *level) readOutcomes(dst [][]uint64, first int) error {
	section := first / l.file.section
	first, end := l.file.bounds(section)
	for plane := range outcomePlanes {
		if err := l.file.take(plane, section, dst[plane][:end-first]); err != nil {
			return err
		}
	}
	return nil
}

// logBuffers are for reading logs outside a pool's workers.
var logBuffers = sync.Pool{New: func() any { return new(plylog.Buffer) }}

// readSteps assembles the digits of a section's steps from the logs. dst begins with word first.
func (l *level) readSteps(dst [][]uint64, first int) error {
	for _, plane := range dst {
		clear(plane)
	}
	b := logBuffers.Get().(*plylog.Buffer)
	defer logBuffers.Put(b)
	for _, log := range l.both() {
		for ply := 1; ply < log.Plies(); ply++ {
			if err := log.Read(ply, first/log.SectionWords(), b); err != nil {
				return err
			}
			for d, plane := range dst {
				if ply>>uint(d)&1 == 0 {
					continue
				}
				for i, at := range b.At {
					plane[at] |= b.Words[i]
				}
			}
		}
	}
	return nil
}

// stepsOf returns the steps of the state in a bit of a word of the planes, with that outcome.
func (l *level) stepsOf(word int, bit uint32, outcome game.Outcome) (steps int) {
	if l.won == nil {
		return bitslice.Numbers(l.digits).At(word, int(bit))
	}
	log := l.lost
	if outcome == game.Win {
		log = l.won
	}
	b := logBuffers.Get().(*plylog.Buffer)
	defer logBuffers.Put(b)
	section := word / log.SectionWords()
	for ; steps < log.Plies(); steps++ {
		if log.Read(steps, section, b) != nil {
			return -1 // a log in memory is always read
		}
		if i, found := slices.BinarySearch(b.At, uint32(word%log.SectionWords())); found && b.Words[i]>>bit&1 == 1 {
			return steps
		}
	}
	return -1
}

// bytes returns what the work files of the class take on the disk.
func (l *level) bytes() int64 {
	won, _ := l.won.Bytes()
	lost, _ := l.lost.Bytes()
	return won + lost + l.file.bytes()
}

func (l *level) free() {
	if l != nil {
		l.freePlanes()
		l.file.close()
		l.won.Close()
		l.lost.Close()
	}
}

func (l *level) freePlanes() {
	if l == nil {
		return
	}
	for _, plane := range append(l.digits, l.win, l.lose) {
		l.ledger.Free(plane)
	}
	l.win, l.lose, l.digits = nil, nil, nil
}

func newLevel(c *partition.Class, ledger *work.Ledger) *level {
	return &level{class: c, words: c.Words(), ledger: ledger}
}

func (l *level) addDigits(digits int) error {
	return addPlanes(&l.digits, digits, len(l.win), l.ledger.Plane)
}

// addPlanes appends planes of the given number of words until there are n. After an error, those that were
// made stay.
func addPlanes(to *[][]uint64, n, words int, plane func(words int) ([]uint64, error)) error {
	for len(*to) < n {
		p, err := plane(words)
		if err != nil {
			return err
		}
		*to = append(*to, p)
	}
	return nil
}

// trim frees all but the given number of digits. They must be zero.
func (l *level) trim(digits int) {
	for _, plane := range l.digits[digits:] {
		l.ledger.Free(plane)
	}
	l.digits = l.digits[:digits]
}
