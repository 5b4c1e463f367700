package probe

import (
	"context"
	"errors"
	"strings"

	"backsolve/tablebase"
	"backsolve/tablebase/remote"
)

// BoardOf returns the board of a table file, given by its path or its address on a web
// server. OpenTable then opens this file. Errors come from OpenFile and OpenURL.
func BoardOf(ctx context.Context, file string) (*Board, error) {
	t, err := openPlace(ctx, file)
	if errors.Is(err, tablebase.ErrSparse) {
		return boardOfSparse(ctx, file)
	}
	if err != nil {
		return nil, err
	}
	defer t.Close()
	board := t.Rules().Info()
	b, err := NewBoard(board.Name, board.Size, strings.Join(CellNames(board, t.Space().Taken), ","))
	if err == nil {
		b.file = file
	}
	return b, err
}

// AnyTable is an open table of either kind: a *Table or a *Sparse.
type AnyTable interface {
	Answerer
	// Board names the board for people.
	Board() string
	// File is the file behind the answers, and FileName the name that it has unless it is packed.
	File() tablebase.File
	FileName() string
	// NoSteps returns the error of a question that needs steps where none are stored.
	NoSteps() *StepsError
	Close() error
}

// OpenAny opens the table at a path or an address, and finds its board. Errors come from BoardOf.
func OpenAny(ctx context.Context, file string) (AnyTable, error) {
	t, err := openPlace(ctx, file)
	if !errors.Is(err, tablebase.ErrSparse) {
		return asTable(t, err)
	}
	b, err := boardOfSparse(ctx, file)
	if err != nil {
		return nil, err
	}
	return b.OpenAny(ctx, "")
}

// OpenAny opens the table as OpenTable or OpenSparse does, with their errors.
func (b *Board) OpenAny(ctx context.Context, dir string) (AnyTable, error) {
	if b.listed != nil {
		return asTable(b.OpenSparse(ctx, dir))
	}
	return asTable(b.OpenTable(ctx, dir))
}

// asTable returns a table, or nil and not a nil pointer.
func asTable[T AnyTable](t T, err error) (AnyTable, error) {
	if err != nil {
		return nil, err
	}
	return t, nil
}

func openPlace(ctx context.Context, file string) (*Table, error) {
	if remote.IsURL(file) {
		return OpenURL(ctx, file)
	}
	return OpenFile(file)
}
