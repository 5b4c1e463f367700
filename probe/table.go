// Package probe answers questions from tables: the outcome of a position, the
// steps to the end, all moves ranked, the main line. It joins game, partition and
// tablebase. Where no table is possible, a known strategy may answer. What goes
// through all states of a table is in package survey.
package probe

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/partition"
	"backsolve/tablebase"
	"backsolve/tablebase/remote"
)

// Table is the table of one game on one board, open for questions. All its
// methods but Close may be called from many goroutines at once.
type Table struct {
	rules  game.Grid
	space  *partition.Space
	stored *tablebase.Table
	steps  bool // are stored
	// classes is how many there are, the emptiest ones.
	classes int
	// nimbers is the table that has the nimbers, this one or one beside it; nil where
	// there is none.
	nimbers *Table
	// numbering says where blocks are believed to be, nil where nothing does.
	numbering *partition.Numbering
	// placed says that all blocks were found where the numbering says.
	placed bool
}

// Rules returns the rules of the board.
func (t *Table) Rules() game.Grid { return t.rules }

// Start returns the position that the table's game begins with.
func (t *Table) Start() game.Position {
	p := t.rules.Start()
	p.X |= t.space.Taken
	return p
}

// After returns the names of the cells that are marked from the start.
func (t *Table) After() []string { return CellNames(t.rules.Info(), t.space.Taken) }

// Board names the board for people: quixo 4×4, notakto 5×5 after c3.
func (t *Table) Board() string { return boardText(t.rules.Info(), t.space.Taken) }

// Space returns the cut of the table's states.
func (t *Table) Space() *partition.Space { return t.space }

// Stored returns the table file behind the answers.
func (t *Table) Stored() *tablebase.Table { return t.stored }

// HasSteps reports whether the table knows the steps to the end.
func (t *Table) HasSteps() bool { return t.steps }

// KnowsAll reports whether the table has all positions of its game.
func (t *Table) KnowsAll() bool { return len(t.stored.Classes()) == t.space.MaskBits+1 }

// Close closes the table file, and that of the nimbers.
func (t *Table) Close() error {
	if t.nimbers == nil || t.nimbers == t {
		return t.stored.Close()
	}
	return errors.Join(t.stored.Close(), t.nimbers.Close())
}

// Lookup returns the outcome of a position for the player to move and the
// steps to the end under best play, −1 for a draw and in a table without
// steps. It does not allocate unless it fails: with ErrPosition where p is no
// position of the board, with a *OutOfTableError where its class is not in the table, or
// with the errors of tablebase.Table.Lookup.
func (t *Table) Lookup(p game.Position) (outcome game.Outcome, steps int, err error) {
	e, err := t.entry(p)
	return e.Outcome, e.Steps, err
}

// entry returns what is stored of a position.
func (t *Table) entry(p game.Position) (e tablebase.Entry, err error) {
	err = t.stored.WithRevalidation(func() error {
		place, err := t.Place(p)
		if err != nil {
			return err
		}
		e, err = t.stored.Lookup(place.Class, place.Block, place.Index)
		return err
	})
	return e, err
}

// Value returns what Lookup does as one value.
func (t *Table) Value(p game.Position) (Value, error) {
	outcome, steps, err := t.Lookup(p)
	return Value{outcome, steps}, err
}

// TerminalValue returns what the table must store of a position that is over with
// an outcome.
func (t *Table) TerminalValue(outcome game.Outcome) Value {
	if outcome == game.Draw || !t.HasSteps() {
		return Value{outcome, -1}
	}
	return Value{outcome, 0}
}

// Place returns where a position lies in the table file.
func (t *Table) Place(p game.Position) (tablebase.Place, error) {
	s, err := t.seek(p)
	if err != nil {
		return tablebase.Place{}, err
	}
	block, found, err := t.stored.Find(s.Class, s.Mask)
	if err != nil {
		return tablebase.Place{}, err
	}
	if !found {
		return tablebase.Place{}, t.noBlock(s)
	}
	return tablebase.Place{Class: s.Class, Block: block, Index: s.Index}, nil
}

// Number prepares the table for many questions: where the board is small the blocks are
// numbered, so that each is found at once and not by a search. That takes some
// milliseconds and 128 KiB at most. It is to be called before the first question.
func (t *Table) Number() {
	t.numbering = partition.NewNumbering(t.space)
	t.placed = t.numbering != nil && t.isPlaced()
	if t.nimbers != nil && t.nimbers != t {
		t.nimbers.Number()
	}
}

