// Package zero is the agent that searches with a policy-value network: a tree search in
// the manner of AlphaZero, the way a network sees positions, and the file of its weights.
// How a network is trained is not known here.
package zero

import (
	"fmt"

	"backsolve/game"
)

// State is a state of a game as a view has it. Equal states are the same to a network.
type State [2]uint64

// View is how a network sees a game on one board: its states, in which the player to move
// is the same whoever it is, the moves as numbers, and the inputs that a state has. All
// methods are safe for concurrent use.
type View interface {
	// Inputs and Actions are the numbers of inputs of a network, and of moves that there
	// can be in any state.
	Inputs() int
	Actions() int
	// Start returns the state that the game begins with.
	Start() State
	// Of returns the state of a position of the game, and what move of that position an
	// action stands for.
	Of(s game.State) (State, func(action int) game.Move)
	// Terminal says whether the game is over and how, for the player to move.
	Terminal(s State) (game.Outcome, bool)
	// Legal appends the actions that are legal in a state; there are none where it is
	// over, and some where it is not. Their order is always the same.
	Legal(buf []int16, s State) []int16
	// Play returns the state after a legal action, for the other player.
	Play(s State, action int) State
	// Encode writes the inputs of a state, Inputs numbers.
	Encode(dst []float32, s State)
}

// Encoding says how a network sees a game. Its zero value shows a board as it is.
type Encoding struct {
	// Canonical names the symmetries of which a state is replaced by its least image:
	// those of the square, or all that keep lines.
	Canonical Group `json:"canonical"`
	// Parity adds two inputs to those of Notakto: whether the number of marks is odd, and
	// whether that of empty cells is on which no line is completed. They are knowledge
	// of the game that is put in by hand.
	Parity bool `json:"parity"`
}

// Group names symmetries of a board.
type Group string

// The groups.
const (
	NoGroup     Group = "none"
	SquareGroup Group = "square"
	LineGroup   Group = "lines"
)

// NewView returns the view of a board. The error says which boards have one, or what is
// wrong with the encoding.
func NewView(rules game.Rules, e Encoding) (View, error) {
	grid, ok := game.GridOf(rules)
	if ok && rules.Info().MoveKind == game.Marks {
		return newMarking(grid, e)
	}
	return nil, fmt.Errorf("networks see games in which a move marks a cell of a board of at most 8×8 cells, which %v is not; choose another agent", rules.Info())
}
