package game

import (
	"math/bits"

	"backsolve/bitboard"
)

// Board is what games on grids share: an n×n board whose cells are empty or carry
// one of one or two kinds of marks, and the text of its positions. A game's rules
// embed it.
type Board struct {
	Layout
	lines []uint64
}

// NewBoard returns the board of a game, n×n for its size n ≤ 8. The variant follows
// from the size. With one kind of marks every mark is an X and no side is written;
// with two there are X and O and a side to move. Error messages show the example.
func NewBoard(i Info, example string) Board {
	return Board{NewLayout(i, example), bitboard.Lines(i.Size)}
}

// Start returns the empty board, X to move.
func (b *Board) Start() Position { return Position{} }

// Turn says whose turn it is: that of the side whose mark comes next or, where every
// mark is an X, what the number of marks tells, as each move adds one.
func (b *Board) Turn(p Position) Side {
	if b.info.Marks == 1 {
		return Side(bits.OnesCount64(p.X) & 1)
	}
	return p.Mark
}

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
	return string(b.AppendFormat(make([]byte, 0, b.info.Size*(b.info.Size+1)+1), p))
}

// AppendFormat appends the text of p, as Format returns it.
func (b *Board) AppendFormat(dst []byte, p Position) []byte {
	x, o := p.X, p.O
	for row := range b.info.Size {
		if row > 0 {
			dst = append(dst, '/')
		}
		for range b.info.Size {
			dst = append(dst, marks[x&1|o&1<<1])
			x, o = x>>1, o>>1
		}
	}
	if b.info.Marks == 2 {
		dst = append(dst, ' ', "xo"[p.Mark&1])
	}
	return dst
}

// marks are the letters of a cell by which of X and O is there; with both, which
// no position has, it is X.
const marks = ".XOX"

// Diagram draws the board of p: a line for each row with its number in front, and
// a last one with the letters of the columns.
func (b *Board) Diagram(p Position) string {
	return b.Draw(func(cell int) byte { return marks[p.X>>uint(cell)&1|p.O>>uint(cell)&1<<1] })
}

// Parse reads the text that Format writes, with white space around it or
// without; where the side to move is left out it is x. Nothing else is
// tolerated, so that what is read is what was meant. The error is a
// *SyntaxError.
func (b *Board) Parse(text string) (Position, error) {
	var p Position
	side, err := b.Read(text, func(cell int, mark byte) {
		if mark == 'X' {
			p.X |= 1 << uint(cell)
		} else {
			p.O |= 1 << uint(cell)
		}
	})
	if err != nil {
		return Position{}, err
	}
	p.Mark = side
	return p, nil
}