// isPlaced reports whether all blocks are where the numbering says. Where they cannot be
// read they are not: the lookups tell why.
func (t *Table) isPlaced() bool {
	for i, c := range t.stored.Classes() {
		masks, err := t.stored.Masks(i)
		if err != nil {
			return false
		}
		for block, mask := range masks {
			if !t.numbering.Has(c.Class, block, mask) {
				return false
			}
		}
	}
	return true
}

// seek returns the state that a position is, which must be one of the table's.
func (t *Table) seek(p game.Position) (tablebase.Key, error) {
	if !t.isPosition(p) {
		if missing := t.space.Taken &^ p.X; missing != 0 {
			return tablebase.Key{}, t.notAfter(missing)
		}
		return tablebase.Key{}, fmt.Errorf("%w of %s: X %#x, O %#x, to move %d", ErrPosition, t.Board(), p.X, p.O, p.Mark)
	}
	return t.locate(p)
}

// locate is seek of what is a position of the board for certain.
func (t *Table) locate(p game.Position) (tablebase.Key, error) {
	var s partition.State
	hint := -1
	if t.numbering != nil {
		s, hint = t.numbering.Locate(p)
	} else {
		s = t.space.Locate(p)
	}
	if s.Class >= t.classes {
		return tablebase.Key{}, t.OutOfTable(s.Class)
	}
	return tablebase.Key{Class: s.Class, Mask: s.Mask, Index: uint64(s.Index), Hint: hint}, nil
}

// noBlock says that a table has not the block of a state.
func (t *Table) noBlock(s tablebase.Key) error {
	return t.damaged("class %d has no block of the mask %#x", s.Class, s.Mask)
}

// isPosition reports whether p is one that the rules can parse.
func (t *Table) isPosition(p game.Position) bool {
	n := t.rules.Size()
	if (p.X|p.O)&^bitboard.All(n) != 0 || p.X&t.space.Taken != t.space.Taken || p.X&p.O != 0 || p.Mark > game.O {
		return false
	}
	return t.rules.Marks() == 2 || p.O == 0 && p.Mark == game.X
}

// fileName is the name that the file of the table should have, unpacked.
func (t *Table) fileName() string {
	if t.stored.Shape().Nimbers {
		return NimbersFileName(t.rules.Info())
	}
	return FileNameAfter(t.rules.Info(), t.space.Taken)
}

// dir is the directory of the table, or its address.
func (t *Table) dir() string {
	path := t.stored.Path()
	if remote.IsURL(path) {
		return path[:strings.LastIndexByte(path, '/')]
	}
	return filepath.Dir(path)
}

// StepsError says that a table has no steps, which a question takes.
type StepsError struct {
	// Board is the board of the table, of the game after the Taken cells are marked.
	Board game.Info
	Taken uint64
	// Dir is the directory of the table, or its address.
	Dir string
}

// Error returns the sentence.
func (e *StepsError) Error() string {
	return fmt.Sprintf("the table of %s was solved without steps", boardText(e.Board, e.Taken))
}

// NoSteps says that the table has no steps.
func (t *Table) NoSteps() *StepsError {
	return &StepsError{Board: t.rules.Info(), Taken: t.space.Taken, Dir: t.dir()}
}

// otherBoard says that a file has the name of another board than it holds.
func (t *Table) otherBoard(detail, remedy string) error {
	return &tablebase.Error{Path: t.stored.Path(), Err: ErrOtherBoard, Detail: detail, Remedy: remedy}
}

// Errorf reports that the stored data is wrong. The error has the cause, for errors.Is, and
// the details.
func (t *Table) Errorf(cause error, format string, args ...any) error {
	return &tablebase.Error{Path: t.stored.Path(), Err: cause, Detail: fmt.Sprintf(format, args...)}
}

// damaged says that a table contradicts itself or the rules.
func (t *Table) damaged(format string, args ...any) error {
	return t.Errorf(tablebase.ErrDamaged, format, args...)
}

// notAfter says that a position is not one of the table's game.
func (t *Table) notAfter(missing uint64) error {
	return fmt.Errorf("%w of this table, which begins after %s: there is no X on %s; mark what is missing, or ask another table", ErrPosition,
		strings.Join(CellNames(t.rules.Info(), t.space.Taken), ", "), strings.Join(CellNames(t.rules.Info(), missing), ", "))
}
