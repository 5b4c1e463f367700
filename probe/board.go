package probe

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/partition"
	"backsolve/tablebase"
)

var (
	// ErrNoBoard: there is no such game, or none on a board of this size.
	ErrNoBoard = errors.New("no such board")
	// ErrAfter: there is no game after the moves given.
	ErrAfter = errors.New("no game goes on after these moves")
)

// ofKind is an error of a kind that errors.Is finds and its text does not repeat.
type ofKind struct {
	error
	kind error
}

func (e ofKind) Unwrap() []error { return []error{e.error, e.kind} }

// Board is a game on a board of some size, whole or after given moves, whose
// positions can be asked about: of its table or, where there can be none, of a
// strategy that knows it.
type Board struct {
	rules    game.Rules
	grid     game.Grid // nil where the board is none
	taken    uint64
	strategy *StrategyAnswerer // nil where there can be a table, or nothing is known
}

// NewBoard returns the board of a game, of which moves are made at first if
// after is not empty: cells separated by commas. The error is ErrNoBoard, or
// ErrAfter and, where the moves cannot be read or made, a *game.SyntaxError or
// *game.IllegalMoveError as well.
func NewBoard(name string, n int, after string) (*Board, error) {
	rules, err := games.New(name, n)
	if err != nil {
		return nil, ofKind{fmt.Errorf("%w%s", err, elsewhere(name)), ErrNoBoard}
	}
	b := &Board{rules: rules}
	b.grid, _ = game.GridOf(rules)
	b.strategy = strategyFor(rules)
	if after == "" {
		return b, nil
	}
	switch {
	case !partition.GoesOn(name):
		return nil, ofKind{fmt.Errorf("%s has no tables after given moves; leave them out", name), ErrAfter}
	case partition.Solvable(rules.Info()) != nil:
		return nil, ofKind{fmt.Errorf("%v has no tables after given moves, as it has too many states; leave them out", rules.Info()), ErrAfter}
	}
	if b.taken, _, err = ParseAfter(b.grid, after); err != nil {
		return nil, ofKind{err, ErrAfter}
	}
	if _, over := b.grid.Terminal(game.Position{X: b.taken}); over {
		return nil, ofKind{errors.New("the game is over after these moves; give fewer"), ErrAfter}
	}
	return b, nil
}

// Info describes the board.
func (b *Board) Info() game.Info { return b.rules.Info() }

// String names the board for people: quixo 4×4, notakto 5×5 after c3.
func (b *Board) String() string { return boardText(b.Info(), b.taken) }

// Rules returns the rules.
func (b *Board) Rules() game.Rules { return b.rules }

// Grid returns the rules with the states that tables are asked with, nil where the
// board is no grid of at most 8×8 cells.
func (b *Board) Grid() game.Grid { return b.grid }

// Taken returns the cells that are marked from the start.
func (b *Board) Taken() uint64 { return b.taken }

// Start returns the position that the board's game begins with.
func (b *Board) Start() game.State {
	if b.taken != 0 {
		return game.Position{X: b.taken}
	}
	return b.rules.Start()
}

// Strategy returns what answers instead of a table, nil where there can be one or
// nothing is known.
func (b *Board) Strategy() *StrategyAnswerer { return b.strategy }

// Example returns the text of a position that shows the notation.
func (b *Board) Example() string {
	if b.taken != 0 {
		return example(b.grid, b.taken)
	}
	return b.rules.Example()
}

// Unsolvable says why the board can have no table: partition.ErrNoTables, an ErrNoTableNeeded
// where a strategy answers instead, or
// partition.ErrUncut or partition.ErrTooLarge and, where strategies know other boards of the game, which; nil
// where it can have one.
func (b *Board) Unsolvable() error {
	err := partition.Solvable(b.Info())
	switch {
	case err == nil:
		return nil
	case b.strategy != nil && errors.Is(err, partition.ErrNoTables):
		return ofKind{fmt.Errorf("%w and needs none: %s answers for all its positions", err, b.strategy.Title), ErrNoTableNeeded}
	}
	return fmt.Errorf("%w%s", err, elsewhere(b.Info().Name))
}

