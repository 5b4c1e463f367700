// Package zero is an agent that searches with a policy-value network, like AlphaZero: the tree,
// how a network sees positions, and the file of its weights. It knows nothing of training.
package zero

import (
	"errors"
	"fmt"
	"slices"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/game/dawson"
	"backsolve/game/nim"
	"backsolve/game/notakto"
	"backsolve/internal/player"
)

// State is the same for positions that are the same to a network. Only large boards use the last word.
type State [3]uint64

// View is a network's view of a board: states from the side of the player to move, numbered moves, and the inputs
// of each state. All methods are safe for concurrent use.
type View interface {
	// Inputs and Actions are the numbers of inputs, and of moves that there can be in any state.
	Inputs() int
	Actions() int
	// Start returns the state that the game begins with.
	Start() State
	// Of returns the state of a position, and the move that each action stands for.
	Of(s game.State) (State, func(action int) game.Move)
	// Terminal says whether the game is over and how, for the player to move.
	Terminal(s State) (game.Outcome, bool)
	// Legal appends the legal actions, none if the game is over, always in the same order.
	Legal(buf []int16, s State) []int16
	// Play returns the state after a legal action, for the other player.
	Play(s State, action int) State
	// Encode writes the inputs of a state, Inputs numbers.
	Encode(dst []float32, s State)
}

// imaging is implemented by views whose Play looks for a least image, which takes time.
type imaging interface {
	// image returns some image of the state after a legal action.
	image(s State, action int) State
}

// Planar is for convolutions: implemented by views whose inputs are planes of the cells of a board.
type Planar interface {
	// Cells returns the rows and the columns of the board.
	Cells() (rows, columns int)
}

// Symmetric is implemented by views of boards with symmetries.
type Symmetric interface {
	// Images is the number of symmetries, as the encoding names them.
	Images() int
	// Image returns the image of a state by one of them, and what becomes of the actions.
	Image(s State, element int) (image State, action func(int16) int16)
}

// bounded is implemented by views that do not see all positions of their rules.
type bounded interface {
	// sees reports whether a position has a state: at least those that play can reach do.
	sees(s game.State) bool
}

var errUnseen = errors.New("the network has no moves for it, as play does not lead there from the start")

// See is View.Of for a position in which a move is to be made. The error is player.ErrOver if the
// game is over, or says that the view does not see the position.
func See(v View, s game.State) (State, func(action int) game.Move, error) {
	if view, ok := v.(bounded); ok && !view.sees(s) {
		return State{}, nil, errUnseen
	}
	state, move := v.Of(s)
	if _, over := v.Terminal(state); over {
		return State{}, nil, player.ErrOver
	}
	return state, move, nil
}

// Encoding says how a network sees a game. Its zero value shows a board as it is.
type Encoding struct {
	// Canonical names the symmetries used to replace a state by its least image: those of the square, or all that
	// keep lines; in Nim and Dawson's chess the order of the parts.
	Canonical Group `json:"canonical"`
	// Parity adds two hand-crafted inputs, whether two numbers are odd: in Notakto the marks, and
	// the empty cells that complete no line; in Nim the counters, and the heaps; in Dawson's
	// chess the open files, and their rows.
	Parity bool `json:"parity"`
	// Heaps says how the heaps of Nim are shown, "" for Binary.
	Heaps Heaps `json:"heaps,omitempty"`
	// Most is a position of Nim with the most counters in each heap, "" for the start of the game.
	Most string `json:"most,omitempty"`
}

// check refuses parities where there are none, and a Canonical beyond NoGroup and the groups.
func (e Encoding) check(board game.Info, parity bool, groups ...Group) error {
	known := string(NoGroup)
	for _, g := range groups {
		known += " or " + string(g)
	}
	switch {
	case e.Parity && !parity:
		return fmt.Errorf("the parities are inputs of Notakto, not of %s; leave them out", board.Name)
	case e.Canonical != "" && e.Canonical != NoGroup && !slices.Contains(groups, e.Canonical):
		return fmt.Errorf("%.40q are no symmetries that networks know of %v; give %s", string(e.Canonical), board, known)
	}
	return nil
}

// Group names symmetries of a board.
type Group string

// The groups.
const (
	NoGroup     Group = "none"
	SquareGroup Group = "square"
	LineGroup   Group = "lines"
	// HeapOrder puts the heaps of Nim into the order of their counters.
	HeapOrder Group = "heaps"
	// RowOrder puts the rows of open files of Dawson's chess one file apart, the longest first.
	RowOrder Group = "rows"
)

// Heaps says how the counters of heaps are shown to a network.
type Heaps string

// The ways to show heaps.
const (
	// Binary: four binary digits for each heap, the lowest first; six beyond eight heaps.
	Binary Heaps = "binary"
	// Unary: for each heap as many inputs as it has counters at most, 1 for each that is left, and −1
	// between two heaps. The counters that are left come first, or last as in the published program.
	Unary     Heaps = "unary"
	UnaryLast Heaps = "unary-last"
)

// Finest returns the encoding of a board in which most positions are one state.
func Finest(board game.Info) Encoding {
	switch {
	case isNim(board.Name):
		return Encoding{Canonical: HeapOrder}
	case isDawson(board.Name):
		return Encoding{Canonical: RowOrder}
	case board.Board == game.AsText, board.Board == game.OnRows:
		return Encoding{}
	case board.MoveKind == game.Encloses, board.MoveKind == game.Pushes, board.Board == game.OfNine, board.Size > notakto.MaxGrid:
		return Encoding{Canonical: SquareGroup}
	}
	return Encoding{Canonical: LineGroup}
}

func isNim(name string) bool    { return name == nim.Game.Name || name == nim.Misere.Name }
func isDawson(name string) bool { return name == dawson.Game.Name || name == dawson.Normal.Name }

// NewView returns the view of a board. The error says which boards have one, or corrects the encoding.
func NewView(rules game.Rules, e Encoding) (View, error) {
	board := rules.Info()
	if isNim(board.Name) {
		return newHeaps(rules, e)
	}
	shown := e.Most
	if e.Heaps != "" {
		shown = string(e.Heaps)
	}
	if shown != "" {
		return nil, fmt.Errorf("%.40q is a way to show the heaps of Nim, and %v has none; leave it out", shown, board)
	}
	if isDawson(board.Name) {
		return newFiles(rules, e)
	}
	if own, ok := rules.(custom.Listed); ok {
		return newListed(own, e)
	}
	if !game.Size(board.Size).Plain() {
		return nil, fmt.Errorf("networks see n×n boards without variants, and %v is not one; choose another agent", board)
	}
	if board.Name == notakto.Game.Name && board.Size > notakto.MaxGrid {
		return newWide(rules, e)
	}
	if board.Board == game.OfNine {
		return newNine(rules, e)
	}
	if grid, ok := game.GridOf(rules); ok {
		switch board.MoveKind {
		case game.Marks:
			return newMarking(grid, e)
		case game.Encloses:
			return newDiscs(grid, e)
		case game.Pushes:
			return newPushing(grid, e)
		}
	}
	return nil, fmt.Errorf("networks see games defined by their positions, Nim, Dawson's chess, Othello, Quixo, Ultimate Tic-Tac-Toe, Notakto and games in which a move marks a cell of a board of at most 8×8 cells, which %v is not; choose another agent", board)
}

// endOf returns how a game is over, for the player to move, in which all ends are alike.
func endOf(rules game.Rules) game.Outcome {
	for s := rules.Start(); ; s = rules.Play(s, rules.Moves(nil, s)[0]) {
		if outcome, over := rules.Terminal(s); over {
			return outcome
		}
	}
}
