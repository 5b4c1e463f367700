package cli

import (
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/probe"
	"backsolve/tablebase"
)

// CompleteBoard returns what shells may complete after the given arguments: the
// games, and then the sizes that have a table in a directory, or a strategy that
// answers.
func CompleteBoard(dir string, args []string) (words []string) {
	words = CompleteTable(dir, args)
	if len(args) != 1 {
		return words
	}
	if g, err := games.Lookup(args[0]); err == nil {
		for _, n := range probe.StrategySizes(g) {
			words = append(words, strconv.Itoa(n))
		}
	}
	return words
}

// CompleteTable is CompleteBoard for boards with a table alone.
func CompleteTable(dir string, args []string) (words []string) {
	switch len(args) {
	case 0:
		for _, g := range games.All() {
			words = append(words, g.Name+"\t"+g.Summary)
		}
	case 1:
		g, err := games.Lookup(args[0])
		if err != nil {
			return nil
		}
		for _, n := range g.Sizes() {
			if hasTable(dir, g.New(n).Info()) {
				words = append(words, strconv.Itoa(n))
			}
		}
	}
	return words
}

// hasTable says whether there is a file that may be the table of a board.
func hasTable(dir string, board game.Info) bool {
	path := filepath.Join(dir, probe.FileName(board))
	_, err := os.Stat(path)
	_, packedErr := os.Stat(path + tablebase.PackedSuffix)
	return err == nil || packedErr == nil
}

// NoCompletion says that nothing, and no file, completes the values of flags.
func NoCompletion(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		cobra.CheckErr(cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions))
	}
}
