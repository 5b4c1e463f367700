package partition

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"backsolve/game"
)

// ParseName splits the name of a game in its table, such as notakto-after-a1-c3, into the
// game and the cells that are marked from the start.
func ParseName(name string, size int) (of string, taken uint64, err error) {
	of, cells, after := strings.Cut(name, "-after-")
	if !after {
		return of, 0, nil
	}
	if !GoesOn(of) {
		return "", 0, fmt.Errorf("%s cannot go on after given cells", of)
	}
	taken, ok := ParseCells(size, cells)
	if !ok {
		return "", 0, fmt.Errorf("%q is not an ordered list of cells", cells)
	}
	return of, taken, nil
}

// Named returns the space of a game by its name in a table. It does not compare it with the
// rules, as New does.
func Named(name string, size int) (*Space, error) {
	of, taken, err := ParseName(name, size)
	if err != nil {
		return nil, err
	}
	makers, ok := spaces[of]
	switch {
	case !ok:
		return nil, fmt.Errorf("%s has %w", of, ErrNoTables)
	case size < makers.min || size > makers.max:
		return nil, fmt.Errorf("%s %d×%d has %w", of, size, size, ErrNoTables)
	case taken != 0:
		return makers.after(size, taken)
	}
	return makers.new(size)
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
	for c := range size * size {
		if slices.Contains(names, game.CellName(size, c)) {
			cells |= 1 << uint(c)
		}
	}
	return cells, slices.Equal(CellNames(size, cells), names)
}
