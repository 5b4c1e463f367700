package game

import "strings"

// MaxLayout is the largest size of a Layout: further columns would have no letter.
const MaxLayout = 26

// Layout is how positions on a board of rows and columns are written, whatever their type.
type Layout struct {
	info       Info
	rows, cols int
	example    string
}

// NewLayout returns the layout of a game's board with at most MaxLayout rows and columns.
// The variant follows from the size. Error messages show the example.
func NewLayout(i Info, example string) Layout {
	size := Size(i.Size)
	i.Variant, i.Board = size.Board(), OnGrid
	return Layout{i, size.Rows(), size.Cols(), example}
}

// Corner returns the text of a board with one X at the top left, or without a mark if that is the
// only cell.
func Corner(size int) string {
	rows, cols := Size(size).Rows(), Size(size).Cols()
	empty := strings.Repeat(".", cols)
	if rows*cols == 1 {
		return empty
	}
	return "X" + empty[1:] + strings.Repeat("/"+empty, rows-1)
}

// Info describes the board.
func (b *Layout) Info() Info { return b.info }

// Name is the game's name.
func (b *Layout) Name() string { return b.info.Name }

// Size returns Info's size.
func (b *Layout) Size() int { return b.info.Size }

// Rows is the number of rows.
func (b *Layout) Rows() int { return b.rows }

// Cols is the number of columns.
func (b *Layout) Cols() int { return b.cols }

// Marks is the number of kinds of marks, 1 or 2.
func (b *Layout) Marks() int { return b.info.Marks }

// Example returns the text of a position that shows the notation.
func (b *Layout) Example() string { return b.example }

// Read reads the text of a position, with or without white space around it, and calls put for
// each mark; it returns the side to move, x if it is left out. Nothing else is tolerated, so that
// no typing error passes as a position. The error is a *SyntaxError.
func (b *Layout) Read(text string, put func(cell int, mark byte)) (Side, error) {
	r := Scanner{text: text, example: b.example}
	r.trim()
	for row := range b.rows {
		if row > 0 {
			if err := b.readSlash(&r, row); err != nil {
				return 0, err
			}
		}
		for col := range b.cols {
			if err := b.readCell(&r, row, col, put); err != nil {
				return 0, err
			}
		}
	}
	return b.readSide(&r)
}

func (b *Layout) readCell(r *Scanner, row, col int, put func(cell int, mark byte)) error {
	switch c := r.Peek(); {
	case c == "." || c == "X" || c == "O" && b.info.Marks == 2:
		if c != "." {
			put(row*b.cols+col, c[0])
		}
		r.Skip()
		return nil
	case c == "" && row == 0 && col == 0:
		return r.Fail("there is no position; write the %d rows of the board from top to bottom, separated by slashes", b.rows)
	case c == "" || c == "/" || c == " ":
		return r.Fail("row %d from the top has %s, but a row of the %d×%d board has %d",
			row+1, count(col, "cell"), b.rows, b.cols, b.cols)
	case c == "O" || c == "o" && b.info.Marks == 1:
		return r.Fail("every mark is an X in this game; write X or .")
	case c == "x" || c == "o":
		return r.Fail("marks are capital letters; write %s instead of %s", strings.ToUpper(c), c)
	default:
		return r.Fail("%q is not a cell; write %s", c, b.cells())
	}
}

// cells lists the possible contents of a cell.
func (b *Layout) cells() string {
	if b.info.Marks == 2 {
		return "X, O or . (a dot where the cell is empty)"
	}
	return "X or . (a dot where the cell is empty)"
}

func (b *Layout) readSlash(r *Scanner, row int) error {
	switch c := r.Peek(); c {
	case "/":
		r.Skip()
		return nil
	case "", " ":
		return r.Fail("the board ends after %s, but the %d×%d board has %d, separated by slashes",
			count(row, "row"), b.rows, b.cols, b.rows)
	default:
		return r.Fail("row %d from the top continues after %s, the width of the %d×%d board; write a slash before the next row",
			row, count(b.cols, "cell"), b.rows, b.cols)
	}
}

// readSide reads the rest after the cells: nothing, or a space and the side.
func (b *Layout) readSide(r *Scanner) (Side, error) {
	switch c := r.Peek(); {
	case c == "":
		return X, nil
	case strings.Contains("/XO.xo", c):
		return 0, r.Fail("the board has more than %s of %s, but it is %d×%d",
			count(b.rows, "row"), count(b.cols, "cell"), b.rows, b.cols)
	case b.info.Marks == 1:
		return 0, r.Fail("nothing follows the board, as this game has no sides; leave out the rest")
	}
	return r.Side("board")
}
