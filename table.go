package backsolve

import (
	"errors"
	"iter"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/probe"
	"backsolve/internal/probe/survey"
	"backsolve/partition"
)

// Table is the open table of one game on one board. All methods but Close are safe for
// concurrent use.
type Table struct {
	table *probe.Table
}

// Open opens the table of a game on the board of a size in a directory: quixo-4x4.tb for
// quixo 4 or, if there is none, the packed quixo-4x4.tb.zst. The error is fs.ErrNotExist if
// there is neither, ErrBoard or ErrBadTable.
func Open(dir, game string, size int) (*Table, error) {
	rules, err := newBoard(game, size)
	if err != nil {
		return nil, err
	}
	return opened(probe.Open(dir, rules))
}

// OpenFile opens a table by its path, packed or not, with the nimbers of its board beside it.
// The table may be an opening table, or that of a game after given moves. Errors are those of
// Open.
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
		return opened(t, nil) // a file with another name has no nimbers beside it
	}
	return opened(both, errors.Join(err, t.Close()))
}

func opened(t *probe.Table, err error) (*Table, error) {
	if err != nil {
		return nil, Classify(err)
	}
	return &Table{t}, nil
}

// Probe returns what is behind the table. Package probe may change with every release.
func (t *Table) Probe() *probe.Table { return t.table }

// newBoard returns the rules of a game on a board that can have a table.
func newBoard(name string, size int) (game.Grid, error) {
	rules, err := games.New(name, size)
	if err == nil {
		err = partition.Solvable(rules.Info())
	}
	if err != nil {
		return nil, kindError{err, ErrBoard}
	}
	grid, _ := game.GridOf(rules) // only grids can be solved
	return grid, nil
}

// Close closes the table. Other methods must not be running.
func (t *Table) Close() error { return Classify(t.table.Close()) }

// Board describes a table.
type Board struct {
	// Game and Size choose the board: quixo and 4. Name names it for people: quixo 4×4.
	Game string
	Size int
	Name string
	// Marks is 2 if the players have marks of their own, X and O, and 1 if every mark is an
	// X; then positions have no side to move.
	Marks int
	// Steps says that the steps to the end are known.
	Steps bool
	// Nimbers says that the nimbers are known.
	Nimbers bool
	// Opening says that it has only the emptiest positions.
	Opening bool
	// Start is the text of the position that the game begins with.
	Start string
}

// Board describes the table.
func (t *Table) Board() Board {
	rules := t.table.Rules()
	return Board{
		Game: rules.Name(), Size: rules.Size(), Name: t.table.Board(), Marks: rules.Marks(),
		Steps: t.table.HasSteps(), Nimbers: t.table.HasNimbers(), Opening: t.table.Opening(), Start: rules.Format(t.table.Start()),
	}
}

// Ask answers a position with all moves, the best first. The error is ErrPosition if the text
// cannot be read, ErrBadTable if stored values contradict each other, and fs.ErrNotExist if
// an opening table lacks the position.
func (t *Table) Ask(position string) (*Answer, error) {
	a, err := t.table.Ask(position, probe.NoLine)
	if err != nil {
		return nil, Classify(err)
	}
	return newAnswer(a), nil
}

// Value returns the value of a position for the player to move. Errors are those of Ask.
func (t *Table) Value(position string) (Value, error) {
	p, err := t.table.Parse(position)
	if err != nil {
		return Value{}, Classify(err)
	}
	return t.value(p)
}

// Nimber returns the nimber of a position, unknown if the game is over or the table has no
// nimbers. Errors are those of Ask.
func (t *Table) Nimber(position string) (Nimber, error) {
	p, err := t.table.Parse(position)
	if err != nil {
		return Nimber{}, Classify(err)
	}
	n, err := t.table.Nimber(p)
	return Nimber{n}, Classify(err)
}

// Lookup is Value for bit masks: x and o have the cells with each mark, bit row·n + column
// with row 0 on top and column 0 on the left, and oToMove says that the next mark is an O. If
// every mark is an X, o is 0 and oToMove false. It does not allocate unless it fails.
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
		return Value{}, Classify(err)
	}
	return newValue(v), nil
}

// State is a stored state of a table.
type State struct {
	// Position is the text of the state, X to move if there are two sides. It represents
	// also the one with the marks exchanged and O to move.
	Position string
	Value
	// Images is the number of states that symmetries make of this one, itself included.
	// The images of all states of a table add up to the states of the game with X to move.
	Images uint64
}

// States iterates over all stored states, the fullest boards first, always in the same order.
// An error ends it. The table must stay open meanwhile.
func (t *Table) States() iter.Seq2[State, error] {
	return func(yield func(State, error) bool) {
		for s, err := range survey.All(t.table) {
			if err != nil {
				yield(State{}, Classify(err))
				return
			}
			if !yield(State{t.table.Rules().Format(s.Position), newValue(s.Value), s.Images}, nil) {
				return
			}
		}
	}
}
