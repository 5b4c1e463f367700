package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/game/games"
	"backsolve/probe"
	"backsolve/tablebase"
	"backsolve/tablebase/remote"
)

// TableArgs takes a table as GAME N, sought in a directory, or as its FILE: the
// arguments of commands about one table.
func TableArgs(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return Usagef("a table is missing: a game and the size of its board, or a file; for example: %s quixo 4", cmd.CommandPath())
	case len(args) == 1 && isGame(args[0]):
		return Usagef("the size of the board is missing; for example: %s %s 4", cmd.CommandPath(), args[0])
	case len(args) > 2:
		return Usagef("one table is wanted, a game and the size of its board or a file, not %d words; for example: %s quixo 4", len(args), cmd.CommandPath())
	}
	return nil
}

// isGame reports whether a word names a game and no file that is there.
func isGame(word string) bool {
	if _, err := games.Lookup(word); err != nil {
		return false
	}
	_, err := os.Stat(word)
	return err != nil
}

// AfterFlag adds --after, the moves after which a board's game goes on.
func AfterFlag(cmd *cobra.Command) *string {
	after := cmd.Flags().String("after", "", "`MOVES` use the table of the game after these moves, for example c3 or a1,c3")
	NoCompletion(cmd, "after")
	return after
}

// OpenTable opens the table that TableArgs has taken. It may be on a web server, and is
// read until ctx ends then. Errors are those of TablePath and probe.OpenFile or
// probe.OpenURL.
func OpenTable(ctx context.Context, dir, after string, args []string) (*probe.Table, error) {
	file, board, err := namedTable(after, args)
	switch {
	case err != nil:
		return nil, err
	case board == nil && remote.IsURL(file):
		return probe.OpenURL(ctx, file)
	case board != nil && remote.IsURL(dir):
		return board.OpenTable(ctx, dir)
	}
	path, err := TablePath(dir, after, args)
	if err != nil {
		return nil, err
	}
	return probe.OpenFile(path)
}

// TablePath returns the file, on this machine, of the table that TableArgs has taken: of
// a board the packed one where there is no other. Where there is none, the error is a
// *probe.MissingError.
func TablePath(dir, after string, args []string) (string, error) {
	file, board, err := namedTable(after, args)
	if err != nil {
		return "", err
	}
	if board == nil {
		return file, localFile(file)
	}
	if err := LocalDir(dir); err != nil {
		return "", err
	}
	path := filepath.Join(dir, probe.FileNameAfter(board.Info(), board.Taken()))
	for _, file := range []string{path, path + tablebase.PackedSuffix} {
		if isFile(file) {
			return file, nil
		}
	}
	return "", board.Missing(dir)
}

// namedTable returns the file that TableArgs has taken, or else the board.
func namedTable(after string, args []string) (file string, board *probe.Board, err error) {
	if len(args) == 1 {
		if after != "" {
			return "", nil, Usagef("--after goes with a game and the size of its board; leave it out where a file is given")
		}
		return args[0], nil, nil
	}
	if board, err = ParseBoard(args[0], args[1], after); err != nil {
		return "", nil, err
	}
	if err := board.Unsolvable(); err != nil {
		return "", nil, &UsageError{err}
	}
	return "", board, nil
}

// localFile refuses a file that is on a web server.
func localFile(path string) error {
	if remote.IsURL(path) {
		return Usagef("%s is on a web server, where only tbsolve info and tbsolve export can use a table by its file; get it, and give the path where it is then", remote.Name(path))
	}
	return nil
}

// CompleteTables completes what TableArgs takes: games and sizes, and files of tables.
func CompleteTables(dir *string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		words := CompleteTable(*dir, args)
		if len(args) > 0 {
			return words, cobra.ShellCompDirectiveNoFileComp
		}
		for _, w := range words {
			if strings.HasPrefix(w, word) {
				return words, cobra.ShellCompDirectiveNoFileComp
			}
		}
		return []string{strings.TrimPrefix(probe.FileSuffix, "."), strings.TrimPrefix(filepath.Ext(tablebase.PackedSuffix), ".")}, cobra.ShellCompDirectiveFilterFileExt
	}
}
