package retro

import (
	"slices"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/partition/spacetest"
	"backsolve/retro/oracle"
)

// byCells are the rules of a board by cells in rows and columns, as a person would check them:
// without masks, lists of lines or slides.
type byCells struct {
	game.Grid
	words []string // of the variant
}

func (b byCells) has(word string) bool { return slices.Contains(b.words, word) }

// cells returns the cells as letters.
func (b byCells) cells(p game.Position) [][]byte {
	board := make([][]byte, b.Rows())
	for row := range board {
		board[row] = make([]byte, b.Cols())
		for col := range board[row] {
			bit := uint64(1) << (row*b.Cols() + col)
			switch {
			case p.X&bit != 0:
				board[row][col] = 'X'
			case p.O&bit != 0:
				board[row][col] = 'O'
			default:
				board[row][col] = '.'
			}
		}
	}
	return board
}

// position is the inverse of cells.
func (b byCells) position(board [][]byte, mark game.Side) game.Position {
	p := game.Position{Mark: mark}
	for row := range board {
		for col, letter := range board[row] {
			bit := uint64(1) << (row*b.Cols() + col)
			switch letter {
			case 'X':
				p.X |= bit
			case 'O':
				p.O |= bit
			}
		}
	}
	return p
}

// hasLine walks from every cell in every direction.
func (b byCells) hasLine(board [][]byte, mark byte) bool {
	rows, cols := len(board), len(board[0])
	walk := func(row, col, down, right, length int) bool {
		for range length {
			if b.has("torus") {
				row, col = (row+rows)%rows, (col+cols)%cols
			}
			if row < 0 || row >= rows || col < 0 || col >= cols || board[row][col] != mark {
				return false
			}
			row, col = row+down, col+right
		}
		return true
	}
	length := slices.IndexFunc([]string{"", "", "two", "three", "four", "five"}, b.has)
	for row := range rows {
		for col := range cols {
			if length > 0 {
				if walk(row, col, 0, 1, length) || walk(row, col, 1, 0, length) || walk(row, col, 1, 1, length) || walk(row, col, 1, -1, length) {
					return true
				}
				continue
			}
			if walk(row, col, 0, 1, cols) || walk(row, col, 1, 0, rows) {
				return true
			}
			if rows == cols && !b.has("no-diagonals") && (walk(row, col, 1, 1, rows) || walk(row, col, 1, -1, rows)) {
				return true
			}
		}
	}
	return false
}

func (b byCells) Terminal(p game.Position) (game.Outcome, bool) {
	board := b.cells(p)
	mover, waiting := b.hasLine(board, "XO"[p.Mark]), b.hasLine(board, "OX"[p.Mark])
	moverLost := map[string]bool{"notakto": b.has("normal"), "tictactoe": !b.has("misere"), "quixo": true}[b.Name()]
	switch {
	case mover && waiting && b.has("both-draw"):
		return game.Draw, true
	case mover && waiting && b.has("both-win"):
		return game.Lose, true
	case b.Name() == "notakto" && mover && moverLost:
		return game.Lose, true
	case mover:
		return game.Win, true
	case waiting && moverLost:
		return game.Lose, true
	case waiting:
		return game.Win, true
	}
	full := true
	for _, row := range board {
		full = full && !slices.Contains(row, '.')
	}
	return game.Draw, full && b.Name() == "tictactoe"
}

// Moves numbers the moves: From is the cell, To the cell where it goes in or the same cell.
func (b byCells) Moves(buf []game.Move, p game.Position) []game.Move {
	board := b.cells(p)
	rows, cols := len(board), len(board[0])
	for row := range rows {
		for col := range cols {
			from := uint8(row*cols + col)
			if b.Name() != "quixo" {
				if board[row][col] == '.' {
					buf = append(buf, game.Move{From: from, To: from})
				}
				continue
			}
			edge := row == 0 || col == 0 || row == rows-1 || col == cols-1
			if !edge || board[row][col] == "OX"[p.Mark] {
				continue
			}
			for _, to := range [][2]int{{row, 0}, {row, cols - 1}, {0, col}, {rows - 1, col}} {
				m := game.Move{From: from, To: uint8(to[0]*cols + to[1])}
				if m.To != m.From && !slices.Contains(buf, m) {
					buf = append(buf, m)
				}
			}
		}
	}
	return buf
}

func (b byCells) Play(p game.Position, m game.Move) game.Position {
	board, cols := b.cells(p), b.Cols()
	row, col, toRow, toCol := int(m.From)/cols, int(m.From)%cols, int(m.To)/cols, int(m.To)%cols
	for row != toRow {
		next := row + 1
		if toRow < row {
			next = row - 1
		}
		board[row][col] = board[next][col]
		row = next
	}
	for col != toCol {
		next := col + 1
		if toCol < col {
			next = col - 1
		}
		board[row][col] = board[row][next]
		col = next
	}
	mark := p.Mark
	if board[row][col] = "XO"[mark]; b.Marks() == 2 {
		mark = mark.Other()
	}
	return b.position(board, mark)
}

// Every state of boards that are not square, and of variants, has the outcome and steps that
// follow from the rules by cells.
func TestVariantsAgreeWithCells(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector; TestSolveAgreesWithOracle has the same threads")
	}
	for _, word := range []string{
		"notakto:3", "notakto:1x10", "notakto:8x2", "notakto:2x3", "notakto:3x4", "notakto:4x3", "notakto:3x3,torus", "notakto:3x3,no-diagonals",
		"notakto:3x3,normal", "notakto:2x5,normal", "notakto:3x3,torus,normal", "notakto:3x3,no-diagonals,normal",
		"quixo:3", "quixo:2x4", "quixo:4x2,three", "quixo:3x3,both-win", "quixo:3x3,both-draw", "quixo:4x2,both-win", "quixo:2x4,three,both-draw",
		"tictactoe:3", "tictactoe:4x2", "tictactoe:2x4,three", "tictactoe:3x3,two", "tictactoe:3x3,misere", "tictactoe:4x2,two,misere",
	} {
		t.Run(strings.ReplaceAll(word, ":", "-"), func(t *testing.T) {
			name, size, _, err := games.Named(word)
			if err != nil {
				t.Fatal(err)
			}
			rules, space := spacetest.New(t, name, size)
			want := oracle.Solve(byCells{rules, game.Size(size).Words()})
			for _, steps := range []bool{false, true} {
				path, _ := solve(t, space, Options{Steps: steps})
				compare(t, rules, space, openTable(t, path), want, steps)
			}
		})
	}
}

// Published values of m,n,k-games for the first player, and of Notakto.
func TestPublishedVariants(t *testing.T) {
	for word, want := range map[string]game.Outcome{
		"tictactoe:3": game.Draw, "tictactoe:4": game.Draw, "tictactoe:3x3,misere": game.Draw,
		"tictactoe:4x4,three": game.Win, "tictactoe:3x4,three": game.Win, "tictactoe:2x5,three": game.Draw,
		"tictactoe:3x3,two": game.Win, "tictactoe:3x4,four": game.Draw,
		"notakto:3": game.Win, "notakto:4": game.Lose,
	} {
		name, size, _, err := games.Named(word)
		if err != nil {
			t.Fatal(err)
		}
		s := solveBoard(t, name, size, false)
		if got := s.value(s.rules.Start()).Outcome; got != want {
			t.Errorf("the start of %s is a %v, want a %v", word, got, want)
		}
	}
}
