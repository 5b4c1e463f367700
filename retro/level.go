package retro

import (
	"slices"
	"sync"

	"backsolve/bitslice"
	"backsolve/game"
	"backsolve/partition"
	"backsolve/retro/internal/plylog"
	"backsolve/retro/internal/work"
	"backsolve/tablebase"
)

// level is what is known of one class: planes in memory, in the order of the index.
type level struct {
	class  *partition.Class
	words  int // of one block's slice
	first  int // the block that planes begin with: 0, but for a part of a class
	win    []uint64
	lose   []uint64   // nil in spaces with fixed slices
	digits [][]uint64 // of the steps, lowest first, in spaces with fixed slices
	// won and lost have, in other spaces, the states by steps; nil without steps.
	won, lost *plylog.Log
	ledger    *work.Ledger
}

// slice returns block b's words of a plane.
func (l *level) slice(plane []uint64, b int) []uint64 {
	return plane[(b-l.first)*l.words:][:l.words]
}

// table returns the class's header for a table.
func (l *level) table() tablebase.Class {
	return tablebase.Class{Class: l.class.Class, IndexBits: l.class.IndexBits, Masks: l.class.Masks}
}

// planes returns what a table keeps.
func (l *level) planes() tablebase.Planes {
	p := tablebase.Planes{Win: l.win, Lose: l.lose, Steps: l.digits}
	if l.won != nil {
		plies := max(l.won.Plies(), l.lost.Plies(), 1)
		p.Reader = &tablebase.StepsReader{Digits: work.DigitsFor(plies - 1), Run: l.won.SectionWords(), Read: l.readSteps}
	}
	return p
}

// logBuffers are for those who read logs outside of a class in work.
var logBuffers = sync.Pool{New: func() any { return new(plylog.Buffer) }}

// readSteps puts the steps of a section together from the logs: dst are the digits of
// the words from first on.
func (l *level) readSteps(dst [][]uint64, first int) error {
	for _, plane := range dst {
		clear(plane)
	}
	b := logBuffers.Get().(*plylog.Buffer)
	defer logBuffers.Put(b)
	for _, log := range []*plylog.Log{l.won, l.lost} {
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

// stepsOf returns the steps of a state with an outcome: bit of a word of the planes.
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

// logBytes returns how long the logs of the class are that lie in files.
func (l *level) logBytes() int64 { return l.won.FileBytes() + l.lost.FileBytes() }

// free gives back all that is left of a level.
func (l *level) free() {
	l.freePlanes()
	l.won.Close()
	l.lost.Close()
}

// freePlanes gives back the planes, and keeps the logs.
func (l *level) freePlanes() {
	l.ledger.Free(l.win)
	l.ledger.Free(l.lose)
	for _, d := range l.digits {
		l.ledger.Free(d)
	}
	l.win, l.lose, l.digits = nil, nil, nil
}

func newLevel(c *partition.Class, ledger *work.Ledger) *level {
	return &level{class: c, words: c.Words(), ledger: ledger}
}

// addDigit makes room for one more binary digit of the steps.
func (l *level) addDigit() error {
	plane, err := l.ledger.Plane(len(l.win))
	if err == nil {
		l.digits = append(l.digits, plane)
	}
	return err
}

// trim drops the digits beyond so many, which are zero.
func (l *level) trim(digits int) {
	for _, plane := range l.digits[digits:] {
		l.ledger.Free(plane)
	}
	l.digits = l.digits[:digits]
}
