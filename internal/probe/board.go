package probe

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/game/games"
	"backsolve/game/othello"
	"backsolve/partition"
	"backsolve/tablebase"
)

// Board is a board, whole or after given moves. A table or else a strategy answers for its positions.
type Board struct {
	rules    game.Rules
	grid     game.Grid     // nil if the board is none
	listed   custom.Listed // nil unless the game is defined by its positions
	taken    uint64
	file     string            // of its table, "" for the one in a directory
	strategy *StrategyAnswerer // nil if a table is possible, or nothing is known
}

// NewBoard returns the board of a game after given moves: cells separated by commas, or "". The error is ErrNoBoard
// or ErrAfter, which is also a *game.SyntaxError or *game.IllegalMoveError if the moves cannot be read or made.
func NewBoard(name string, n int, after string) (*Board, error) {
	rules, err := games.New(name, n)
	if err != nil {
		return nil, tablebase.OfKind(fmt.Errorf("%w%s", err, knownSizes(name)), ErrNoBoard)
	}
	b := &Board{rules: rules}
	b.grid, _ = game.GridOf(rules)
	b.listed, _ = rules.(custom.Listed)
	b.strategy = strategyFor(rules)
	if after == "" {
		return b, nil
	}
	switch {
	case !partition.GoesOn(name):
		return nil, tablebase.OfKind(fmt.Errorf("%s has no tables after given moves; leave them out", name), ErrAfter)
	case partition.Solvable(rules.Info()) != nil:
		return nil, tablebase.OfKind(fmt.Errorf("%v has no tables after given moves, as it has too many states; leave them out", rules.Info()), ErrAfter)
	}
	if b.taken, _, err = game.ParseAfter(b.grid, after); err != nil {
		return nil, tablebase.OfKind(err, ErrAfter)
	}
	if _, over := b.grid.Terminal(game.Position{X: b.taken}); over {
		return nil, tablebase.OfKind(errors.New("the game is over after these moves; give fewer"), ErrAfter)
	}
	return b, nil
}

// Info describes the board.
func (b *Board) Info() game.Info { return b.rules.Info() }

// String names the board for people: quixo 4×4, notakto 5×5 after c3.
func (b *Board) String() string { return boardText(b.Info(), b.taken) }

// Rules returns the rules.
func (b *Board) Rules() game.Rules { return b.rules }

// Grid returns the rules over the states of tables, nil without a grid of at most 8×8 cells.
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

// Parse reads the text of a position; see game.ParsePosition. In Othello the text may also be the
// record of a game; see othello.ReadRecord.
func (b *Board) Parse(text string) (game.State, error) {
	if grid, ok := game.GridOf(b.rules); ok && b.Info().Name == othello.Game.Name {
		if moves, ok, err := othello.ReadRecord(grid, text); ok {
			if err != nil {
				return nil, err
			}
			return game.PlayMoves(b.rules, b.Start(), moves)
		}
	}
	return game.ParsePosition(b.rules, b.Start(), text)
}

// Strategy returns the strategy of the board, nil if a table is possible or nothing is known.
func (b *Board) Strategy() *StrategyAnswerer { return b.strategy }

// Example returns the text of a position that shows the notation.
func (b *Board) Example() string {
	if b.taken != 0 {
		return b.rules.Format(b.Start())
	}
	return b.rules.Example()
}

// Unsolvable returns nil if the board can have a table, or else partition.ErrNoTables, ErrNoTableNeeded if a strategy
// answers instead, or partition.ErrTooLarge with the boards that strategies know.
func (b *Board) Unsolvable() error {
	err := partition.Solvable(b.Info())
	switch {
	case err == nil || b.listed != nil:
		return nil
	case b.strategy != nil && errors.Is(err, partition.ErrNoTables):
		return tablebase.OfKind(fmt.Errorf("%w and needs none: %s answers for all its positions", err, b.strategy.Title), ErrNoTableNeeded)
	}
	return fmt.Errorf("%w%s", err, knownSizes(b.Info().Name))
}

// Missing returns a *MissingError, or a *DirError, of a directory without the board's table.
func (b *Board) Missing(dir string) error { return missing(dir, b.Info(), b.taken, fs.ErrNotExist) }

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

