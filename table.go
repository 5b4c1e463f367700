package backsolve

import (
	"context"
	"errors"
	"io/fs"
	"iter"

	"backsolve/game"
	"backsolve/game/examples"
	"backsolve/game/games"
	"backsolve/internal/probe"
	"backsolve/internal/probe/survey"
	"backsolve/tablebase"
)

// Table is the open table of one game on one board. All methods but Close are safe for
// concurrent use.
type Table struct {
	table  probe.AnyTable
	grid   *probe.Table  // nil where the game is defined by its positions
	listed *probe.Sparse // and else this is nil
}

func (t *Table) rules() (game.Rules, game.State) {
	if t.listed != nil {
		return t.listed.Rules, t.listed.Rules.Start()
	}
	return game.Opaque(t.grid.Rules()), t.grid.Start()
}

// Open opens the table of a board in a directory, packed or not, on this machine or at an
// address: of "quixo 4", "notakto 5x5,torus" or "connect4-5x5". The error is fs.ErrNotExist if
// there is none, ErrBoard or ErrBadTable.
func Open(dir, board string) (*Table, error) {
	b, err := parseBoard(board)
	if err != nil {
		return nil, err
	}
	return opened(b.OpenAny(context.Background(), dir))
}

// OpenFile opens a table by its path, packed or not, with the nimbers of its board beside it.
// The table may be an opening table, or that of a game after given moves. Errors are those of
// Open.
func OpenFile(path string) (*Table, error) {
	t, err := probe.OpenAny(context.Background(), path)
	grid, _ := t.(*probe.Table)
	if err != nil || grid == nil || grid.HasNimbers() || !grid.Space().HasNimbers() {
		return opened(t, err)
	}
	both, err := probe.OpenNamed(path)
	if errors.Is(err, probe.ErrOtherBoard) || errors.Is(err, fs.ErrNotExist) {
		return opened(t, nil) // a file with another name, or at an address, has no nimbers beside it
	}
	return opened(both, errors.Join(err, t.Close()))
}

func opened(t probe.AnyTable, err error) (*Table, error) {
	if err != nil {
		return nil, Classify(err)
	}
	grid, _ := t.(*probe.Table)
	if grid != nil && grid.Stored().Storage == nil { // from far away it would fetch all masks
		grid.Number()
	}
	listed, _ := t.(*probe.Sparse)
	return &Table{t, grid, listed}, nil
}

func parseBoard(text string) (*probe.Board, error) {
	err := examples.Add()
	if err != nil {
		return nil, err
	}
	name, size, err := games.Board(text)
	if err != nil {
		return nil, tablebase.OfKind(err, ErrBoard)
	}
	b, err := probe.NewBoard(name, size, "")
	if err == nil {
		err = b.Unsolvable()
	}
	if err != nil {
		return nil, tablebase.OfKind(err, ErrBoard)
	}
	return b, nil
}

// Close closes the table. Other methods must not be running.
func (t *Table) Close() error { return Classify(t.table.Close()) }

// Board describes a table.
type Board struct {
	// Game and Size choose the board: quixo and 4, notakto and 5x5,torus. Name names it for people:
	// quixo 4×4.
	Game, Size, Name string
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
	// States is the number of stored states.
	States uint64
}

// Board describes the table.
func (t *Table) Board() Board {
	info := t.table.Info()
	b := Board{
		Game: info.Name, Size: game.Size(info.Size).String(), Name: t.table.Board(), Marks: info.Marks, Steps: t.table.HasSteps(), States: survey.StoredStates(t.table),
	}
	rules, start := t.rules()
	b.Start = rules.Format(start)
	if t.grid != nil {
		b.Nimbers, b.Opening = t.grid.HasNimbers(), t.grid.Opening()
	}
	return b
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

// Value returns the value of a position for the player to move. Errors come from Ask.
func (t *Table) Value(position string) (Value, error) {
	rules, start := t.rules()
	s, err := game.ParsePosition(rules, start, position)
	if err != nil {
		return Value{}, Classify(err)
	}
	if t.listed != nil {
		return valueOr(t.listed.Value(s))
	}
	return valueOr(t.grid.Value(s.(game.Position)))
}

// Nimber returns the nimber of a position, unknown if the game is over or the table has no
// nimbers. Errors come from Ask.
func (t *Table) Nimber(position string) (Nimber, error) {
	if t.grid == nil {
		_, err := t.Value(position)
		return Nimber{}, err
	}
	p, err := t.grid.Parse(position)
	if err != nil {
		return Nimber{}, Classify(err)
	}
	n, err := t.grid.Nimber(p)
	return Nimber{n}, Classify(err)
}

func valueOr(v probe.Value, err error) (Value, error) {
	if err != nil {
		return Value{}, Classify(err)
	}
	return newValue(v), nil
}

// Verify compares checksums, counts, and the value of every state with those after its moves. Of
// the options it uses Threads and Progress.
func (t *Table) Verify(ctx context.Context, o Options) error {
	_, err := survey.Verify(ctx, t.table, survey.VerifyOptions{Threads: o.Threads}, o.progress(), nil)
	return Classify(err)
}

// State is a stored state of a table.
type State struct {
	// Position is the text of the state, X to move if there are two sides. It represents
	// also the one with the marks exchanged and O to move.
	Position string
	Value
	// Images is the number of states that symmetries make of this one, itself included.
	// The images of all states of a table add up to the states of the game with X to move. It is
	// 1 in a game that is defined by its positions.
	Images uint64
}

// States iterates over all stored states, the fullest boards first, always in the same order.
// An error ends it. The table must stay open meanwhile.
func (t *Table) States() iter.Seq2[State, error] {
	rules, _ := t.rules()
	return func(yield func(State, error) bool) {
		err := survey.Select(context.Background(), t.table, survey.Selection{}, func(states []survey.Selected) error {
			for i := range states {
				s := &states[i]
				if !yield(State{rules.Format(s.State), newValue(s.Value), s.Images}, nil) {
					return errEnough
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(State{}, Classify(err))
		}
	}
}

// errEnough ends a loop that its body left.
var errEnough = errors.New("enough")
