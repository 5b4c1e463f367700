// Package uttt has the rules of Ultimate Tic-Tac-Toe: nine boards of tic-tac-toe, which
// are the cells of a tenth one. The marked cell names the board in which the opponent
// must play next. If that is won or full, the opponent may choose any other one. Three
// won boards in a line win. A board that fills up without a line counts for neither
// player, and a game without a free cell or such a line is a draw.
package uttt

import (
	"backsolve/game"
)

const (
	name    = "uttt"
	title   = "Ultimate Tic-Tac-Toe"
	summary = "Nine boards of tic-tac-toe are the cells of a tenth one. Each player in turn marks an empty cell with a mark of their own, and " +
		"the place of the cell in its board names the board where the opponent has to play, or any board where that one is won or full. " +
		"Whoever wins three boards in a line wins; when no cell is left the game is a draw."
)

// Size is the number of rows of cells.
const Size = 9

// Game is the entry in the list of games.
var Game = game.Game{
	Name:    name,
	Title:   title,
	Summary: summary,
	MinSize: Size,
	MaxSize: Size,
	New:     func(int) game.Rules { return game.Opaque[State](New()) },
}

// Boards is the number of boards, and of the cells of each of them.
const Boards = 9

// Any means that any board may be played in.
const Any = Boards

// Full is all cells of a board.
const Full = 1<<Boards - 1

// State is a position. Boards, and the cells of a board, are numbered from the top left
// on, row by row.
type State struct {
	// X and O have the cells of each board that are marked by each player, as masks.
	X, O [Boards]uint16
	// Board is the one to play in: one that is neither won nor full, or Any.
	Board uint8
	// Turn is the side to move.
	Turn game.Side
}

// lines are the lines of a board, and of the board of boards.
var lines = [8]uint16{0o700, 0o070, 0o007, 0o444, 0o222, 0o111, 0o421, 0o124}

// Complete reports whether a line lies wholly in a mask of a board's cells.
func Complete(mask uint16) bool {
	for _, line := range lines {
		if mask&line == line {
			return true
		}
	}
	return false
}

// Won returns the boards that each player has won, as masks.
func (s State) Won() (byX, byO uint16) {
	for b := range s.X {
		if Complete(s.X[b]) {
			byX |= 1 << b
		} else if Complete(s.O[b]) {
			byO |= 1 << b
		}
	}
	return byX, byO
}

// isOpen reports whether a board is neither won nor full.
func (s State) isOpen(board int) bool {
	return !Complete(s.X[board]) && !Complete(s.O[board]) && s.X[board]|s.O[board] != Full
}

// mayMark reports whether the rules allow a cell of a board to be marked now, provided the game
// is not over.
func (s State) mayMark(board, cell int) bool {
	return (s.Board == Any || int(s.Board) == board) && s.isOpen(board) && (s.X[board]|s.O[board])>>cell&1 == 0
}

// Place returns the board of a cell of the 9×9 board, and its number there.
func Place(cell int) (board, within int) {
	row, col := cell/Size, cell%Size
	return row/3*3 + col/3, row%3*3 + col%3
}

type rules struct {
	game.Layout
	moves []game.Move // on all cells, by their text
}

var _ game.RulesOf[State] = (*rules)(nil)

// New returns the rules. A move's From and To are the number of its cell on the 9×9
// board.
func New() game.RulesOf[State] {
	return &rules{game.NewLayout(game.Info{
		Name: name, Title: title, Size: Size, Marks: 2, Summary: summary,
		MoveForm: game.MarkForm, MoveKind: game.Marks,
	}, example), game.CellMoves(Size, Size)}
}

// Info describes the boards: their text has more than that of a grid.
func (r *rules) Info() game.Info {
	i := r.Layout.Info()
	i.Board = game.OfNine
	return i
}

// Start returns the empty boards; X may play in any of them.
func (r *rules) Start() State { return State{Board: Any} }

func (r *rules) Turn(s State) game.Side { return s.Turn }

func (r *rules) Terminal(s State) (game.Outcome, bool) {
	own, other := s.Won()
	if s.Turn == game.O {
		own, other = other, own
	}
	switch {
	case Complete(own):
		return game.Win, true
	case Complete(other):
		return game.Lose, true
	}
	for b := range Boards {
		if s.isOpen(b) {
			return game.Draw, false
		}
	}
	return game.Draw, true
}

func (r *rules) Moves(buf []game.Move, s State) []game.Move {
	if _, over := r.Terminal(s); over {
		return buf
	}
	for _, m := range r.moves {
		if s.mayMark(Place(int(m.To))) {
			buf = append(buf, m)
		}
	}
	return buf
}

func (r *rules) Play(s State, m game.Move) State {
	board, cell := Place(int(m.To))
	if s.Turn == game.X {
		s.X[board] |= 1 << cell
	} else {
		s.O[board] |= 1 << cell
	}
	s.Turn = s.Turn.Other()
	s.Board = Any
	if _, over := r.Terminal(s); !over && s.isOpen(cell) {
		s.Board = uint8(cell)
	}
	return s
}

func (r *rules) ParseMove(s State, text string) (game.Move, error) {
	cells, err := r.ParseCells(text, 1, r.FormatMove(r.moves[0]))
	if err != nil {
		return game.Move{}, err
	}
	m := game.Move{From: uint8(cells[0]), To: uint8(cells[0])}
	return game.Legal(m, r.FormatMove(m), r.illegal(s, cells[0]))
}

// illegal says why a cell cannot be marked in s, or "" if it can.
func (r *rules) illegal(s State, cell int) string {
	board, within := Place(cell)
	outcome, over := r.Terminal(s)
	switch {
	case over && outcome == game.Draw:
		return "the game is over, as no cell is left to play on"
	case over:
		return "the game is over, as three boards in a line are won"
	case (s.X[board]|s.O[board])>>within&1 == 1:
		return game.CellName(Size, cell) + " is already marked; take an empty cell"
	case !s.isOpen(board):
		return "the board " + boardName(board) + " is won; play in another one"
	case !s.mayMark(board, within):
		return "the last move leads to the board " + boardName(int(s.Board)) + "; take an empty cell from " + span(int(s.Board))
	}
	return ""
}

func (r *rules) FormatMove(m game.Move) string { return game.CellName(Size, int(m.To)) }
