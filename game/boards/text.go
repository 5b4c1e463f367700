package boards

import (
	"fmt"
	"slices"
	"strings"

	"backsolve/game"
)

// Parse reads the text that Format writes, with or without white space around it.
func (r *rules) Parse(text string) (position, error) {
	s := game.NewScanner(text, r.Example())
	if s.Peek() == "" {
		return position{}, s.Fail("there is no position; write %s, each as its rows from top to bottom, separated by slashes", r.boards())
	}
	var p position
	for i, side := range r.sides {
		if i > 0 {
			if s.Peek() != "+" {
				return position{}, s.Fail("expected a plus sign and the next of %s", r.boards())
			}
			s.Skip()
		}
		board, err := parseBoard(s, side, i+1)
		if err != nil {
			return position{}, err
		}
		p[i] = board
	}
	return p, s.End(fmt.Sprintf("the position ends here, after %s", r.boards()))
}

func parseBoard(s *game.Scanner, side, number int) (board uint16, err error) {
	for cell := range side * side {
		if cell > 0 && cell%side == 0 {
			if s.Peek() != "/" {
				return 0, s.Fail("expected a slash and the next row of board %d, which is %d×%[2]d", number, side)
			}
			s.Skip()
		}
		switch c := s.Peek(); c {
		case ".":
		case "X":
			board |= 1 << cell
		case "x":
			return 0, s.Fail("marks are capital letters; write X instead of x")
		case "", "/", "+":
			return 0, s.Fail("expected a cell of row %d from the top of board %d, which is %d×%[3]d", cell/side+1, number, side)
		default:
			return 0, s.Fail("%q is not a cell; write X or . (a dot where the cell is empty)", c)
		}
		s.Skip()
	}
	return board, nil
}

// boards describes the boards of a position.
func (r *rules) boards() string {
	if len(r.sides) == 1 {
		return "the board"
	}
	return fmt.Sprintf("the %d boards, separated by plus signs", len(r.sides))
}

// Format returns the rows of the boards from top to bottom, separated by slashes, and
// the boards by plus signs.
func (r *rules) Format(p position) string {
	return string(r.AppendFormat(make([]byte, 0, len(r.sides)*(maxSide+1)*maxSide), p))
}

// AppendFormat appends the text of p, as Format returns it.
func (r *rules) AppendFormat(dst []byte, p position) []byte {
	for i, side := range r.sides {
		if i > 0 {
			dst = append(dst, '+')
		}
		for cell := range side * side {
			if cell > 0 && cell%side == 0 {
				dst = append(dst, '/')
			}
			dst = append(dst, mark(p[i], cell))
		}
	}
	return dst
}

func mark(board uint16, cell int) byte { return ".X"[board>>cell&1] }

// ParseMove reads the number of a board and the name of a cell.
func (r *rules) ParseMove(p position, text string) (game.Move, error) {
	s := game.NewScanner(text, "1b2")
	board, err := s.Number(1, len(r.sides), "a board")
	if err != nil {
		return game.Move{}, err
	}
	side := r.sides[board-1]
	column, err := s.Letter(side, "a column")
	if err != nil {
		return game.Move{}, err
	}
	row, err := s.Number(1, side, "a row")
	if err != nil {
		return game.Move{}, err
	}
	if err := s.End("a move is the number of a board and a cell of it"); err != nil {
		return game.Move{}, err
	}
	m := game.Move{From: uint8(board - 1), To: uint8((side-row)*side + column)}
	return game.Legal(m, r.FormatMove(m), r.illegal(p, m))
}

// illegal says why a cell cannot be marked, or "" if it can.
func (r *rules) illegal(p position, m game.Move) string {
	_, over := r.Terminal(p)
	switch {
	case over:
		return "the game is over, as all boards are dead"
	case r.isDead(&p, int(m.From)):
		return fmt.Sprintf("board %d is dead, as a line is complete; play on another one", m.From+1)
	case p[m.From]>>m.To&1 == 1:
		return fmt.Sprintf("%s of board %d is marked", game.CellName(r.sides[m.From], int(m.To)), m.From+1)
	}
	return ""
}

// FormatMove returns the text that ParseMove reads.
func (r *rules) FormatMove(m game.Move) string {
	return string('1'+rune(m.From)) + game.CellName(r.sides[m.From], int(m.To))
}

// Diagram draws the boards side by side, aligned at the bottom, below their numbers, and
// says which are dead.
func (r *rules) Diagram(p position) string {
	var b strings.Builder
	most := slices.Max(r.sides)
	line := func(begin string, each func(i, side int) string) {
		text := begin
		for i, side := range r.sides {
			text += fmt.Sprintf("   %-*s", max(6, 2*side-1), each(i, side))
		}
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	line(" ", func(i, _ int) string {
		if r.isDead(&p, i) {
			return fmt.Sprintf("%d dead", i+1)
		}
		return fmt.Sprint(i + 1)
	})
	for row := most; row > 0; row-- {
		line(fmt.Sprint(row), func(i, side int) string {
			var cells []string
			for column := 0; row <= side && column < side; column++ {
				cells = append(cells, string(mark(p[i], (side-row)*side+column)))
			}
			return strings.Join(cells, " ")
		})
	}
	line(" ", func(_, side int) string { return "a b c d"[:2*side-1] })
	return b.String()
}

// Example returns the start with one cell marked.
func (r *rules) Example() string {
	p := r.Start()
	p[0] = 1
	return r.Format(p)
}
