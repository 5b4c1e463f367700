package game

import (
	"strings"

	"backsolve/bitboard"
)

// Board is what the games share: an n×n board whose cells are empty or carry
// one of one or two kinds of marks, and the text of its positions. A game's
// rules embed it.
type Board struct {
	size, marks int
	example     string
	lines       []uint64
}

// NewBoard returns the n×n board, 1 ≤ n ≤ 8. With one kind of marks every mark
// is an X and no side is written; with two there are X and O and a side to
// move. Error messages show the example.
func NewBoard(n, marks int, example string) Board {
	return Board{size: n, marks: marks, example: example, lines: bitboard.Lines(n)}
}

// Size is the n of the n×n board.
func (b *Board) Size() int { return b.size }

// Marks is the number of kinds of marks, 1 or 2.
func (b *Board) Marks() int { return b.marks }

// Start returns the empty board, X to move.
func (b *Board) Start() Position { return Position{} }

// Example returns the text of a position that shows the notation.
func (b *Board) Example() string { return b.example }

// Complete reports whether a line lies wholly in mask.
func (b *Board) Complete(mask uint64) bool {
	for _, line := range b.lines {
		if mask&line == line {
			return true
		}
	}
	return false
}

// Format returns the text of p: the rows from top to bottom separated by
// slashes and, with two kinds of marks, a space and the side to move.
func (b *Board) Format(p Position) string {
	return string(b.AppendFormat(make([]byte, 0, b.size*(b.size+1)+1), p))
}

// AppendFormat appends the text of p, as Format returns it.
func (b *Board) AppendFormat(dst []byte, p Position) []byte {
	x, o := p.X, p.O
	for row := range b.size {
		if row > 0 {
			dst = append(dst, '/')
		}
		for range b.size {
			dst = append(dst, marks[x&1|o&1<<1])
			x, o = x>>1, o>>1
		}
	}
	if b.marks == 2 {
		dst = append(dst, ' ', "xo"[p.ToMove&1])
	}
	return dst
}

// marks are the letters of a cell by which of X and O is there; with both, which
// no position has, it is X as in mark.
const marks = ".XOX"

// mark returns the letter of a cell.
func (p Position) mark(cell int) byte {
	switch {
	case p.X>>uint(cell)&1 == 1:
		return 'X'
	case p.O>>uint(cell)&1 == 1:
		return 'O'
	}
	return '.'
}

// Parse reads the text that Format writes, with white space around it or
// without; where the side to move is left out it is x. Nothing else is
// tolerated, so that what is read is what was meant. The error is a
// *SyntaxError.
func (b *Board) Parse(text string) (Position, error) {
	var p Position
	side, err := b.read(text, func(cell int, mark byte) {
		if mark == 'X' {
			p.X |= 1 << uint(cell)
		} else {
			p.O |= 1 << uint(cell)
		}
	})
	if err != nil {
		return Position{}, err
	}
	p.ToMove = side
	return p, nil
}

// read reads the text of a position of any size: it calls put for each mark and
// returns the side to move.
func (b *Board) read(text string, put func(cell int, mark byte)) (Side, error) {
	r := reader{text: text, example: b.example}
	r.trim()
	for row := range b.size {
		if row > 0 {
			if err := b.readSlash(&r, row); err != nil {
				return 0, err
			}
		}
		for col := range b.size {
			if err := b.readCell(&r, row, col, put); err != nil {
				return 0, err
			}
		}
	}
	var side Side
	if err := b.readSide(&r, &side); err != nil {
		return 0, err
	}
	return side, nil
}

func (b *Board) readCell(r *reader, row, col int, put func(cell int, mark byte)) *SyntaxError {
	switch c := r.peek(); {
	case c == "." || c == "X" || c == "O" && b.marks == 2:
		if c != "." {
			put(row*b.size+col, c[0])
		}
		r.skip()
		return nil
	case c == "" && row == 0 && col == 0:
		return r.fail("there is no position; write the %d rows of the board from top to bottom, separated by slashes", b.size)
	case c == "" || c == "/" || c == " ":
		return r.fail("row %d from the top has %s, but a row of the %d×%d board has %d",
			row+1, count(col, "cell"), b.size, b.size, b.size)
	case c == "O" || c == "o" && b.marks == 1:
		return r.fail("every mark is an X in this game; write X or .")
	case c == "x" || c == "o":
		return r.fail("the marks are written as capitals; write %s instead of %s", strings.ToUpper(c), c)
	default:
		return r.fail("%q is not a cell; write %s", c, b.cells())
	}
}

// cells lists what a cell can be.
func (b *Board) cells() string {
	if b.marks == 2 {
		return "X, O or . (a dot where the cell is empty)"
	}
	return "X or . (a dot where the cell is empty)"
}

func (b *Board) readSlash(r *reader, row int) *SyntaxError {
	switch c := r.peek(); c {
	case "/":
		r.skip()
		return nil
	case "", " ":
		return r.fail("the board ends after %s, but the %d×%d board has %d, separated by slashes",
			count(row, "row"), b.size, b.size, b.size)
	default:
		return r.fail("row %d from the top goes on after %s, but a row of the %d×%d board has no more; write a slash before the next row",
			row, count(b.size, "cell"), b.size, b.size)
	}
}

// readSide reads what follows the cells: nothing, or a space and the side.
func (b *Board) readSide(r *reader, side *Side) *SyntaxError {
	switch c := r.peek(); {
	case c == "":
		return nil
	case c == "/" || strings.Contains("XO.xo", c):
		return r.fail("the board goes on after %s of %s, but the %d×%d board ends there",
			count(b.size, "row"), count(b.size, "cell"), b.size, b.size)
	case b.marks == 1:
		return r.fail("nothing follows the board, as this game has no sides; leave out the rest")
	case c != " ":
		return r.fail("%q does not belong here; only a space and the side to move, x or o, follow the board", c)
	}
	r.skip()
	switch c := r.peek(); c {
	case "x":
	case "o":
		*side = O
	case "X", "O":
		return r.fail("the side to move is written small; write %s instead of %s", strings.ToLower(c), c)
	default:
		return r.fail("%q is not a side to move; write x or o after one space", c)
	}
	r.skip()
	if r.peek() != "" {
		return r.fail("nothing follows the side to move; leave out the rest")
	}
	return nil
}
