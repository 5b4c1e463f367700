package boards

import (
	"fmt"
	"strings"

	"backsolve/game"
)

// Parse reads the text that Format writes, with white space around it or without.
func (r *rules) Parse(text string) (position, error) {
	s := game.NewScanner(text, r.Example())
	if s.Peek() == "" {
		return position{}, s.Fail("there is no position; write %s, each as its three rows from top to bottom, separated by slashes", r.boards())
	}
	var p position
	for i := range r.number {
		if i > 0 {
			if s.Peek() != "+" {
				return position{}, s.Fail("here go a plus sign and the next of %s", r.boards())
			}
			s.Skip()
		}
		board, err := parseBoard(s, i+1)
		if err != nil {
			return position{}, err
		}
		p[i] = board
	}
	return p, s.End(fmt.Sprintf("the position ends here, after %s", r.boards()))
}

// parseBoard reads the three rows of a board with a number.
func parseBoard(s *game.Scanner, number int) (board uint16, err error) {
	for cell := range cells {
		if cell > 0 && cell%n == 0 {
			if s.Peek() != "/" {
				return 0, s.Fail("here go a slash and the next row of board %d, which has three of three cells", number)
			}
			s.Skip()
		}
		switch c := s.Peek(); c {
		case ".":
		case "X":
			board |= 1 << cell
		case "x":
			return 0, s.Fail("the marks are written as capitals; write X instead of x")
		case "", "/", "+":
			return 0, s.Fail("here goes a cell of row %d from the top of board %d, which has three of three cells", cell/n+1, number)
		default:
			return 0, s.Fail("%q is not a cell; write X or . (a dot where the cell is empty)", c)
		}
		s.Skip()
	}
	return board, nil
}

// boards says how many boards there are.
func (r *rules) boards() string {
	if r.number == 1 {
		return "the board"
	}
	return fmt.Sprintf("the %d boards, separated by plus signs", r.number)
}

// Format returns the rows of the boards from top to bottom, separated by slashes, and
// the boards by plus signs.
func (r *rules) Format(p position) string {
	return string(r.AppendFormat(make([]byte, 0, r.number*(cells+n)), p))
}

// AppendFormat appends the text of p, as Format returns it.
func (r *rules) AppendFormat(dst []byte, p position) []byte {
	for i, board := range p[:r.number] {
		if i > 0 {
			dst = append(dst, '+')
		}
		for cell := range cells {
			if cell > 0 && cell%n == 0 {
				dst = append(dst, '/')
			}
			dst = append(dst, mark(board, cell))
		}
	}
	return dst
}

func mark(board uint16, cell int) byte { return ".X"[board>>cell&1] }

// ParseMove reads the number of a board and the name of a cell.
func (r *rules) ParseMove(p position, text string) (game.Move, error) {
	s := game.NewScanner(text, "1b2")
	board, err := s.Number(1, r.number, "a board")
	if err != nil {
		return game.Move{}, err
	}
	column, err := s.Letter(n, "a column")
	if err != nil {
		return game.Move{}, err
	}
	row, err := s.Number(1, n, "a row")
	if err != nil {
		return game.Move{}, err
	}
	if err := s.End("a move is the number of a board and a cell of it"); err != nil {
		return game.Move{}, err
	}
	m := game.Move{From: uint8(board - 1), To: uint8((n-row)*n + column)}
	if reason := r.illegal(p, m); reason != "" {
		return game.Move{}, &game.IllegalMoveError{Move: r.FormatMove(m), Reason: reason}
	}
	return m, nil
}

// illegal says why a cell cannot be marked, nothing where it can.
func (r *rules) illegal(p position, m game.Move) string {
	_, over := r.Terminal(p)
	switch board := p[m.From]; {
	case over:
		return "the game is over, as all boards are dead"
	case dead[board]:
		return fmt.Sprintf("board %d is dead, as a line is complete; play on another one", m.From+1)
	case board>>m.To&1 == 1:
		return fmt.Sprintf("%s of board %d is marked", game.CellName(n, int(m.To)), m.From+1)
	}
	return ""
}

// FormatMove returns the text that ParseMove reads.
func (r *rules) FormatMove(m game.Move) string { return string(r.AppendMove(nil, m)) }

// AppendMove appends the text of a move.
func (*rules) AppendMove(dst []byte, m game.Move) []byte {
	return game.AppendCellName(append(dst, '1'+m.From), n, int(m.To))
}

// Diagram draws the boards beside each other, below their numbers, and says which are
// dead.
func (r *rules) Diagram(p position) string {
	var b strings.Builder
	line := func(begin string, each func(i int) string) {
		text := begin
		for i := range r.number {
			text += fmt.Sprintf("   %-6s", each(i))
		}
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	line(" ", func(i int) string {
		if dead[p[i]] {
			return fmt.Sprintf("%d dead", i+1)
		}
		return fmt.Sprint(i + 1)
	})
	for row := range n {
		line(fmt.Sprint(n-row), func(i int) string {
			at := row * n
			return fmt.Sprintf("%c %c %c", mark(p[i], at), mark(p[i], at+1), mark(p[i], at+2))
		})
	}
	line(" ", func(int) string { return "a b c" })
	return b.String()
}

// Example returns the start with one cell marked.
func (r *rules) Example() string {
	p := r.Start()
	p[0] = 1
	return r.Format(p)
}
