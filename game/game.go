// Package game says what every game here has: states, moves, outcomes, and the
// rules and notation that join them. It knows no tables; each game lives in a
// package of its own below this one and is listed in game/games.
package game

import (
	"fmt"
	"strings"
)

// Outcome is the value of a position under best play, always for the player to
// move. The numbers are the two-bit codes of the table file.
type Outcome uint8

// The outcomes. A code of 3 never appears in a finished table.
const (
	Draw Outcome = 0
	Win  Outcome = 1
	Lose Outcome = 2
)

// String returns the word used for an outcome everywhere: win, lose or draw.
func (o Outcome) String() string {
	switch o {
	case Win:
		return "win"
	case Lose:
		return "lose"
	case Draw:
		return "draw"
	}
	return fmt.Sprintf("outcome(%d)", uint8(o))
}

// Flip returns the outcome as the other player sees it.
func (o Outcome) Flip() Outcome {
	switch o {
	case Win:
		return Lose
	case Lose:
		return Win
	}
	return o
}

// Side is the player to move.
type Side uint8

// The two sides. X moves first.
const (
	X Side = 0
	O Side = 1
)

// Other returns the opponent.
func (s Side) Other() Side { return s ^ 1 }

// String returns x or o, as at the end of a position's text.
func (s Side) String() string { return "xo"[s : s+1] }

// State is a position of a game as a value that nobody but the game's own rules
// looks into. It is immutable, and two of them are equal (==) where the positions
// are the same.
type State any

// Move is a move of a game. Its two numbers are the game's own: in games on a
// board of cells the cell that is taken and the one that is marked, which are the
// same where there is only one.
type Move struct {
	From, To uint8
}

// Pass is the move of a player who cannot make another one, in games that have it.
// It is written as PassText.
var Pass = Move{255, 255}

// PassText is the text of Pass.
const PassText = "pass"

// Info is what is known of a board without looking at a position.
type Info struct {
	// Name is the game's name on command lines and in files: quixo.
	Name string
	// Title is its name in headings: Quixo.
	Title string
	// Size is the number that chooses the board on command lines and in addresses.
	Size int
	// Variant is the board as it is written in the names of files: 4x4, 1-3-5-7.
	Variant string
	// Board is what the text of a position shows, "" where it is no kind named here.
	Board BoardKind
	// Marks is the number of kinds of marks that are on the board: 2 where the
	// players have marks of their own, 1 where both set the same one, 0 where
	// nothing is marked.
	Marks int
	// Summary is the rules in a sentence or two.
	Summary string
	// MoveForm says how a move is written, as the end of the sentence "a move is …".
	MoveForm string
	// MoveKind is what a move does to the board, "" where it is no kind named here.
	MoveKind MoveKind
	// CompleteLine is what a complete line decides, "" where lines decide nothing.
	CompleteLine LineRule
	// LastMove is what the last move decides, "" where something else decides.
	LastMove LastMoveRule
	// Symmetries are permutations of the cells that change nothing in the rules, "" where
	// they are none named here.
	Symmetries Symmetries
}

// BoardKind is what the text of a position shows.
type BoardKind string

// The kinds of boards.
const (
	// OnGrid: n rows of n cells, separated by slashes, each X, O or a dot; where Marks
	// is 2 a space and the side to move follow.
	OnGrid BoardKind = "grid"
	// OfHeaps: numbers of counters, at most 15, separated by slashes; where o is to move, a space
	// and an o follow.
	OfHeaps BoardKind = "heaps"
	// OnRow: a row of n files, each a dot, an X or, beside one of these, a hyphen.
	OnRow BoardKind = "row"
	// OfNine: nine rows of nine cells as on a grid, which are nine boards of nine, and
	// the side to move; behind another space the board to play in, named like a cell of
	// a 3×3 grid, or a hyphen for any.
	OfNine BoardKind = "nine"
	// OfBoards: n boards, separated by plus signs, each a grid of 3×3 cells.
	OfBoards BoardKind = "boards"
)

// MoveKind is what a move does to a board of cells.
type MoveKind string

// The kinds of moves.
const (
	// Marks: the move names an empty cell and marks it; nothing else changes.
	Marks MoveKind = "mark"
	// Pushes: the move names two cells of one row or column. The tile of the first
	// is taken out, those from there to the second move up by one cell, and the tile
	// goes back in at the second with the mark of the player who moves.
	Pushes MoveKind = "push"
	// Encloses: the move names an empty cell and marks it, and the opponent's marks that
	// stand in straight lines between it and another own mark become own ones. Who can
	// enclose none passes.
	Encloses MoveKind = "enclose"
)

// LineRule is what a complete line decides: a row, a column or a main diagonal all
// of whose cells have the same mark.
type LineRule string

