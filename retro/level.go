package retro

import (
	"backsolve/partition"
	"backsolve/retro/internal/work"
	"backsolve/tablebase"
)

// level is the planes of one class in memory: what is known of its states, in
// the order of their index.
type level struct {
	class  *partition.Class
	words  int // of one block's slice
	win    []uint64
	lose   []uint64   // nil in spaces with fixed slices
	digits [][]uint64 // of the steps, lowest first
	ledger *work.Ledger
}

// slice returns block b's words of a plane.
func (l *level) slice(plane []uint64, b int) []uint64 {
	return plane[b*l.words:][:l.words]
}

// planes returns what a table keeps: the lost states only in a space with draws.
func (l *level) planes(draws bool) tablebase.Planes {
	p := tablebase.Planes{Win: l.win, Steps: l.digits}
	if draws {
		p.Lose = l.lose
	}
	return p
}

func (l *level) free() {
	l.ledger.Free(l.win)
	l.ledger.Free(l.lose)
	for _, d := range l.digits {
		l.ledger.Free(d)
	}
	l.win, l.lose, l.digits = nil, nil, nil
}

// newLevel reserves the planes of a class.
func newLevel(c *partition.Class, ledger *work.Ledger, lose bool) (l *level, err error) {
	l = &level{class: c, words: c.Words(), ledger: ledger}
	if l.win, err = ledger.Plane(l.words * len(c.Masks)); err != nil || !lose {
		return l, err
	}
	l.lose, err = ledger.Plane(len(l.win))
	return l, err
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
