package cli

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/game/games"
	"backsolve/internal/probe"
	"backsolve/partition"
	"backsolve/tablebase"
	"backsolve/tablebase/remote"
)

// named is a board by its game and size, or a table file by its path or address.
type named struct{ game, size, file string }

// split splits arguments into the board that they begin with, quixo 4, quixo:4 or the file
// of a table, and the others. The error is a *UsageError.
func split(cmd *cobra.Command, args []string) (n named, others []string, err error) {
	if len(args) == 0 {
		return n, nil, WrongArgs(cmd)
	}
	word := args[0]
	if IsTableFile(word) {
		return named{file: word}, args[1:], nil
	}
	if beside := filepath.Join(Dir(cmd), probe.RulesOf(word+probe.FileSuffix)); isUnknownFile(word, beside) {
		word = beside
	}
	name, size, oneWord, err := games.Local(word)
	if err == nil && oneWord {
		return named{game: name, size: game.Size(size).String()}, args[1:], nil
	}
	if err == nil {
		_, err = games.Lookup(word)
	}
	switch {
	case errors.As(err, new(*custom.Fault)):
		return n, nil, err
	case err != nil && !games.IsRules(word) && !strings.ContainsAny(word, ":+") && isBranch(cmd): // a board stands where a command may stand
		return n, nil, unknownCommand(cmd, word)
	case err != nil:
		return n, nil, &UsageError{err}
	case len(args) == 1:
		return n, nil, Usagef("the size of the board is missing; for example: %s", firstExample(cmd))
	}
	return named{game: word, size: args[1]}, args[2:], nil
}

func isBranch(cmd *cobra.Command) bool { return slices.ContainsFunc(cmd.Commands(), isOwn) }

// IsTableFile reports whether a word is the path or address of a table: by its suffix, or as a file and no game.
func IsTableFile(word string) bool {
	if games.IsRules(word) {
		return false
	}
	if remote.IsURL(word) || strings.HasSuffix(strings.TrimSuffix(word, tablebase.PackedSuffix), probe.FileSuffix) {
		return true
	}
	return isUnknownFile(word, word)
}

// isUnknownFile reports whether a file is there, and no game of that name.
func isUnknownFile(game, file string) bool {
	if _, err := games.Lookup(game); err == nil {
		return false
	}
	_, err := os.Stat(file)
	return err == nil
}

func firstExample(cmd *cobra.Command) string {
	line, _, _ := strings.Cut(strings.TrimSpace(cmd.Example), "\n")
	line, _, _ = strings.Cut(line, "  ")
	return line
}

// WrongArgs returns the error of arguments that are too few or too many.
func WrongArgs(cmd *cobra.Command) error {
	_, takes, some := strings.Cut(cmd.Use, " ")
	if !some {
		return Usagef("%s takes no arguments", cmd.CommandPath())
	}
	return Usagef("%s takes %s; for example: %s", cmd.CommandPath(), takes, firstExample(cmd))
}

// Args requires a number of arguments, or one from the first to the last of two.
func Args(numbers ...int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < numbers[0] || len(args) > numbers[len(numbers)-1] {
			return WrongArgs(cmd)
		}
		return nil
	}
}

// BoardArgs requires a board and from least to most other arguments.
func BoardArgs(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		_, others, err := split(cmd, args)
		if err == nil && (len(others) < least || len(others) > most) {
			err = WrongArgs(cmd)
		}
		return err
	}
}

// Board returns the board that the arguments of a command begin with, after the moves of
// --after, and the other arguments. The error is a *UsageError, or that of a table file.
func Board(cmd *cobra.Command, args []string, after string) (b *probe.Board, others []string, err error) {
	n, others, err := split(cmd, args)
	switch {
	case err != nil:
		return nil, nil, err
	case n.file == "":
		b, err = ParseBoard(n.game, n.size, after)
	default:
		if err = checkWithFile(cmd); err == nil {
			b, err = probe.BoardOf(cmd.Context(), n.file)
		}
	}
	return b, others, err
}

// checkWithFile refuses the flags that choose a table, for a command that has the file of one.
func checkWithFile(cmd *cobra.Command) error {
	for _, name := range []string{"after", "grundy", "dir"} {
		if f := cmd.Flag(name); f != nil && f.Changed {
			return Usagef("--%s goes with a game and its size; leave it out for the file of a table", name)
		}
	}
	return nil
}

// ParseBoard returns the board of a game, its size, 4x5 or 3+3, and the value of --after. The error is a *UsageError.
func ParseBoard(name, size, after string) (*probe.Board, error) {
	plain, ok := game.ParseSize(size)
	n := int(plain)
	if !ok || strings.Contains(size, "+") { // which means several boards
		var err error
		if name, n, _, err = games.Named(name + ":" + size); err != nil {
			return nil, &UsageError{err}
		}
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

// Sizes returns the sizes of a game that completion offers.
type Sizes func(g game.Game) []int

// SolvableSizes are the sizes for which there can be a table.
func SolvableSizes(g game.Game) []int {
	return slices.DeleteFunc(g.Sizes(), func(n int) bool { return partition.Solvable(g.New(n).Info()) != nil })
}

// TableSizes are the sizes with a table in a directory.
func TableSizes(dir *string) Sizes {
	return func(g game.Game) []int { return probe.SizesIn(*dir, g.Name, "") }
}

// KnownSizes are the sizes with a table in a directory, and those that need none.
func KnownSizes(dir *string) Sizes {
	return func(g game.Game) []int { return append(TableSizes(dir)(g), probe.StrategySizes(g)...) }
}

// CompleteBoard completes a board, and by others the arguments after it.
func CompleteBoard(sizes Sizes, others ...cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) (words []string, _ cobra.ShellCompDirective) {
		if _, after, err := split(cmd, args); err == nil {
			if len(after) < len(others) {
				return others[len(after)](cmd, after, word)
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		switch len(args) {
		case 0:
			words = completeBoardWord(sizes, word)
			if len(words) == 0 {
				return []string{strings.TrimPrefix(probe.FileSuffix, "."), strings.TrimPrefix(tablebase.PackedSuffix, ".")}, cobra.ShellCompDirectiveFilterFileExt
			}
		case 1:
			if g, err := games.Lookup(args[0]); err == nil {
				for _, n := range sizes(g) {
					words = append(words, game.Size(n).String())
				}
			}
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}

func completeBoardWord(sizes Sizes, word string) (words []string) {
	name, _, colon := strings.Cut(word, ":")
	for _, g := range games.All() {
		switch {
		case !colon && strings.HasPrefix(g.Name, word):
			words = append(words, g.Name+"\t"+g.Summary)
		case colon && g.Name == name:
			for _, n := range sizes(g) {
				words = append(words, name+":"+game.Size(n).String())
			}
		}
	}
	return words
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}
