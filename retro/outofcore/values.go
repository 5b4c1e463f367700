package outofcore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"backsolve/game"
	"backsolve/partition"
)

// Values solves a space and returns whether the player to move wins the given positions. It
// creates a directory for work files in dir and removes it.
func Values(ctx context.Context, dir string, space *partition.Space, positions []game.Position, o Options) (won map[game.Position]bool, err error) {
	own, err := os.MkdirTemp(dir, "backsolve-")
	if err != nil {
		return nil, fmt.Errorf("cannot make a directory for work files: %w; choose another one", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(own)) }()
	f, err := Open(filepath.Join(own, "rest"), space, false)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	f.asked = positions
	if _, err := f.Solve(ctx, o); err != nil {
		return nil, err
	}
	won = make(map[game.Position]bool, len(positions))
	for _, v := range f.state.First {
		won[v.Position] = v.Won
	}
	return won, nil
}
