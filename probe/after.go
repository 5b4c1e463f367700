package probe

import (
	"fmt"
	"math/bits"
	"os"
	"slices"
	"strconv"
	"strings"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/partition"
	"backsolve/tablebase"
)

// ShapeGame returns the name under which a table holds a game that goes on after
// the given cells are marked: notakto-after-a1-c3, and the game's own name where
// no cells are given.
func ShapeGame(board game.Info, taken uint64) string {
	if taken == 0 {
		return board.Name
	}
	return board.Name + "-after-" + strings.Join(CellNames(board, taken), "-")
}

const fileSuffix = ".tb"

// FileNameAfter returns the name of the table file of a game that goes on after
// the given cells are marked: notakto-5x5-after-a1-c3.tb.
func FileNameAfter(board game.Info, taken uint64) string {
	whole := board.Name + "-" + board.Variant
	return whole + strings.TrimPrefix(ShapeGame(board, taken), board.Name) + fileSuffix
}

// parseShape finds the board whose table has this shape: the inverse of
// ShapeGame.
func parseShape(shape tablebase.Shape) (rules game.Grid, taken uint64, err error) {
	name, cells, after := strings.Cut(shape.Game, "-after-")
	if rules, err = games.NewGrid(name, shape.Size); err != nil || !after {
		return rules, 0, err
	}
	if !partition.GoesOn(name) {
		return nil, 0, fmt.Errorf("%s cannot go on after given cells", name)
	}
	taken, ok := parseCells(rules, cells)
	if !ok {
		return nil, 0, fmt.Errorf("%q names no cells of the board in their order", cells)
	}
	return rules, taken, nil
}

// parseCells reads the names of cells, in their order, joined by '-'.
func parseCells(rules game.Grid, text string) (cells uint64, ok bool) {
	names := strings.Split(text, "-")
	for c := range rules.Size() * rules.Size() {
		if slices.Contains(names, game.CellName(rules.Size(), c)) {
			cells |= 1 << uint(c)
		}
	}
	return cells, slices.Equal(CellNames(rules.Info(), cells), names)
}

// tablesAfter returns, for each table in a directory of a board after given
// moves, the cells that are marked from the start: a1,c3.
func tablesAfter(dir string, rules game.Grid) (after []string) {
	before := strings.TrimSuffix(FileName(rules.Info()), fileSuffix) + "-after-"
	entries, _ := os.ReadDir(dir) // what cannot be listed names no tables
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), tablebase.PackedSuffix)
		name, isTable := strings.CutSuffix(name, fileSuffix)
		name, isAfter := strings.CutPrefix(name, before)
		if cells, ok := parseCells(rules, name); isTable && isAfter && ok {
			after = append(after, strings.Join(CellNames(rules.Info(), cells), ","))
		}
	}
	slices.Sort(after)
	return slices.Compact(after) // a packed table and an unpacked one are alike
}

// notAfter says that a position is not one of the table's game.
func (t *Table) notAfter(missing uint64) error {
	return fmt.Errorf("%w of this table, which begins after %s: there is no X on %s; mark what is missing, or ask another table", ErrPosition,
		strings.Join(CellNames(t.rules.Info(), t.space.Taken), ", "), strings.Join(CellNames(t.rules.Info(), missing), ", "))
}

// ParseFileName finds the board whose table has a file name, packed or not: the
// inverse of FileNameAfter.
func ParseFileName(name string) (*Board, bool) {
	whole, isTable := strings.CutSuffix(strings.TrimSuffix(name, tablebase.PackedSuffix), fileSuffix)
	whole, after, _ := strings.Cut(whole, "-after-")
	i := strings.LastIndexByte(whole, '-')
	if !isTable || i < 0 {
		return nil, false
	}
	size, _, _ := strings.Cut(whole[i+1:], "x")
	n, err := strconv.Atoi(size)
	if err != nil {
		return nil, false
	}
	b, err := NewBoard(whole[:i], n, strings.ReplaceAll(after, "-", ","))
	if err != nil || b.strategy != nil || FileNameAfter(b.Info(), b.taken) != strings.TrimSuffix(name, tablebase.PackedSuffix) {
		return nil, false
	}
	return b, true
}

// CellNames returns the names of a mask's cells in the order of their text.
func CellNames(board game.Info, cells uint64) (names []string) {
	for ; cells != 0; cells &= cells - 1 {
		names = append(names, game.CellName(board.Size, bits.TrailingZeros64(cells)))
	}
	slices.Sort(names)
	return names
}
