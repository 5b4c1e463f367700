// Package game defines what every game has: states, moves, outcomes, rules and
// notation. It does not depend on tables. Each game has its own package below this
// one and is listed in game/games.
package game

import (
	"fmt"
	"slices"
	"strings"

	"backsolve/bitboard"
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

// String returns the word for an outcome, everywhere: win, lose or draw.
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

// Flip returns the outcome for the other player.
func (o Outcome) Flip() Outcome {
	switch o {
	case Win:
		return Lose
	case Lose:
		return Win
	}
	return o
}

// Compared returns the outcome for a player with own points, where the greater number wins.
func Compared(own, other int) Outcome {
	switch {
	case own > other:
		return Win
	case own < other:
		return Lose
	}
	return Draw
}

// WinIf returns the outcome of a game without draws.
func WinIf(wins bool) Outcome {
	if wins {
		return Win
	}
	return Lose
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

// State is a position as an opaque value of the game's rules. It is immutable, and
// two states are equal (==) if the positions are the same.
type State any

// Move is a move of a game. The game defines its two numbers: on a board of cells they are the
// cell that is taken and the one that is marked, equal if there is only one.
type Move struct {
	From, To uint8
}

// Pass is the move of a player who has no other, in games with passes. Its text is
// PassText.
var Pass = Move{255, 255}

// PassText is the text of Pass.
const PassText = "pass"

// Info describes a board, whatever the position.
type Info struct {
	// Name is the game's name on command lines and in files: quixo.
	Name string
	// Title is its name in headings: Quixo.
	Title string
	// Size selects the board; Size.String is the word for command lines and addresses.
	Size int
	// Variant is the board in file names: 4x4, 5x5,torus, 1-3-5-7; "" if the game's name says it.
	Variant string
	// Board is the form of a position's text, "" for one not listed here.
	Board BoardKind
	// Marks is the number of kinds of marks: 2 if each player has a mark, 1 if they
	// share one, 0 if there are none.
	Marks int
	// Summary is the rules in a sentence or two.
	Summary string
	// MoveForm describes the notation of a move; it ends the sentence "a move is …".
	MoveForm string
	// MoveKind is what a move does to the board, "" for a kind not listed here.
	MoveKind MoveKind
	// CompleteLine is what a complete line decides, "" for nothing.
	CompleteLine LineRule
	// LastMove is what the last move decides, "" for nothing.
	LastMove LastMoveRule
	// Symmetries are the permutations of cells that preserve the rules, "" for a group
	// not listed here.
	Symmetries Symmetries
}

// BoardKind is the form of a position's text.
type BoardKind string

// The kinds of boards.
const (
	// OnGrid: rows of cells, separated by slashes, each X, O or a dot. If Marks is
	// 2, a space and the side to move follow.
	OnGrid BoardKind = "grid"
	// OfHeaps: numbers of counters, at most 15, separated by slashes. If o is to move, a space
	// and an o follow.
	OfHeaps BoardKind = "heaps"
	// OnRow: a row of n files, each a dot, an X or, next to an X, a hyphen.
	OnRow BoardKind = "row"
	// OfNine: nine rows of nine cells as on a grid, which are nine boards of nine, and
	// the side to move. After another space comes the board to play in, named like a cell of
	// a 3×3 grid, or a hyphen for any.
	OfNine BoardKind = "nine"
	// OfBoards: n boards, separated by plus signs, each a grid of 3×3 cells.
	OfBoards BoardKind = "boards"
	// OnRows: rows of equal length, separated by slashes, each cell a character, or a dot if
	// empty. What follows a plus sign or a space is not on the board.
	OnRows BoardKind = "rows"
	// AsText: any text; Diagram draws it.
	AsText BoardKind = "text"
)

// MoveKind is what a move does to a board of cells.
type MoveKind string

// The kinds of moves.
const (
	// Marks: the move names an empty cell and marks it; nothing else changes.
	Marks MoveKind = "mark"
	// Pushes: the move names two cells of one row or column. The tile at the first
	// is taken out and those from there to the second shift by one cell. The tile goes
	// back in at the second with the mover's mark.
	Pushes MoveKind = "push"
	// Encloses: the move names an empty cell and marks it, and the opponent's marks in straight
	// lines between it and another of the mover's marks change to the mover's. A player who can
	// enclose none passes.
	Encloses MoveKind = "enclose"
)

// LineRule is what a complete line decides, one whose cells all have the same mark.
type LineRule string

// The rules of lines. Under both, a win needs a complete line.
const (
	// OwnerWins: the player whose mark it is wins, even if the opponent completed it. If both
	// players have a line, the game decides which counts.
	OwnerWins LineRule = "wins"
	// MoverLoses: the player who completes it loses.
	MoverLoses LineRule = "loses"
	// MoverWins: the player who completes it wins.
	MoverWins LineRule = "mover-wins"
)

// LastMoveRule is the result for the player who makes the last move of the game.
type LastMoveRule string

// The rules of the last move: normal play and misère play.
const (
	LastWins  LastMoveRule = "wins"
	LastLoses LastMoveRule = "loses"
)

// LastMove returns what the last move decides in normal or misère play.
func LastMove(misere bool) LastMoveRule {
	if misere {
		return LastLoses
	}
	return LastWins
}

// Symmetries names a group of permutations of a board's cells. A position and its
// image have the same value, and the moves of one are the images of the other's.
type Symmetries string

// The groups.
const (
	// OfSquare: the eight symmetries of the square or the four of another rectangle,
	// bitboard.SquareGroup.
	OfSquare Symmetries = "square"
	// OfLines: all that map rows, columns and main diagonals to such lines,
	// bitboard.LineGroup.
	OfLines Symmetries = "lines"
)

// String names the board for people: quixo 4×4.
func (i Info) String() string {
	if size := Size(i.Size); !size.Plain() {
		return i.Name + " " + size.Title()
	}
	return strings.TrimSuffix(i.Name+" "+strings.ReplaceAll(i.Variant, "x", "×"), " ")
}

// Size selects a board, as Info.Size does. It has the board's rows, columns and variant, and is
// written as one word.
type Size = bitboard.Size

// CutBoard splits a table's name into the game's name and the board's, which begins with a digit:
// notakto and 4x5.
func CutBoard(text string) (name, board string, ok bool) {
	for i := range len(text) - 1 {
		if digit := text[i+1]; text[i] == '-' && '0' <= digit && digit <= '9' {
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

// Sized returns the size of a board, as bitboard.Sized does.
func Sized(rows, cols, run int, v bitboard.Variant) Size { return bitboard.Sized(rows, cols, run, v) }

// Summed returns the size of several n×n boards.
func Summed(sides ...int) Size { return bitboard.Summed(sides...) }

// ParseSize reads the word of a Size: 4, 4x5, 5x5,torus, 3+4+4.
func ParseSize(word string) (s Size, ok bool) { return bitboard.ParseSize(word) }

// RulesOf are the rules and the notation of one game on one board, over states of
// type S. Every position that Parse accepts is a state, reachable or not. The players
// alternate: after every move, including a pass, it is the other one's turn. All
// methods are safe for concurrent use. Except for texts they do not allocate beyond the
// given buffers, unless S is an interface.
type RulesOf[S comparable] interface {
	// Info describes the board.
	Info() Info
	// Start returns the starting position.
	Start() S
	// Turn returns the side to move; X moves first at Start.
	Turn(s S) Side
	// Terminal reports whether the game is over, and the outcome for the player to move.
	Terminal(s S) (Outcome, bool)
	// Moves appends the legal moves to buf, ordered by the moves' text. A
	// finished game has none; every other position has at least one.
	Moves(buf []Move, s S) []Move
	// Play returns the position after a legal move. It does not check.
	Play(s S, m Move) S
	// Parse reads a position's text; its error is a *SyntaxError.
	Parse(text string) (S, error)
	// Format returns the text that Parse reads, and AppendFormat appends it.
	Format(s S) string
	AppendFormat(dst []byte, s S) []byte
	// ParseMove reads the text of a move that is legal in s; its error is a *SyntaxError or, if
	// the move is not legal, an *IllegalMoveError.
	ParseMove(s S, text string) (Move, error)
	// FormatMove returns the text that ParseMove reads.
	FormatMove(m Move) string
	// Diagram draws a position for people, in plain ASCII.
	Diagram(s S) string
	// Example returns the text of an open position, to show the notation in help and
	// error messages.
	Example() string
}

// Rules are the rules of any game, over opaque states. Arenas, protocols and servers
// use them.
type Rules = RulesOf[State]

// Winner returns the winner of a finished game; ok is false if it is not over or is a
// draw.
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

// Game describes a game for all its board sizes.
type Game struct {
	// Name, Title and Summary are as in Info.
	Name, Title, Summary string
	// Titles are the titles in other languages that differ from Title, by language tag
	// (de).
	Titles map[string]string
	// MinSize and MaxSize bound the board sizes. Step is the distance between sizes, 0
	// for 1.
	MinSize, MaxSize, Step int
	// New returns the rules on the board of one of the Sizes or Variants.
	New func(n int) Rules
	// Variants are the boards besides those of Sizes, the zero value for none.
	Variants Variants
	// Formulas are agents that play parts of the game by a formula.
	Formulas []Formula
	// Several names the game whose boards this one joins, "" if it is not played on several
	// boards.
	Several string
}

// Sizes returns the board sizes in ascending order.
func (g Game) Sizes() (sizes []int) {
	for n := g.MinSize; n <= g.MaxSize; n += max(g.Step, 1) {
		sizes = append(sizes, n)
	}
	return sizes
}

// Has reports whether the game has a board of that size.
func (g Game) Has(size int) bool {
	return slices.Contains(g.Sizes(), size) || g.Variants.Has(Size(size))
}

// Formula plays without a table or a search.
type Formula struct {
	// Name is the agent's name, Summary a short description.
	Name, Summary string
	// Boards names its boards: notakto 4×4 and 8×8.
	Boards string
	// New returns a ranking of moves on a board, lowest best, or false if the formula does not
	// cover the board. The function that rank returns is for one position.
	New func(r Rules) (rank func(s State) func(Move) int, ok bool)
}