// Open returns an answerer for the board, by its table or a strategy, and a function that closes it. Until ctx ends,
// it reads from a web server, and solves on demand what is unknown. Errors come from OpenAfter and Unsolvable.
func (b *Board) Open(ctx context.Context, dir string, o OnDemand) (from Answerer, closeTable func() error, err error) {
	known, closeTable, err := b.Known(ctx, dir)
	if from, err = b.WithSearch(ctx, known, err, o); err != nil {
		return nil, nil, err
	}
	return from, closeTable, nil
}

// Known returns what answers without a search: the strategy, or the table in a directory or of the file of
// BoardOf, and a function that closes it, never nil. Errors come from OpenAny.
func (b *Board) Known(ctx context.Context, dir string) (from Answerer, closeTable func() error, err error) {
	closeTable = func() error { return nil }
	if b.strategy != nil {
		return b.strategy, closeTable, nil
	}
	t, err := b.OpenAny(ctx, dir)
	if err != nil {
		return nil, closeTable, err
	}
	return t, t.Close, nil
}

// WithSearch returns Fallback of what Known has returned; the error is why there is no answerer.
func (b *Board) WithSearch(ctx context.Context, known Answerer, err error, o OnDemand) (Answerer, error) {
	if missing := (*MissingError)(nil); err != nil && !errors.As(err, &missing) && !partition.HasNone(err) {
		return nil, err
	}
	from := b.Fallback(ctx, known, err, o)
	if from == nil {
		if errors.Is(err, partition.ErrNoTables) {
			err = tablebase.OfKind(err, ErrSearchDisabled)
		}
		return nil, err
	}
	return from, nil
}

// OpenTable opens the table in a directory, on a web server until ctx ends, or the file of BoardOf. Errors are
// those of OpenAfter and Unsolvable.
func (b *Board) OpenTable(ctx context.Context, dir string) (*Table, error) {
	if b.listed != nil {
		return nil, tablebase.OfKind(fmt.Errorf("the table of %v has single positions and no blocks", b), ErrOtherBoard)
	}
	if b.file != "" {
		return openPlace(ctx, b.file)
	}
	if err := b.Unsolvable(); err != nil {
		return nil, err
	}
	return openAfter(ctx, dir, b.grid, b.taken)
}

// Fallback returns an answerer that asks known, and solves on demand until ctx ends what that does not know.
// If known is nil, why says why; then the result is nil if nothing is solved on demand either.
func (b *Board) Fallback(ctx context.Context, known Answerer, why error, o OnDemand) Answerer {
	_, whole := known.(*Sparse)
	if t, ok := known.(*Table); ok && !t.Opening() || whole || o.Solver == nil {
		return known
	}
	solver, err := o.Answerer(ctx, b.rules, o.Steps)
	if err != nil {
		return known
	}
	return &fallback{known: known, why: why, solver: solver, board: b}
}

func (b *Board) checkAfter(s game.State) error {
	p, ok := s.(game.Position)
	if missing := b.taken &^ p.X; ok && missing != 0 {
		return fmt.Errorf("%w of %v: there is no X on %s", ErrPosition, b, cellsText(b.Info(), missing))
	}
	return nil
}

// ParseFileName is the inverse of FileNameAfter and NimbersFileName, packed or not.
func ParseFileName(name string) (*Board, bool) {
	name = strings.TrimSuffix(name, tablebase.PackedSuffix)
	if other, ok := NimbersBeside(name); ok {
		b, ok := ParseFileName(other)
		return b, ok && other == FileName(b.Info()) && partition.HasNimbers(b.Info().Name, b.Info().Size)
	}
	whole, isTable := strings.CutSuffix(name, FileSuffix)
	whole, after, _ := strings.Cut(whole, "-after-")
	of, word, found := game.CutBoard(whole)
	size, isSize := game.ParseSize(word)
	if !isTable || !found || !isSize {
		return nil, false
	}
	b, err := NewBoard(of, int(size), strings.ReplaceAll(after, "-", ","))
	if err != nil || b.grid == nil || b.strategy != nil || !partition.HasTables(b.Info().Name) || FileNameAfter(b.Info(), b.taken) != name {
		return nil, false
	}
	return b, true
}
