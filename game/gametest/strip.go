// Package gametest has a game for tests of what must work with any game: its
// positions are not a grid, a player without other moves passes, and a game can be drawn.
package gametest

import (
	"slices"
	"strings"

	"backsolve/game"
)

// NewStrip returns the rules of the strip, a row of n cells, 1 ≤ n ≤ 15. The players mark empty
// cells with X and O in turn, none beside a mark of the opponent. A player who finds no such cell
// passes; when neither finds one, the player with more marks wins. A position is written as its
// cells, a space and the side to move, as in X.O.. x, and a move as the letter of the cell, from
// a on, or as game.PassText.
func NewStrip(n int) game.Rules { return game.Opaque[strip](rules{n}) }

type strip struct {
	cells string // each X, O or .
	turn  game.Side
}

type rules struct{ n int }

var _ game.RulesOf[strip] = rules{}

const marks = "XO"

func (r rules) Info() game.Info {
	return game.Info{
		Name: "strip", Size: r.n, Variant: string(rune('0'+r.n/10)) + string(rune('0'+r.n%10)), Marks: 2,
		Summary:  "The players mark cells of a row in turn, none beside an opponent's; whoever has more marks when nobody can mark wins.",
		MoveForm: "the letter of the cell that is marked, or pass",
	}
}

func (r rules) Start() strip { return strip{strings.Repeat(".", r.n), game.X} }

func (rules) Turn(s strip) game.Side { return s.turn }

func (s strip) freeCells(cell int, side game.Side) bool {
	other := marks[side.Other()]
	return s.cells[cell] == '.' &&
		(cell == 0 || s.cells[cell-1] != other) && (cell == len(s.cells)-1 || s.cells[cell+1] != other)
}

func (s strip) stuck(side game.Side) bool {
	for cell := range s.cells {
		if s.freeCells(cell, side) {
			return false
		}
	}
	return true
}

func (rules) Terminal(s strip) (game.Outcome, bool) {
	if !s.stuck(game.X) || !s.stuck(game.O) {
		return game.Draw, false
	}
	return game.Compared(strings.Count(s.cells, marks[s.turn:][:1]), strings.Count(s.cells, marks[s.turn.Other():][:1])), true
}

func (r rules) Moves(buf []game.Move, s strip) []game.Move {
	if s.stuck(s.turn) && !s.stuck(s.turn.Other()) {
		return append(buf, game.Pass)
	}
	for cell := range r.n {
		if s.freeCells(cell, s.turn) {
			buf = append(buf, game.Move{From: uint8(cell), To: uint8(cell)})
		}
	}
	return buf
}

func (rules) Play(s strip, m game.Move) strip {
	after := strip{s.cells, s.turn.Other()}
	if m != game.Pass {
		after.cells = s.cells[:m.To] + marks[s.turn:s.turn+1] + s.cells[m.To+1:]
	}
	return after
}

func (r rules) Parse(text string) (strip, error) {
	s, cells := game.NewScanner(text, r.Example()), ""
	for range r.n {
		c := s.Peek()
		if c == "" || !strings.Contains("XO.", c) {
			return strip{}, s.Fail("expected a cell; write X, O or .")
		}
		cells += c
		s.Skip()
	}
	side, err := s.Side("cells")
	return strip{cells, side}, err
}

func (r rules) Format(s strip) string { return string(r.AppendFormat(nil, s)) }

func (rules) AppendFormat(dst []byte, s strip) []byte {
	return append(append(append(dst, s.cells...), ' '), s.turn.String()...)
}

func (r rules) ParseMove(s strip, text string) (game.Move, error) {
	m := game.Pass
	if text != game.PassText {
		if len(text) != 1 || text[0] < 'a' || int(text[0]-'a') >= r.n {
			return game.Move{}, &game.SyntaxError{Text: text, Column: 1, Reason: "expected the letter of a cell, or pass", Example: "a"}
		}
		m = game.Move{From: text[0] - 'a', To: text[0] - 'a'}
	}
	reason := ""
	if !slices.Contains(r.Moves(nil, s), m) {
		reason = "the cell is marked or beside an opponent's, or a pass is not needed"
	}
	return game.Legal(m, text, reason)
}

func (rules) FormatMove(m game.Move) string {
	if m == game.Pass {
		return game.PassText
	}
	return string(rune('a' + m.To))
}

func (rules) Diagram(s strip) string { return s.cells }

func (r rules) Example() string { return r.Format(r.Start()) }
