package probe

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"backsolve/game"
)

// ShapeGame returns the name under which a table holds a game that goes on after
// the given cells are marked: notakto-after-a1-c3, and the game's own name where
// no cells are given.
func ShapeGame(rules game.Rules, taken uint64) string {
	if taken == 0 {
		return rules.Name()
	}
	return rules.Name() + "-after-" + strings.Join(cellNames(rules, taken), "-")
}

// FileNameAfter returns the name of the table file of a game that goes on after
// the given cells are marked: notakto-5x5-after-a1-c3.tb.
func FileNameAfter(rules game.Rules, taken uint64) string {
	whole := fmt.Sprintf("%s-%dx%d", rules.Name(), rules.Size(), rules.Size())
	return whole + strings.TrimPrefix(ShapeGame(rules, taken), rules.Name()) + ".tb"
}

// cellNames returns the names of cells in the order of their text.
func cellNames(rules game.Rules, cells uint64) (names []string) {
	for ; cells != 0; cells &= cells - 1 {
		names = append(names, game.CellName(rules.Size(), bits.TrailingZeros64(cells)))
	}
	slices.Sort(names)
	return names
}
