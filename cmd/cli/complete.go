package cli

import (
	"os"
	"path/filepath"
	"strconv"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/probe"
	"backsolve/tablebase"
)

// CompleteBoard returns what shells may complete after the given arguments: the
// games, and then the sizes up to maxSize that have a table in a directory, or a
// pairing.
func CompleteBoard(dir string, args []string, maxSize int) (words []string) {
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
		for n := g.MinSize; n <= g.MaxSize; n++ {
			if hasTable(dir, g.New(n)) {
				words = append(words, strconv.Itoa(n))
			}
		}
		for _, n := range probe.PairingSizes(g.Name) {
			if n <= maxSize {
				words = append(words, strconv.Itoa(n))
			}
		}
	}
	return words
}

// hasTable says whether there is a file that may be the table of a board.
func hasTable(dir string, rules game.Rules) bool {
	path := filepath.Join(dir, probe.FileName(rules))
	_, err := os.Stat(path)
	_, packedErr := os.Stat(path + tablebase.PackedSuffix)
	return err == nil || packedErr == nil
}
