// Package partition cuts the states of a game into classes, blocks and slices
// and lists the links between them. It defines the cut of each game, for the engine and
// for lookups.
//
// A state is a pair (mask, index). The mask selects the block. Masks that are
// images of each other under the board's symmetry group share a block, stored
// under the least of them, the canonical mask. The index is the state's number
// in the block's slice. A class is the set of blocks whose masks mark the same
// number of cells; a move leads to the same class or to the next fuller one.
package partition

import (
	"math"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/internal/bitslice"
)

// State is a state by its class, the canonical mask of its block and its index in the slice.
type State struct {
	Class int
	Mask  uint64
	Index uint32
}

// Space is the cut of one game on one board. NewSpace makes and checks one; NewCut
// checks it again. Masks are over the space's own mask bits (0..MaskBits−1), not over
// cells. All methods are safe for concurrent use and allocate nothing beyond the given
// buffers.
type Space struct {
	Facts
	Codec
	Graph
}

// Kind says where the moves of a space lead.
type Kind uint8

const (
	// FixedSlice: the same cells make up every slice. A move sets any clear index bit or
	// leads to the next class, with an index map that depends on the symmetry alone.
	// Nobody draws: a state that is not won is lost.
	FixedSlice Kind = iota + 1
	// Acyclic: every move leads to the next class. A parent's state with index ^i reads
	// its children at i.
	Acyclic
	// Cyclic: as Acyclic, but moves may also lead to a block of the same class, so that
	// play can go on for ever. That is a draw.
	Cyclic
)

// Facts are the numbers and the kind of a space.
type Facts struct {
	// Game and Size name the board; Size is a game.Size.
	Game string
	Size int
	// Taken is the mask of the cells that are marked in every state: 0 for a whole game.
	Taken uint64
	// MaskBits is the number of bits of a mask, 0 to 32, and thus the fullest class.
	MaskBits int
	// IndexBits has the number of index bits, 0 to 31, of the slices of each class 0..MaskBits.
	IndexBits []int
	// Symmetries is the symmetry group as it acts on masks.
	Symmetries *Symmetries
	// Kind decides how the space is solved.
	Kind Kind
	// Both decides terminal states that are in both Win and Lose.
	Both Both
}

// Both is the outcome of a terminal state that is in both Win and Lose, for the player to
// move.
type Both uint8

// The outcomes.
const (
	BothWon Both = iota
	BothLost
	BothDrawn
)

// Board names the board for people: quixo 4×4.
func (f *Facts) Board() string { return f.Game + " " + game.Size(f.Size).Title() }

// Planes returns the number of outcome planes a table keeps: one of wins, and one of
// losses where games can be drawn.
func (f *Facts) Planes() int {
	if f.Kind == FixedSlice {
		return 1
	}
	return 2
}

// HasNimbers reports whether the states have nimbers. In a space of fixed slices every
// move marks a cell for both players alike. Where completing a line loses, it is an
// impartial game in which moves that complete a line are not allowed.
func (f *Facts) HasNimbers() bool {
	return f.Kind == FixedSlice && !game.Size(f.Size).Has(bitboard.Normal)
}

// States returns the number of states of the whole space, symmetric ones counted.
func (f *Facts) States() uint64 { return f.StatesOf(f.MaskBits + 1) }

// StatesOf returns the number of states of the classes below the given one, symmetric
// ones counted.
func (f *Facts) StatesOf(classes int) (states uint64) {
	for class, k := range f.IndexBits[:classes] {
		states += f.Masks(class) << uint(k)
	}
	return states
}

// Masks returns the number of masks of a class, symmetric ones counted: a binomial
// coefficient.
func (f *Facts) Masks(class int) uint64 {
	masks := uint64(1)
	for i := range class {
		masks = masks * uint64(f.MaskBits-i) / uint64(i+1)
	}
	return masks
}

// Locate returns the state of a position.
func (s *Space) Locate(p game.Position) State {
	mask := s.Mask(p)
	_, g := s.Symmetries.Canonical(mask)
	return s.Under(p, mask, g)
}

// Codec converts between positions and states.
type Codec interface {
	// Mask returns a position's mask, not made canonical.
	Mask(p game.Position) uint64
	// Under returns the state of a position with this mask, which symmetry g makes
	// canonical.
	Under(p game.Position, mask uint64, g int) State
	// Position returns the position of a state, X to move. The mask need not be
	// canonical.
	Position(s State) game.Position
	// Stones returns how many cells the player to move and the opponent have marked in
	// the states of a class whose index has weight one-bits.
	Stones(class, weight int) (mover, other int)
}

// Graph has the moves and the terminal states.
type Graph interface {
	// Terminals appends the terminal states of a block. A state without a move must be
	// terminal.
	Terminals(mask uint64, t *Terminals)
	// Moves appends the moves out of a block. In a space of fixed slices, those that set
	// an index bit are left out.
	Moves(mask uint64, buf []Move) []Move
	// Map returns the index map of a move. Symmetry g takes its child to the canonical
	// mask.
	Map(mask uint64, m Move, canonical uint64, g int) bitslice.IndexMap
}

// Terminals are the terminal states of a block. The player to move has won those in Win
// and lost those in Lose; Facts.Both decides those in both. Those in Draw that are in neither
// are drawn.
type Terminals struct {
	Win, Lose, Draw []bitslice.Cube
}

// Reset empties the lists and keeps their memory.
func (t *Terminals) Reset() { t.Win, t.Lose, t.Draw = t.Win[:0], t.Lose[:0], t.Draw[:0] }

// Move is a move out of a block as it acts on masks.
type Move struct {
	Child  uint64 // mask after the move, not yet canonical
	Within bool   // the child is in the same class
	Number uint8  // of the move, for Map; the graph chooses it
}

// maxStates bounds the states of a space, so that no count of them overflows.
const maxStates = math.MaxInt64
