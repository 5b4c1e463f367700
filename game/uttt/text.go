package uttt

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"backsolve/game"
)

// A position is the nine rows of cells from top to bottom, separated by slashes, a
// space and the side to move, and a space and the board to play in: boards are named
// like the cells of a 3×3 board, a1 at the bottom left, and - stands for any of them.

// example is the position after the first move, in the middle.
const example = "........./........./........./........./....X..../........./........./........./......... o b2"

const anyBoard = "-"

func boardName(board int) string { return game.CellName(3, board) }

// span names the cells at two corners of a board: d4 to f6.
func span(board int) string {
	top, left := board/3*3, board%3*3
	return game.CellName(Size, (top+2)*Size+left) + " to " + game.CellName(Size, top*Size+left+2)
}

func (r *rules) Format(s State) string {
	return string(r.AppendFormat(make([]byte, 0, len(example)), s))
}

func (r *rules) AppendFormat(dst []byte, s State) []byte {
	for cell := range Size * Size {
		if cell%Size == 0 && cell > 0 {
			dst = append(dst, '/')
		}
		dst = append(dst, s.letter(cell))
	}
	dst = append(dst, ' ', s.Turn.String()[0], ' ')
	if s.Board == Any {
		return append(dst, anyBoard...)
	}
	return append(dst, boardName(int(s.Board))...)
}

func (s State) letter(cell int) byte {
	board, within := Place(cell)
	switch {
	case s.X[board]>>within&1 == 1:
		return 'X'
	case s.O[board]>>within&1 == 1:
		return 'O'
	}
	return '.'
}

// Parse reads the text that Format writes, with or without white space around it. If the board to
// play in is left out, it is any; the side to move may then be left out too, and is x. The error
// is a *game.SyntaxError.
func (r *rules) Parse(text string) (State, error) {
	s := State{Board: Any}
	cells, board := splitBoard(text)
	side, err := r.Read(text[:cells], func(cell int, mark byte) {
		b, within := Place(cell)
		if mark == 'X' {
			s.X[b] |= 1 << within
		} else {
			s.O[b] |= 1 << within
		}
	})
	if syntax, ok := errors.AsType[*game.SyntaxError](err); ok {
		syntax.Text = text
		return State{}, syntax
	}
	s.Turn = side
	if err := r.possible(s, text); err != nil {
		return State{}, err
	}
	if board < len(text) {
		if err := r.readBoard(&s, text, board); err != nil {
			return State{}, err
		}
	}
	return s, nil
}

// splitBoard returns where in a text the cells and the side end, and where the board to play in begins:
// at the end if it is left out.
func splitBoard(text string) (cells, board int) {
	body := strings.TrimSpace(text)
	begin := strings.Index(text, body)
	space := strings.IndexByte(body, ' ')
	if after := space + 2; space >= 0 && after < len(body) && body[after] == ' ' && body[space+1] > ' ' {
		return begin + after, begin + after + 1
	}
	return len(text), len(text)
}

// possible refuses boards on which both players would have a line.
func (r *rules) possible(s State, text string) error {
	for b := range Boards {
		if Complete(s.X[b]) && Complete(s.O[b]) {
			row, col := b/3*3, b%3*3
			begin := strings.IndexAny(text, ".XO")
			return r.wrong(text, begin+row*(Size+1)+col, "the board %s, %s, has a line of X and one of O; only one player can win it", boardName(b), span(b))
		}
	}
	return nil
}

// readBoard reads the board to play in, from the given place in the text.
func (r *rules) readBoard(s *State, text string, at int) error {
	word := strings.TrimRightFunc(text[at:], unicode.IsSpace)
	if word == anyBoard {
		return nil
	}
	for b := range Boards {
		rest, found := strings.CutPrefix(word, boardName(b))
		if !found {
			continue
		}
		_, over := r.Terminal(*s)
		switch {
		case rest != "":
			return r.wrong(text, at+len(boardName(b)), "nothing follows the board to play in; leave out the rest")
		case over:
			return r.wrong(text, at, "the game is over; write %s in place of the board to play in", anyBoard)
		case !s.isOpen(b):
			return r.wrong(text, at, "the board %s is won or full; write %s, as any other one may be played in", boardName(b), anyBoard)
		}
		s.Board = uint8(b)
		return nil
	}
	if first, _ := utf8.DecodeRuneInString(word); unicode.IsSpace(first) {
		return r.wrong(text, at, "one space goes before the board to play in; write its name, a1 to c3, or %s for any", anyBoard)
	}
	return r.wrong(text, at, "%q is not a board to play in; write its name, a1 to c3, or %s for any", shortened(word), anyBoard)
}

// shortened returns the beginning of a word that an error message repeats.
func shortened(word string) string {
	const most = 8
	for i := range word {
		if i >= most {
			return word[:i]
		}
	}
	return word
}

// wrong returns a *game.SyntaxError that points at a byte of the text.
func (r *rules) wrong(text string, at int, format string, args ...any) error {
	return &game.SyntaxError{
		Text: text, Column: utf8.RuneCountInString(text[:at]) + 1,
		Reason: fmt.Sprintf(format, args...), Example: r.Example(),
	}
}

// Diagram draws the nine boards, and says below them where to play.
func (r *rules) Diagram(s State) string {
	var text strings.Builder
	for row := range Size {
		if row > 0 && row%3 == 0 {
			text.WriteByte('\n')
		}
		fmt.Fprintf(&text, "%d ", Size-row)
		for col := range Size {
			if col > 0 && col%3 == 0 {
				text.WriteByte(' ')
			}
			text.WriteByte(' ')
			text.WriteByte(s.letter(row*Size + col))
		}
		text.WriteByte('\n')
	}
	text.WriteString("   a b c  d e f  g h i\n")
	byX, byO := s.Won()
	for b := range Boards {
		if (byX|byO)>>b&1 == 1 {
			fmt.Fprintf(&text, "%s is won by %c\n", boardName(b), "OX"[byX>>b&1])
		}
	}
	if _, over := r.Terminal(s); over {
		return text.String()
	}
	if s.Board == Any {
		text.WriteString("play in any board\n")
	} else {
		fmt.Fprintf(&text, "play in %s, %s\n", boardName(int(s.Board)), span(int(s.Board)))
	}
	return text.String()
}
