package cli

import (
	"errors"
	"strconv"

	"github.com/spf13/pflag"

	"backsolve/game/games"
	"backsolve/probe"
	"backsolve/tablebase/remote"
)

// DirFlag adds --dir, the directory of the tables, and returns its value.
func DirFlag(flags *pflag.FlagSet) *string {
	dir := flags.String("dir", probe.DefaultDir(), "`DIR` directory of the tables (default $BACKSOLVE_TABLES, else ./tables)")
	flags.Lookup("dir").DefValue = "" // help is the same wherever it is printed
	return dir
}

// LocalDir refuses a directory of tables that is on a web server. The error is a
// *UsageError.
func LocalDir(dir string) error {
	if remote.IsURL(dir) {
		return Usagef("%s is on a web server, which this command does not ask; name a directory of this machine with --dir", remote.Name(dir))
	}
	return nil
}

// ParseSize reads the n of an n×n board. The error is a *UsageError.
func ParseSize(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, Usagef("%.40q is not the size of a board; give its number of rows, for example 4", text)
	}
	return n, nil
}

// BoardWords returns the arguments of a command that begin with a game and the size of
// its board: where one word names both, as quixo:4 or notakto:3+3+3, two stand for it. The
// error is a *UsageError.
func BoardWords(args []string) ([]string, error) {
	if len(args) == 0 {
		return args, nil
	}
	name, n, ok, err := games.Named(args[0])
	switch {
	case err != nil:
		return nil, &UsageError{err}
	case !ok:
		return args, nil
	}
	return append([]string{name, strconv.Itoa(n)}, args[1:]...), nil
}

// ParseBoard returns the board that a game, its size and the value of --after name.
// The error is a *UsageError.
func ParseBoard(name, size, after string) (*probe.Board, error) {
	if _, err := games.Lookup(name); err != nil {
		return nil, &UsageError{err}
	}
	n, err := ParseSize(size)
	if err != nil {
		return nil, err
	}
	board, err := probe.NewBoard(name, n, after)
	switch {
	case errors.Is(err, probe.ErrAfter):
		return nil, Usagef("--after %s: %w", after, err)
	case err != nil:
		return nil, &UsageError{err}
	}
	return board, nil
}
