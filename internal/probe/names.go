package probe

import (
	"strings"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/partition"
	"backsolve/tablebase"
)

func afterText(board game.Info, taken uint64) string {
	if taken == 0 {
		return ""
	}
	return "-after-" + strings.Join(CellNames(board, taken), "-")
}

// FileSuffix ends the name of a table file that is not packed.
const FileSuffix = ".tb"

// FileName returns the name of a board's table file: quixo-4x4.tb.
func FileName(board game.Info) string { return FileNameAfter(board, 0) }

// FileNameAfter returns the name of the table file of a game that goes on after the taken
// cells are marked: notakto-5x5-after-a1-c3.tb. A game by its positions has connect4-5x5.tb.
func FileNameAfter(board game.Info, taken uint64) string {
	return strings.TrimSuffix(board.Name+"-"+board.Variant, "-") + afterText(board, taken) + FileSuffix
}

// nimbersSuffix comes before FileSuffix in the name of a table with nimbers.
const nimbersSuffix = "-grundy"

// NimbersFileName returns the file name of a table with nimbers: notakto-6x6-grundy.tb.
func NimbersFileName(board game.Info) string { return NimbersOf(FileName(board)) }

// NimbersBeside turns the file name of a table with nimbers into that of the board's other table.
func NimbersBeside(name string) (other string, ok bool) {
	board, ok := strings.CutSuffix(name, nimbersSuffix+FileSuffix)
	return board + FileSuffix, ok
}

// NimbersOf is the inverse of NimbersBeside. The name may be that of a packed table.
func NimbersOf(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, tablebase.PackedSuffix), FileSuffix) + nimbersSuffix + FileSuffix
}

// NimbersShape returns the shape of the table with the nimbers of a space.
func NimbersShape(space *partition.Space) tablebase.Shape {
	s := Shape(space, false)
	s.Nimbers = true
	return s
}

// Shape returns the shape of the table of a space, with or without steps.
func Shape(space *partition.Space, steps bool) tablebase.Shape {
	size, name := game.Size(space.Size), space.Game
	if !size.Plain() { // Shape.Size does not say it: notakto-4x5
		name += "-" + size.Board()
	}
	name += afterText(game.Info{Name: space.Game, Size: space.Size}, space.Taken)
	return tablebase.Shape{Game: name, Size: max(size.Rows(), size.Cols()), Planes: space.Planes(), Steps: steps}
}

// parseShape returns the board whose table has a shape: the inverse of Shape.
func parseShape(shape tablebase.Shape) (rules game.Grid, taken uint64, err error) {
	name, size, taken, err := partition.ParseName(shape.Game, shape.Size)
	if err != nil {
		return nil, 0, err
	}
	rules, err = games.NewGrid(name, size)
	return rules, taken, err
}

// CellNames returns the names of a mask's cells in the order of their text.
func CellNames(board game.Info, cells uint64) []string {
	return partition.CellNames(board.Size, cells)
}

func cellsText(board game.Info, cells uint64) string {
	return strings.Join(CellNames(board, cells), ", ")
}

func boardText(board game.Info, taken uint64) string {
	name := board.String()
	if taken != 0 {
		name += " after " + cellsText(board, taken)
	}
	return name
}
