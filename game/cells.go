package game

import "strconv"

// CellName returns the name of a cell of the board of a size: the column's letter
// and the row's number, a1 at the bottom left.
func CellName(size, cell int) string {
	rows, cols := Size(size).Rows(), Size(size).Cols()
	return cellNames[(rows-1-cell/cols)&31][cell%cols&31]
}

// cellNames has the names by row, from the bottom, and column, so that no name is made twice.
var cellNames = func() (names [32][32]string) {
	for row := range names {
		for col := range names[row] {
			names[row][col] = string(rune('a'+col)) + strconv.Itoa(row+1)
		}
	}
	return names
}()

// ParseCells reads a move that consists of the names of n cells, with or without white space
// around it. The error is a *SyntaxError that shows the example.
func (b *Layout) ParseCells(text string, number int, example string) ([]int, error) {
	r := Scanner{text: text, example: example}
	r.trim()
	cells := make([]int, number)
	for i := range cells {
		col, err := r.coordinate('a', b.Cols(), "column's letter")
		if err != nil {
			return nil, err
		}
		row, err := r.rowNumber(b.Rows())
		if err != nil {
			return nil, err
		}
		cells[i] = (b.Rows()-row)*b.Cols() + col
	}
	if r.Peek() != "" {
		return nil, r.Fail("a move is %s; leave out the rest", count(number, "cell"))
	}
	return cells, nil
}

// coordinate reads one of the n characters from first on, and returns its index.
func (s *Scanner) coordinate(first byte, n int, what string) (int, error) {
	last := first + byte(n-1)
	c := s.Peek()
	if len(c) == 1 && first <= c[0] && c[0] <= last {
		s.Skip()
		return int(c[0] - first), nil
	}
	if c == "" {
		return 0, s.Fail("the move ends here; write a %s from %c to %c", what, first, last)
	}
	return 0, s.Fail("%q is not a %s from %c to %c", c, what, first, last)
}

// rowNumber reads the number of one of the n rows, of any number of digits.
func (s *Scanner) rowNumber(n int) (int, error) {
	const what = "row's number"
	first, err := s.coordinate('1', min(n, 9), what)
	if err != nil {
		return 0, err
	}
	row := first + 1
	for c := s.Peek(); len(c) == 1 && '0' <= c[0] && c[0] <= '9' && n > 9; c = s.Peek() {
		if row = 10*row + int(c[0]-'0'); row > n {
			return 0, s.Fail("there is no row %d; write a %s from 1 to %d", row, what, n)
		}
		s.Skip()
	}
	return row, nil
}
