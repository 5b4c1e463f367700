package game

import (
	"encoding/binary"
	"math/bits"

	"backsolve/bitboard"
)

// Board is what games on grids share: a board whose cells are empty or carry one of one
// or two kinds of marks, its lines, and the text of its positions. A game's rules embed it.
type Board struct {
	Layout
	lines []uint64
}

// NewBoard returns the board of a game, of at most 64 cells. The variant follows from the
// size. With one kind of marks every mark is an X and no side is written; with two there
// are X and O and a side to move. Error messages show the example.
func NewBoard(i Info, example string) Board {
	return Board{NewLayout(i, example), bitboard.Lines(i.Size)}
}

// Start returns the empty board, X to move.
func (b *Board) Start() Position { return Position{} }

// Turn returns the side to move. If every mark is an X it is the parity of their number,
// as each move adds one.
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
	return string(b.AppendFormat(make([]byte, 0, b.rows*(b.cols+1)+8), p))
}

// AppendFormat appends the text of p, as Format returns it.
func (b *Board) AppendFormat(dst []byte, p Position) []byte {
	n := b.cols
	x, o, row := p.X, p.O&^p.X, uint64(1)<<uint(n)-1
	for i := range b.rows {
		if i > 0 {
			dst = append(dst, '/')
		}
		end := len(dst) + n
		for rowX, rowO := x&row, o&row; len(dst) < end; rowX, rowO = rowX>>8, rowO>>8 {
			dst = binary.LittleEndian.AppendUint64(dst, blanks+spread[rowX&0xff]*('X'-'.')+spread[rowO&0xff]*('O'-'.'))
		}
		dst = dst[:end]
		x, o = x>>uint(n), o>>uint(n)
	}
	if b.info.Marks == 2 {
		dst = append(dst, ' ', "xo"[p.Mark&1])
	}
	return dst
}

// blanks is eight dots, and spread turns the bits of a byte into eight bytes, the lowest bit
// first.
const blanks = 0x2e2e2e2e2e2e2e2e

var spread = func() (bytes [256]uint64) {
	for v := range bytes {
		for i := range 8 {
			bytes[v] |= uint64(v>>i&1) << (8 * i)
		}
	}
	return bytes
}()

// marks are the letters of a cell, indexed by whether X and O are there; with both, which no
// position has, it is X.
const marks = ".XOX"

// Diagram draws the board of p: a line for each row with its number in front, and
// a last one with the letters of the columns.
func (b *Board) Diagram(p Position) string {
	return b.Draw(func(cell int) byte { return marks[p.X>>uint(cell)&1|p.O>>uint(cell)&1<<1] })
}

// Parse reads the text that Format writes, with or without white space around it; if the side to
// move is missing, it is x. Nothing else is tolerated, so that no typing error passes as a
// position. The error is a *SyntaxError.
func (b *Board) Parse(text string) (Position, error) {
	if p, ok := b.parsePlain(text); ok {
		return p, nil
	}
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

// parsePlain reads a text written exactly as Format writes it, as most are, in a fraction of the
// time; ok is false for any other text, good or bad.
func (b *Board) parsePlain(text string) (p Position, ok bool) {
	end := b.rows*(b.cols+1) - 1 // of the cells
	if len(text) != end+2*(b.info.Marks-1) {
		return p, false
	}
	at, cell, wrong := 0, uint(0), byte(0)
	for row := range b.rows {
		if row > 0 {
			wrong |= text[at] ^ '/'
			at++
		}
		for range b.cols {
			kind := kinds[text[at]]
			wrong |= kind & noKind
			p.X |= uint64(kind&1) << cell
			p.O |= uint64(kind>>1&1) << cell
			at, cell = at+1, cell+1
		}
	}
	if b.info.Marks == 1 {
		return p, wrong == 0 && p.O == 0
	}
	if text[end+1] == 'o' {
		p.Mark = O
	}
	return p, wrong == 0 && (text[end:] == " x" || text[end:] == " o")
}

// kinds maps the letter of a cell to its content: 0 for nothing, 1 for X or 2 for O, and
// noKind for any other byte.
var kinds = func() (of [256]byte) {
	for c := range of {
		of[c] = noKind
	}
	of['.'], of['X'], of['O'] = 0, 1, 2
	return of
}()

const noKind = 4
