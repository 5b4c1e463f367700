package probe

import (
	"errors"
	"fmt"
	"slices"

	"backsolve/game"
)

// ErrOutOfTable: the table is an opening table, and has not the class of the
// position. The error is a *OutOfTableError.
var ErrOutOfTable = errors.New("not in the table")

// OutOfTableError says that an opening table has not the class of a position. It is an
// ErrOutOfTable and a *MissingError.
type OutOfTableError struct {
	// Path is the table, Classes how many of the emptiest classes it has, and Class
	// that of the position, or of a move without which it has no answer.
	Path           string
	Classes, Class int
	missing        *MissingError
}

// Error returns the sentence.
func (e *OutOfTableError) Error() string {
	return fmt.Sprintf("%s has only the classes %d to 0 of %s, and this takes class %d",
		e.Path, e.Classes-1, boardText(e.missing.Board, e.missing.Taken), e.Class)
}

// Is makes the error an ErrOutOfTable.
func (e *OutOfTableError) Is(target error) bool { return target == ErrOutOfTable }

// Unwrap makes it a *MissingError.
func (e *OutOfTableError) Unwrap() error { return e.missing }

// Missing is the whole table, which is not there.
func (e *OutOfTableError) Missing() *MissingError { return e.missing }

// Opening reports whether the table has the emptiest classes alone.
func (t *Table) Opening() bool { return t.classes <= t.space.MaskBits }

// Classes returns how many classes the table has, the emptiest of its space.
func (t *Table) Classes() int { return t.classes }

// has reports whether the table has the class of a position.
func (t *Table) has(p game.Position) bool {
	return !t.Opening() || t.class(p) < t.classes
}

func (t *Table) class(p game.Position) int { return t.space.Locate(p).Class }

// OutOfTable is the error for states of a class that the table has not.
func (t *Table) OutOfTable(class int) error {
	// The file system is not asked, as all of a survey's states may come here.
	missing := &MissingError{Board: t.rules.Info(), Taken: t.space.Taken, Dir: t.dir()}
	return &OutOfTableError{Path: t.stored.Path(), Classes: t.classes, Class: class, missing: missing}
}

// knownFirst puts the moves that lead to classes of the table before the others, in
// their order, and returns how many these are.
func (t *Table) knownFirst(moves []Ranked) int {
	if !t.Opening() {
		return len(moves)
	}
	slices.SortStableFunc(moves, func(a, b Ranked) int {
		return max(t.class(a.Position), t.classes-1) - max(t.class(b.Position), t.classes-1)
	})
	known := slices.IndexFunc(moves, func(m Ranked) bool { return !t.has(m.Position) })
	if known < 0 {
		known = len(moves)
	}
	return known
}

// settle looks at moves of which those from the given one on lead to classes that
// the table has not. It returns how many are known: all, where the position is
// lost, since then each of them is; else those in the table, and one of these must
// win, or which one does is not known.
func (t *Table) settle(value Value, moves []Ranked, known int) (int, error) {
	if known == len(moves) {
		return known, nil
	}
	if value.Outcome == game.Lose {
		for i := known; i < len(moves); i++ {
			moves[i].Value = Value{game.Lose, -1}
		}
		return len(moves), nil
	}
	for _, m := range moves[:known] {
		if m.Outcome == game.Win {
			return known, nil
		}
	}
	return 0, t.OutOfTable(t.class(moves[known].Position))
}

// leavesOut reports whether so many ranked moves are not all of a position's.
func (t *Table) leavesOut(p game.Position, ranked int) bool {
	return t.Opening() && ranked > 0 && ranked < len(t.rules.Moves(nil, p))
}

// countClasses returns how many classes the table has: all of them, or in an opening
// table fewer.
func (t *Table) countClasses() (int, error) {
	shape, classes := t.stored.Shape(), len(t.stored.Classes())
	whole := t.space.MaskBits + 1
	switch {
	case !shape.Opening && classes != whole:
		return 0, t.damaged("it has %d classes, not %d", classes, whole)
	case shape.Opening && (classes >= whole || shape.Steps || shape.Planes != 1):
		return 0, t.damaged("it is no opening table of %s: %d of %d classes, %v", t.Board(), classes, whole, shape)
	}
	return classes, nil
}
