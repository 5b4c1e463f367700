package backsolve

import (
	"errors"
	"iter"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/partition"
	"backsolve/probe"
	"backsolve/probe/survey"
)

// Table is the table of one game on one board, open for questions. All its methods
// but Close may be called from many goroutines at once.
type Table struct {
	table *probe.Table
}

// Open opens the table of a game on the board of a size in a directory: quixo-4x4.tb
// for quixo 4, or quixo-4x4.tb.zst, the packed one, where there is no other. The error
// is fs.ErrNotExist where there is none, and then its text has the command that makes
// it; ErrBoard or ErrBadTable.
func Open(dir, game string, size int) (*Table, error) {
	rules, err := newBoard(game, size)
	if err != nil {
		return nil, err
	}
	return opened(probe.Open(dir, rules))
}

// OpenFile opens a table by its path, packed or not, with the nimbers of its board that lie
// beside it. Opening tables and those of games that go on after given moves are opened so,
// too. Errors are those of Open.
func OpenFile(path string) (*Table, error) {
	t, err := probe.OpenFile(path)
	if err != nil {
		return opened(nil, err)
	}
	if space := t.Space(); t.HasNimbers() || !space.HasNimbers() {
		return opened(t, nil)
	}
	both, err := probe.OpenNamed(path)
	if errors.Is(err, probe.ErrOtherBoard) {
		return opened(t, nil) // under a name of its own it has nothing beside it
	}
	return opened(both, errors.Join(err, t.Close()))
}

func opened(t *probe.Table, err error) (*Table, error) {
	if err != nil {
		return nil, told(err)
	}
	return &Table{t}, nil
}

// newBoard returns the rules of a game on a board that can have a table.
func newBoard(name string, size int) (game.Grid, error) {
	rules, err := games.New(name, size)
	if err == nil {
		err = partition.Solvable(rules.Info())
	}
	if err != nil {
		return nil, ofKind{err, ErrBoard}
	}
	grid, _ := game.GridOf(rules) // only grids can be solved
	return grid, nil
}

// Close closes the table. It must wait until all questions are answered.
func (t *Table) Close() error { return told(t.table.Close()) }

// Board is what a table is of.
type Board struct {
	// Game and Size choose the board: quixo and 4. Name names it for people: quixo 4×4.
	Game string
	Size int
	Name string
	// Marks is 2 where the players have marks of their own, X and O, and 1 where every
	// mark is an X and no side to move is written.
	Marks int
	// Steps says that the table knows the steps to the end.
	Steps bool
	// Nimbers says that the nimbers are known, from the table or another one beside it.
	Nimbers bool
	// Opening says that it has the emptiest positions alone.
	Opening bool
	// Start is the text of the position that the game begins with.
	Start string
}

// Board describes what the table is of.
func (t *Table) Board() Board {
	rules := t.table.Rules()
	return Board{
		Game: rules.Name(), Size: rules.Size(), Name: t.table.Board(), Marks: rules.Marks(),
		Steps: t.table.HasSteps(), Nimbers: t.table.HasNimbers(), Opening: t.table.Opening(), Start: rules.Format(t.table.Start()),
	}
}

// Ask answers a position with all moves, the best first. What is stored of the position
// and of its moves must fit together, or the error is ErrBadTable. It is ErrPosition
// where the text cannot be read, and fs.ErrNotExist where an opening table ends before.
func (t *Table) Ask(position string) (*Answer, error) {
	a, err := t.table.Ask(position, probe.NoLine)
	if err != nil {
		return nil, told(err)
	}
	return newAnswer(a), nil
}

// Value returns what a position is worth to the player to move. Errors are those of
// Ask.
func (t *Table) Value(position string) (Value, error) {
	p, err := t.table.Rules().Parse(position)
	if err != nil {
		return Value{}, told(err)
	}
	return t.value(p)
}

// Nimber returns the nimber of a position. It is not known where the game is over, nor
// where the table has no nimbers. Errors are those of Ask.
func (t *Table) Nimber(position string) (Nimber, error) {
	p, err := t.table.Rules().Parse(position)
	if err != nil {
		return Nimber{}, told(err)
	}
	n, err := t.table.Nimber(p)
	return Nimber{n}, told(err)
}

// Lookup is Value for programs that keep a board in masks: x and o have the cells with
// each mark, bit row·n + column with row 0 on top and column 0 on the left, and oToMove
// says that the next mark is an O. Where every mark is an X, o is 0 and oToMove false.
// It takes nothing from the heap unless it fails.
func (t *Table) Lookup(x, o uint64, oToMove bool) (Value, error) {
	p := game.Position{X: x, O: o}
	if oToMove {
		p.Mark = game.O
	}
	return t.value(p)
}

func (t *Table) value(p game.Position) (Value, error) {
	v, err := t.table.Value(p)
	if err != nil {
		return Value{}, told(err)
	}
	return newValue(v), nil
}

// State is a state that is stored in a table.
type State struct {
	// Position is the text of the state, X to move where there are two sides: with the
	// marks exchanged it is as well the one in which O is to move.
	Position string
	Value
	// Images is how many states of the game are this one turned and reflected, itself
	// included. Together, all states of a table have as many images as the game has
	// states with X to move.
	Images uint64
}

// States goes through all stored states, the fullest boards first, always in the same
// order. An error ends it. The table must stay open meanwhile.
func (t *Table) States() iter.Seq2[State, error] {
	return func(yield func(State, error) bool) {
		for s, err := range survey.All(t.table) {
			if err != nil {
				yield(State{}, told(err))
				return
			}
			if !yield(State{t.table.Rules().Format(s.Position), newValue(s.Value), s.Images}, nil) {
				return
			}
		}
	}
}
