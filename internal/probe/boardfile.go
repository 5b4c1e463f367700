package probe

import (
	"context"
	"errors"
	"strings"

	"backsolve/tablebase"
	"backsolve/tablebase/remote"
)

// BoardOf returns the board of a table file, given by its path or its address on a web
// server. OpenTable then opens this file. Errors are those of OpenFile and OpenURL.
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

// openPlace opens a table by its path or its address.
func openPlace(ctx context.Context, file string) (*Table, error) {
	if remote.IsURL(file) {
		return OpenURL(ctx, file)
	}
	return OpenFile(file)
}
