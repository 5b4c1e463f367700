// Package partition cuts the states of a game into classes, blocks and slices
// and names the links between them.
//
// A state is a pair (mask, index). The mask picks the block; masks that are
// images of each other under the board's symmetry group share a block, stored
// under the least of them, the canonical mask. The index is the state's place
// in the block's slice. A class is the set of blocks whose masks mark the same
// number of cells; a move never leads to a class of fewer.
//
// What a block and an index bit are is said here, once for each game, and read
// by the engine and by those who look states up.
package partition

import (
	"errors"
	"fmt"

	"backsolve/bitslice"
	"backsolve/game"
)

// State is a state's canonical place: the class, the block's canonical mask and
// the index in its slice.
type State struct {
	Class int
	Mask  uint64
	Index uint32
}

// Space is the cut of one game on one board. All methods are safe for
// concurrent use; those that are not about construction do not allocate beyond
// the given buffers. Masks are over the space's own mask bits (0..MaskBits−1),
// not over cells.
type Space interface {
	// Game and Size name the board.
	Game() string
	Size() int
	// Taken has the cells that are marked in every state of the space, as a mask
	// of cells: 0 for a whole game, else the moves that it goes on after.
	Taken() uint64
	// Draws reports whether the game can be drawn. If not, who has not won has
	// lost.
	Draws() bool
	// Reversed reports whether links are read in the order of the complemented
	// index: the parent's state with index ^i reads its children at i.
	Reversed() bool
	// FixedSlice reports whether the same cells make up every slice. A move may
	// then set any clear index bit, and all other moves lead to the next class
	// with an index map that depends on the symmetry alone.
	FixedSlice() bool
	// MaskBits is the number of bits of a mask, MaxClass the class of the
	// fullest block.
	MaskBits() int
	// IndexBits is the number of index bits of a class's slices.
	IndexBits(class int) int
	// Symmetries returns the symmetry group as it acts on masks.
	Symmetries() *Symmetries
	// Locate returns the canonical place of a position.
	Locate(p game.Position) State
	// Raw returns a position's mask and index before they are made canonical,
	// and Carry the index of the same state after symmetry g.
	Raw(p game.Position) (mask uint64, index uint32)
	Carry(mask uint64, index uint32, g int) uint32
	// Position returns the position of a state, X to move.
	Position(s State) game.Position
	// Stones returns how many cells the player to move and the other one have
	// marked in the states of a class whose index has weight one-bits.
	Stones(class, weight int) (mover, other int)
	// Terminals appends the terminal states of a block: the player to move has
	// won in those of win, and lost in those of lose that are not in win.
	Terminals(mask uint64, win, lose []bitslice.Cube) (w, l []bitslice.Cube)
	// Steps appends the moves out of a block that change its mask or, in a
	// space without fixed slices, its index.
	Steps(mask uint64, buf []Step) []Step
	// Map returns the index map of a step out of a block whose child mask is
	// carried to its canonical mask by symmetry g.
	Map(mask uint64, s Step, canonical uint64, g int) bitslice.IndexMap
}

// Step is a move out of a block as it acts on masks.
type Step struct {
	Child  uint64 // mask after the move, not yet canonical
	Within bool   // the child is in the same class
	move   uint8  // the space's own number of the move
}

// ErrTooLarge is the cause when a board has more states than a space can index.
var ErrTooLarge = errors.New("board too large to solve")

// spaces lists the games that can be cut, with the sizes that fit a space.
var spaces = map[string]struct {
	min, max int
	new      func(n int) Space
	// after is new for the game that goes on after the given cells are marked;
	// nil where a space has to be whole.
	after func(n int, taken uint64) Space
}{
	"notakto": {1, 7, func(n int) Space { return newNotakto(n, 0) }, newNotakto},
	"quixo":   {2, 5, newQuixo, nil},
}

// New returns the space of a game on a board. The error wraps ErrTooLarge where
// no table of so many states can exist.
func New(rules game.Grid) (Space, error) {
	if err := Solvable(rules.Info()); err != nil {
		return nil, err
	}
	return spaces[rules.Name()].new(rules.Size()), nil
}

// Solvable says why a board has no space, with the error of New; nil where it has
// one. It makes none and takes no time.
func Solvable(board game.Info) error {
	s, ok := spaces[board.Name]
	if !ok {
		return fmt.Errorf("%s cannot be solved: the game has no space", board.Name)
	}
	if board.Size > s.max {
		return fmt.Errorf("%w: %v has %v states; sizes %d to %d can be solved",
			ErrTooLarge, board, game.StateCount(board), s.min, s.max)
	}
	if board.Size < s.min {
		return fmt.Errorf("%v cannot be solved; sizes %d to %d can", board, s.min, s.max)
	}
	return nil
}

// GoesOn reports whether a game can be solved after given moves.
func GoesOn(name string) bool { return spaces[name].after != nil }

// NewAfter returns the space of the game that goes on after the given cells are
// marked. It has the symmetries that leave the set of these cells in place.
func NewAfter(rules game.Grid, taken uint64) (Space, error) {
	if err := Solvable(rules.Info()); err != nil || taken == 0 {
		return New(rules)
	}
	s := spaces[rules.Name()]
	if s.after == nil {
		return nil, fmt.Errorf("%s cannot be solved after given moves, only as a whole", rules.Name())
	}
	if _, over := rules.Terminal(game.Position{X: taken}); over {
		return nil, errors.New("the game is over after these moves; give fewer")
	}
	return s.after(rules.Size(), taken), nil
}
