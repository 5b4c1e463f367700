// Package partition cuts the states of a game into classes, blocks and slices
// and names the links between them.
//
// A state is a pair (mask, index). The mask picks the block; masks that are
// images of each other under the board's symmetry group share a block, stored
// under the least of them, the canonical mask. The index is the state's number
// in the block's slice. A class is the set of blocks whose masks mark the same
// number of cells; a move leads to the same class or to the next fuller one.
//
// What a block and an index bit are is said here, once for each game, and read
// by the engine and by those who look states up.
package partition

import (
	"math"

	"backsolve/bitslice"
	"backsolve/game"
)

// State is a state by the class, the block's canonical mask and the index in its
// slice.
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
	// Game and Size name the board.
	Game string
	Size int
	// Taken has the cells that are marked in every state of the space, as a mask
	// of cells: 0 for a whole game, else the moves that it goes on after.
	Taken uint64
	// MaskBits is the number of bits of a mask and so the class of the fullest
	// block, 0 to 32.
	MaskBits int
	// IndexBits is, for each class 0..MaskBits, the number of index bits of its
	// slices, 0 to 31.
	IndexBits []int
	// Symmetries is the symmetry group as it acts on masks.
	Symmetries *Symmetries
	// Kind decides how the space is solved.
	Kind Kind
}

// Planes returns the number of outcome planes a table keeps: one of wins, and one of
// losses where games can be drawn.
func (f *Facts) Planes() int {
	if f.Kind == FixedSlice {
		return 1
	}
	return 2
}

// HasNimbers reports whether states can be given nimbers: every move marks a cell for
// both players alike, and who completes a line has lost, so that the game is the one in
// which lines must not be completed and who cannot move has lost.
func (f *Facts) HasNimbers() bool { return f.Kind == FixedSlice }

// States returns the number of states of the whole space, symmetric ones counted.
func (f *Facts) States() uint64 { return f.StatesOf(f.MaskBits + 1) }

// StatesOf returns the number of states of so many of the emptiest classes,
// symmetric ones counted.
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

// Codec is how positions and states become each other.
type Codec interface {
	// Mask returns a position's mask before it is made canonical, and Under the state
	// of a position with this mask, which symmetry g makes canonical.
	Mask(p game.Position) uint64
	Under(p game.Position, mask uint64, g int) State
	// Raw returns a position's mask and index before they are made canonical,
	// and Carry the index of the same state after symmetry g.
	Raw(p game.Position) (mask uint64, index uint32)
	Carry(mask uint64, index uint32, g int) uint32
	// Position returns the position of a state, X to move. The mask need not be
	// canonical.
	Position(s State) game.Position
	// Stones returns how many cells the player to move and the other one have
	// marked in the states of a class whose index has weight one-bits.
	Stones(class, weight int) (mover, other int)
}

// Graph is what leads from state to state.
type Graph interface {
	// Terminals appends the terminal states of a block. Every state without a
	// move is one.
	Terminals(mask uint64, t *Terminals)
	// Moves appends the moves out of a block: all those that change its mask or,
	// in a space without fixed slices, its index.
	Moves(mask uint64, buf []Move) []Move
	// Map returns the index map of a move out of a block whose child mask is
	// carried to its canonical mask by symmetry g.
	Map(mask uint64, m Move, canonical uint64, g int) bitslice.IndexMap
}

// Terminals are the terminal states of a block: the player to move has won those
// of Win, lost those of Lose that are not in Win, and those of Draw that are in
// neither are drawn.
type Terminals struct {
	Win, Lose, Draw []bitslice.Cube
}

// Reset empties the lists and keeps their memory.
func (t *Terminals) Reset() { t.Win, t.Lose, t.Draw = t.Win[:0], t.Lose[:0], t.Draw[:0] }

// Move is a move out of a block as it acts on masks.
type Move struct {
	Child  uint64 // mask after the move, not yet canonical
	Within bool   // the child is in the same class
	number uint8  // the space's own number of the move
}

// maxStates bounds the states of a space, so that no count of them overflows.
const maxStates = math.MaxInt64
