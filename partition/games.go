package partition

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"backsolve/bitboard"
	"backsolve/game"
)

// ErrTooLarge means that a board has more states than a space can index.
var ErrTooLarge = errors.New("board too large to solve")

// ErrNoTables means that no board of a game has a space.
var ErrNoTables = errors.New("no tables")

// spaces lists the games that have spaces, with the n of their smallest n×n board, the most cells of
// a board, and the planes of outcomes of their tables.
var spaces = map[string]struct {
	min, cells int
	planes     int64
	// goesOn says that the game has spaces after given cells are marked, not only as a whole.
	goesOn bool
	new    func(size int, taken uint64) (*Space, error)
}{
	"notakto":   {1, 49, 1, true, newNotakto},
	"quixo":     {2, 28, 2, false, newQuixo},
	"tictactoe": {2, 28, 2, false, newTicTacToe},
}

// New returns the space of a game on a board. The error wraps ErrTooLarge or ErrNoTables where the board has none.
func New(rules game.Grid) (*Space, error) { return NewAfter(rules, 0) }

// Solvable returns the error of New for a board without a space, else nil. It builds no space.
func Solvable(board game.Info) error {
	s, ok := spaces[board.Name]
	size := game.Size(board.Size)
	if !ok {
		return fmt.Errorf("%s has %w", board.Name, ErrNoTables)
	}
	if size.Cells() <= s.cells {
		return nil
	}
	can := fmt.Sprintf("boards of up to %d cells", s.cells)
	if size.Plain() {
		can = fmt.Sprintf("sizes %d to %d", s.min, int(math.Sqrt(float64(s.cells))))
	}
	return fmt.Errorf("%w: %v has %v states; %s can be solved", ErrTooLarge, board, game.StateCount(board), can)
}

// TableBytes returns how long a table of a board that is too large would be at most: a bit for each
// plane of outcomes, and one state for all images of it.
func TableBytes(board game.Info) *big.Int {
	size, images := game.Size(board.Size), int64(4)
	if size.Rows() == size.Cols() {
		images = 8
	}
	bits := new(big.Int).Mul(game.StateCount(board), big.NewInt(spaces[board.Name].planes))
	return bits.Div(bits, big.NewInt(8*images))
}

// HasNone reports whether an error says that a board can have no table.
func HasNone(err error) bool {
	return errors.Is(err, ErrTooLarge) || errors.Is(err, ErrNoTables)
}

// HasTables reports whether some board of a game has a space.
func HasTables(name string) bool {
	_, ok := spaces[name]
	return ok
}

// GoesOn reports whether a game can be solved after given moves instead of as a whole.
func GoesOn(name string) bool { return spaces[name].goesOn }

// HasNimbers reports whether states of a game on a board have nimbers; size 0 asks for any board.
func HasNimbers(name string, size int) bool {
	if game.Size(size).Has(bitboard.Normal) {
		return false
	}
	makers, ok := spaces[name]
	if !ok {
		return false
	}
	s, err := makers.new(makers.min, 0)
	return err == nil && s.HasNimbers()
}

// NewAfter returns the space of a game after the given cells are marked. Its symmetries
// are those that keep the set of these cells.
func NewAfter(rules game.Grid, taken uint64) (*Space, error) {
	if err := Solvable(rules.Info()); err != nil {
		return nil, err
	}
	makers := spaces[rules.Name()]
	if taken != 0 {
		if !makers.goesOn {
			return nil, fmt.Errorf("%s cannot be solved after given moves, only as a whole", rules.Name())
		}
		if _, over := rules.Terminal(game.Position{X: taken}); over {
			return nil, errors.New("the game is over after these moves; give fewer moves")
		}
	}
	s, err := makers.new(rules.Size(), taken)
	if err != nil {
		return nil, err
	}
	return s, s.checkRules(rules)
}

func (s *Space) checkRules(rules game.Grid) error {
	want := game.StateCount(rules.Info())
	for range bits.OnesCount64(s.Taken) {
		want.Div(want, big.NewInt(int64(rules.Marks()+1)))
	}
	if s.Game != rules.Name() || s.Size != rules.Size() || want.Cmp(new(big.Int).SetUint64(s.States())) != 0 {
		return fmt.Errorf("the space of %s has %d states, the game %v has %v",
			s.Board(), s.States(), rules.Info(), want)
	}
	return nil
}