// The rules of lines. Under either of them nobody has won without a complete line.
const (
	// OwnerWins: the player whose mark it is wins, even if the other one completed it.
	// Where both players have one, the game itself says which counts.
	OwnerWins LineRule = "wins"
	// MoverLoses: it loses for the player who has completed it, who has just moved.
	MoverLoses LineRule = "loses"
)

// LastMoveRule is what it decides to have made the last move, after which nobody can move.
type LastMoveRule string

// The rules of the last move: normal play and misère play.
const (
	LastWins  LastMoveRule = "wins"
	LastLoses LastMoveRule = "loses"
)

// Symmetries names a group of permutations of a board's cells. A position and its
// image are worth the same, and the moves of one are the images of the other's.
type Symmetries string

// The groups.
const (
	// OfSquare: the eight symmetries of the square, bitboard.SquareGroup.
	OfSquare Symmetries = "square"
	// OfLines: all that take rows, columns and main diagonals to such lines,
	// bitboard.LineGroup.
	OfLines Symmetries = "lines"
)

// String names the board for people: quixo 4×4.
func (i Info) String() string { return i.Name + " " + strings.ReplaceAll(i.Variant, "x", "×") }

// RulesOf are the rules and the notation of one game on one board, over states of
// type S. Every position that Parse accepts is a state of the game, whether or not
// play can reach it. The players move in turn: every move, a pass too, leaves the
// other one to move. All methods are safe for concurrent use and, but for the texts,
// do not allocate beyond the given buffers where S is not an interface.
type RulesOf[S comparable] interface {
	// Info describes the board.
	Info() Info
	// Start returns the position that the game begins with.
	Start() S
	// Turn says whose turn it is; X is the player who begins at Start.
	Turn(s S) Side
	// Terminal says whether the game is over and how, for the player to move.
	Terminal(s S) (Outcome, bool)
	// Moves appends the legal moves to buf, ordered by the moves' text. A
	// position that is over has none, every other one has some.
	Moves(buf []Move, s S) []Move
	// Play returns the position after a legal move. It does not check.
	Play(s S, m Move) S
	// Parse reads a position's text; its error is a *SyntaxError.
	Parse(text string) (S, error)
	// Format returns the text that Parse reads, and AppendFormat appends it.
	Format(s S) string
	AppendFormat(dst []byte, s S) []byte
	// ParseMove reads the text of a move that is legal in s; its error is a
	// *SyntaxError or, where the move is not legal, an *IllegalMoveError.
	ParseMove(s S, text string) (Move, error)
	// FormatMove returns the text that ParseMove reads, and AppendMove appends it.
	FormatMove(m Move) string
	AppendMove(dst []byte, m Move) []byte
	// Diagram draws a position for people, in plain ASCII.
	Diagram(s S) string
	// Example returns the text of some position that is not over and shows the
	// notation: for help texts and error messages.
	Example() string
}

// Rules are the rules of any game, over opaque states: what arenas, protocols and
// servers work with.
type Rules = RulesOf[State]

// Winner returns who has won a game that is over; ok is false where it is not
// over or nobody has.
func Winner(r Rules, s State) (winner Side, ok bool) {
	outcome, over := r.Terminal(s)
	switch {
	case !over || outcome == Draw:
		return 0, false
	case outcome == Win:
		return r.Turn(s), true
	}
	return r.Turn(s).Other(), true
}

// Game is what is known of a game before a size is chosen.
type Game struct {
	// Name, Title and Summary are what Info has.
	Name, Title, Summary string
	// Titles are what the game is called in other languages, by their tags (de), where
	// that is not Title.
	Titles map[string]string
	// MinSize and MaxSize bound the board sizes that the rules know, and Step is the
	// difference of one to the next, 0 for 1.
	MinSize, MaxSize, Step int
	// New returns the rules on the board of one of the Sizes.
	New func(n int) Rules
	// Formulas are agents that play parts of the game by a formula.
	Formulas []Formula
	// Several names the game of which several boards are played here at once, "" where
	// that is not so.
	Several string
}

// Sizes returns the board sizes that the rules know, in their order.
func (g Game) Sizes() (sizes []int) {
	for n := g.MinSize; n <= g.MaxSize; n += max(g.Step, 1) {
		sizes = append(sizes, n)
	}
	return sizes
}

// Formula is a way to play that needs neither a table nor search, where a game has
// one.
type Formula struct {
	// Name is that of the agent, Summary says in a few words how it plays.
	Name, Summary string
	// Boards names the boards that it plays on: notakto 4×4 and 8×8.
	Boards string
	// New returns the rank of moves on a board, the least being the best, and
	// false where the formula does not know the board. What rank returns is for
	// the moves of one position.
	New func(r Rules) (rank func(s State) func(Move) int, ok bool)
}
