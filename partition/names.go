package partition

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"backsolve/game"
)

// ParseName splits the name of a game in its table, such as notakto-after-a1-c3 or
// notakto-4x5, into the game, the size of its board, and the cells that are marked from the
// start. longest is the greater of rows and columns.
func ParseName(name string, longest int) (of string, size int, taken uint64, err error) {
	whole, cells, after := strings.Cut(name, "-after-")
	of, word, other := game.CutBoard(whole)
	s := game.Size(longest)
	if other {
		var ok bool
		if s, ok = game.ParseSize(word); !ok || s.Plain() || s.Board() != word || max(s.Rows(), s.Cols()) != longest {
			return "", 0, 0, fmt.Errorf("%q is not a board with %d rows or columns", word, longest)
		}
	}
	if !after {
		return of, int(s), 0, nil
	}
	if !GoesOn(of) {
		return "", 0, 0, fmt.Errorf("%s cannot go on after given cells", of)
	}
	taken, ok := ParseCells(int(s), cells)
	if !ok {
		return "", 0, 0, fmt.Errorf("%q is not an ordered list of cells", cells)
	}
	return of, int(s), taken, nil
}

// Named returns the space of a game by its name in a table. It does not compare it with the rules.
func Named(name string, size int) (*Space, error) {
	of, size, taken, err := ParseName(name, size)
	if err != nil {
		return nil, err
	}
	makers, ok := spaces[of]
	switch {
	case !ok:
		return nil, fmt.Errorf("%s has %w", of, ErrNoTables)
	case size < makers.min || game.Size(size).Cells() > makers.cells:
		return nil, fmt.Errorf("%s %s has %w", of, game.Size(size).Title(), ErrNoTables)
	}
	return makers.new(size, taken)
}

// CellNames returns the names of a mask's cells in the order of their text.
func CellNames(size int, cells uint64) (names []string) {
	for ; cells != 0; cells &= cells - 1 {
		names = append(names, game.CellName(size, bits.TrailingZeros64(cells)))
	}
	slices.Sort(names)
	return names
}

// ParseCells reads the names of cells in the order of CellNames, joined by '-'.
func ParseCells(size int, text string) (cells uint64, ok bool) {
	names := strings.Split(text, "-")
	for c := range game.Size(size).Cells() {
		if slices.Contains(names, game.CellName(size, c)) {
			cells |= 1 << uint(c)
		}
	}
	return cells, slices.Equal(CellNames(size, cells), names)
}
