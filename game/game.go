// Package game says what every game here has: positions, moves, outcomes, and
// the rules and notation that join them. It knows no tables; each game lives in
// a package of its own below this one and is listed in game/games.
package game

import "fmt"

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

// Position is a board of at most 8×8 cells with the side to move. X and O hold
// the cells marked by each player as masks (bit row·n + column, row 0 on top)
// and are disjoint. In Notakto every mark is an X and ToMove is always X: the
// rules do not depend on who moves.
type Position struct {
	X, O   uint64
	ToMove Side
}

// Mover returns the cells of the player to move.
func (p Position) Mover() uint64 {
	if p.ToMove == X {
		return p.X
	}
	return p.O
}

// Waiting returns the cells of the player who has just moved.
func (p Position) Waiting() uint64 {
	if p.ToMove == X {
		return p.O
	}
	return p.X
}

// Move is a cell to take and a cell to mark. In Notakto both are the same.
type Move struct {
	From, To uint8
}

// Rules are one game on one board size. Every position that Parse accepts is a
// state of the game, whether or not play can reach it. All methods are safe for
// concurrent use and, but for the texts, do not allocate beyond the given
// buffers.
type Rules interface {
	// Name is the game's name on command lines and in files: quixo.
	Name() string
	// Size is the n of the n×n board.
	Size() int
	// Marks is the number of kinds of marks, so that a cell has Marks + 1 states:
	// 1 where every mark is an X and X is always to move, 2 where X and O mark
	// cells of their own.
	Marks() int
	// Start returns the empty board, X to move.
	Start() Position
	// Terminal says whether the game is over and how, for the player to move.
	Terminal(p Position) (Outcome, bool)
	// Moves appends the legal moves to buf, ordered by the moves' text. A
	// position that is over has none.
	Moves(buf []Move, p Position) []Move
	// Play returns the position after a legal move. It does not check.
	Play(p Position, m Move) Position
	// Parse reads a position's text; its error is a *SyntaxError.
	Parse(text string) (Position, error)
	// Format returns the text that Parse reads, and AppendFormat appends it.
	Format(p Position) string
	AppendFormat(dst []byte, p Position) []byte
	// ParseMove reads the text of a move that is legal in p; its error is a
	// *SyntaxError or, where the move is not legal, an *IllegalMoveError.
	ParseMove(p Position, text string) (Move, error)
	// FormatMove returns the text that ParseMove reads, and AppendMove appends it.
	FormatMove(m Move) string
	AppendMove(dst []byte, m Move) []byte
	// Example returns the text of some position that is not over and shows the
	// notation: for help texts and error messages.
	Example() string
}

// Game is what is known of a game before a size is chosen.
type Game struct {
	// Name is what Rules.Name returns.
	Name string
	// Summary is the rules in a sentence.
	Summary string
	// MinSize and MaxSize bound the board sizes that the rules know.
	MinSize, MaxSize int
	// New returns the rules on the n×n board, MinSize ≤ n ≤ MaxSize.
	New func(n int) Rules
}