// Missing returns the error that says that a directory has no table of the board, or
// that it is no directory.
func (b *Board) Missing(dir string) error { return missing(dir, b.grid, b.taken, fs.ErrNotExist) }

// MissingNimbers is Missing for the table with the board's nimbers.
func (b *Board) MissingNimbers(dir string) error {
	if err := CheckDir(dir); err != nil {
		return err
	}
	return &MissingError{
		Board: b.Info(), Dir: dir, Nimbers: true,
		Unfinished: unfinished(filepath.Join(dir, NimbersFileName(b.Info()))),
	}
}

// Open returns what answers for the board, its table in a directory or a strategy,
// and what closes it again. What these do not know is searched for until ctx ends, and
// until then a table on a web server is read. Errors are those of OpenAfter and
// Unsolvable.
func (b *Board) Open(ctx context.Context, dir string, s OnDemand) (from Answerer, closeTable func() error, err error) {
	nothing := func() error { return nil }
	if b.strategy != nil {
		return b.Fallback(ctx, b.strategy, nil, s), nothing, nil
	}
	t, err := b.OpenTable(ctx, dir)
	if err == nil {
		return b.Fallback(ctx, t, nil, s), t.Close, nil
	}
	if missing := (*MissingError)(nil); !errors.As(err, &missing) && !partition.HasNone(err) {
		return nil, nil, err
	}
	if from = b.Fallback(ctx, nil, err, s); from == nil {
		return nil, nil, SearchDisabled(err)
	}
	return from, nothing, nil
}

// SearchDisabled makes the error of a game without tables, of which nothing is searched for,
// an ErrSearchDisabled.
func SearchDisabled(err error) error {
	if errors.Is(err, partition.ErrNoTables) {
		return ofKind{err, ErrSearchDisabled}
	}
	return err
}

// OpenTable opens the table of the board in a directory; one on a web server is read
// until ctx ends. Errors are those of OpenAfter and Unsolvable.
func (b *Board) OpenTable(ctx context.Context, dir string) (*Table, error) {
	if err := b.Unsolvable(); err != nil {
		return nil, err
	}
	return openAfter(ctx, dir, b.grid, b.taken)
}

// Fallback returns what answers from a table or a strategy of the board and searches
// until ctx ends for what that does not know. Where there is neither, known is nil
// and why says so; nil is returned then if nothing is searched either.
func (b *Board) Fallback(ctx context.Context, known Answerer, why error, s OnDemand) Answerer {
	if t, ok := known.(*Table); ok && t.KnowsAll() || s.Solver == nil {
		return known
	}
	searched, err := s.Answerer(ctx, b.rules, s.Steps)
	if err != nil {
		return known
	}
	return &fallback{known: known, why: why, search: searched, board: b}
}

// begun refuses a state in which cells are not marked that the board's game begins
// with.
func (b *Board) begun(s game.State) error {
	p, ok := s.(game.Position)
	if missing := b.taken &^ p.X; ok && missing != 0 {
		return fmt.Errorf("%w of %v: there is no X on %s", ErrPosition, b, strings.Join(CellNames(b.Info(), missing), ", "))
	}
	return nil
}

// ParseFileName finds the board whose table has a file name, packed or not: the
// inverse of FileNameAfter and of NimbersFileName.
func ParseFileName(name string) (*Board, bool) {
	name = strings.TrimSuffix(name, tablebase.PackedSuffix)
	if other, ok := NimbersBeside(name); ok {
		b, ok := ParseFileName(other)
		return b, ok && other == FileName(b.Info()) && partition.HasNimbers(b.Info().Name)
	}
	whole, isTable := strings.CutSuffix(name, FileSuffix)
	whole, after, _ := strings.Cut(whole, "-after-")
	i := strings.LastIndexByte(whole, '-')
	if !isTable || i < 0 {
		return nil, false
	}
	size, _, _ := strings.Cut(whole[i+1:], "x")
	n, err := strconv.Atoi(size)
	if err != nil {
		return nil, false
	}
	b, err := NewBoard(whole[:i], n, strings.ReplaceAll(after, "-", ","))
	if err != nil || b.grid == nil || b.strategy != nil || !partition.HasTables(b.Info().Name) || FileNameAfter(b.Info(), b.taken) != name {
		return nil, false
	}
	return b, true
}
