package probe

import (
	"fmt"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/partition"
	"backsolve/tablebase"
	"backsolve/tablebase/reader"
)

// States has the states of a board in a table file. All exported methods are safe for concurrent use.
type States struct {
	rules     game.Grid
	space     *partition.Space
	stored    *reader.Table
	steps     bool                 // are stored
	classes   int                  // that are stored, the emptiest of the space
	numbering *partition.Numbering // has the expected places of blocks, nil if there are too many
	placed    bool                 // all blocks are where the numbering expects them
}

// newStates closes a file that cannot be the table of this board.
func newStates(rules game.Grid, space *partition.Space, stored *reader.Table) (*States, error) {
	s := &States{rules: rules, space: space, stored: stored, steps: stored.Shape().Steps, classes: len(stored.Classes())}
	if err := s.checkShape(); err != nil {
		stored.Close()
		return nil, err
	}
	return s, nil
}

// Rules returns the rules of the board.
func (s *States) Rules() game.Grid { return s.rules }

// Start returns the position that the table's game begins with.
func (s *States) Start() game.Position {
	p := s.rules.Start()
	p.X |= s.space.Taken
	return p
}

// Board names the board for people: quixo 4×4, notakto 5×5 after c3.
func (s *States) Board() string { return boardText(s.rules.Info(), s.space.Taken) }

// Space returns the partition of the states.
func (s *States) Space() *partition.Space { return s.space }

// Stored returns the table file.
func (s *States) Stored() *reader.Table { return s.stored }

// File returns the table file for code that need not know its kind.
func (s *States) File() tablebase.File { return s.stored }

// HasSteps reports whether the steps to the end are stored.
func (s *States) HasSteps() bool { return s.steps }

// Classes returns the number of stored classes, the emptiest of the space.
func (s *States) Classes() int { return s.classes }

// Opening reports whether only the emptiest classes are stored.
func (s *States) Opening() bool { return s.classes <= s.space.MaskBits }

// Value returns the value of a position. It allocates only if it fails: with ErrPosition if p is not a position of
// the board, an *OutOfTableError if its class is not stored, or an error of reader.Table.Lookup.
func (s *States) Value(p game.Position) (Value, error) {
	e, err := s.Entry(p)
	return Value{e.Outcome, e.Steps}, err
}

// Entry returns what is stored of a position. Errors come from Value.
func (s *States) Entry(p game.Position) (e tablebase.Entry, err error) {
	err = s.stored.WithRevalidation(func() error {
		place, err := s.Place(p)
		if err != nil {
			return err
		}
		e, err = s.stored.Lookup(place.Class, place.Block, place.Index)
		return err
	})
	return e, err
}

// Place returns where a position lies in the table file. Errors come from Value.
func (s *States) Place(p game.Position) (reader.Place, error) {
	k, err := s.key(p)
	if err != nil {
		return reader.Place{}, err
	}
	keys, places := [1]reader.Key{k}, [1]reader.Place{}
	err = s.findAll(keys[:], places[:])
	return places[0], err
}

func (s *States) findAll(keys []reader.Key, places []reader.Place) error {
	if s.placed && s.stored.Trusting() {
		for i, k := range keys {
			places[i] = reader.Place{Class: k.Class, Block: k.Hint, Index: k.Index}
		}
		return nil
	}
	found, err := s.stored.FindAll(keys, places)
	if err == nil && found < len(keys) {
		err = s.stored.Damaged("class %d has no block of the mask %#x", keys[found].Class, keys[found].Mask)
	}
	return err
}

// key returns the key of a position, which must be one of the table's game.
func (s *States) key(p game.Position) (reader.Key, error) {
	twoMarks := s.rules.Marks() == 2
	switch {
	case (p.X|p.O)&^bitboard.All(s.rules.Size()) != 0, p.X&p.O != 0, p.Mark > game.O, !twoMarks && (p.O != 0 || p.Mark != game.X):
		return reader.Key{}, fmt.Errorf("%w of %s: X %#x, O %#x, to move %d", ErrPosition, s.Board(), p.X, p.O, p.Mark)
	case s.space.Taken&^p.X != 0:
		return reader.Key{}, fmt.Errorf("%w of this table, which begins after %s: there is no X on %s; add the missing marks, or query another table", ErrPosition,
			cellsText(s.rules.Info(), s.space.Taken), cellsText(s.rules.Info(), s.space.Taken&^p.X))
	}
	return s.keyOf(p)
}

// keyOf is key for a value known to be a position.
func (s *States) keyOf(p game.Position) (reader.Key, error) {
	var state partition.State
	hint := -1
	if s.numbering != nil {
		state, hint = s.numbering.Locate(p)
	} else {
		state = s.space.Locate(p)
	}
	if state.Class >= s.classes {
		return reader.Key{}, s.OutOfTable(state.Class)
	}
	return reader.Key{Class: state.Class, Mask: state.Mask, Index: uint64(state.Index), Hint: hint}, nil
}

// number takes milliseconds and at most 128 KiB on a small board, and spares lookups a search.
func (s *States) number() {
	s.numbering = partition.NewNumbering(s.space)
	s.placed = s.numbering != nil && s.isPlaced()
}

// isPlaced also says no where a block cannot be read: lookups give the error.
func (s *States) isPlaced() bool {
	for i, c := range s.stored.Classes() {
		masks, err := s.stored.Masks(i)
		if err != nil {
			return false
		}
		for block, mask := range masks {
			if !s.numbering.Has(c.Class, block, mask) {
				return false
			}
		}
	}
	return true
}

// FileName returns the name that the table's file has unless it is packed.
func (s *States) FileName() string {
	if s.stored.Shape().Nimbers {
		return NimbersFileName(s.rules.Info())
	}
	return FileNameAfter(s.rules.Info(), s.space.Taken)
}

// OutOfTable returns the *OutOfTableError of states of a class that is not stored.
func (s *States) OutOfTable(class int) error {
	// Unfinished stays false: verification may call this for every state.
	missing := &MissingError{Board: s.rules.Info(), Taken: s.space.Taken, Dir: DirOf(s.stored.Path())}
	return &OutOfTableError{Path: s.stored.Path(), Classes: s.classes, Class: class, Missing: missing}
}

// NoSteps returns the error of a question that needs steps where none are stored.
func (s *States) NoSteps() *StepsError {
	return &StepsError{Board: s.rules.Info(), Taken: s.space.Taken, Dir: DirOf(s.stored.Path())}
}

func (s *States) otherBoard(detail, remedy string) error {
	return &tablebase.Error{Path: s.stored.Path(), Err: ErrOtherBoard, Detail: detail, Remedy: remedy}
}
