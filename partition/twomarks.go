package partition

import (
	"math/bits"

	"backsolve/bitboard"
	"backsolve/bitslice"
	"backsolve/game"
)

// twoMarks is the codec of games in which each player has a mark, with the symmetries of the
// board as a figure. The mask has the marked cells, X or O. The index says which
// of them belong to the player who moved last.
type twoMarks struct {
	cells  []int // cell of each mask bit
	toBits gather
	sym    *Symmetries
	lines  []uint64 // over mask bits
}

// newTwoMarks returns the codec of a board with mask bits in the order of cells.
func newTwoMarks(size int, cells []int) twoMarks {
	t := twoMarks{cells: cells, toBits: newGather(len(cells), cells), sym: newSymmetries(restrict(bitboard.SquareGroup(size), cells))}
	for _, line := range bitboard.Lines(size) {
		t.lines = append(t.lines, t.toBits.of(line))
	}
	return t
}

// facts returns the facts of a space with this codec.
func (t *twoMarks) facts(name string, size int, kind Kind) Facts {
	f := Facts{Game: name, Size: size, MaskBits: len(t.cells), Symmetries: t.sym, Kind: kind}
	for class := range len(t.cells) + 1 {
		f.IndexBits = append(f.IndexBits, class)
	}
	return f
}

func (t *twoMarks) Stones(class, weight int) (mover, other int) {
	return class - weight, weight
}

func (t *twoMarks) Raw(p game.Position) (mask uint64, index uint32) {
	mask = t.Mask(p)
	return mask, extract(t.toBits.of(p.Waiting()), mask)
}

func (t *twoMarks) Carry(mask uint64, index uint32, g int) uint32 {
	return extract(t.sym.Image(g, deposit(index, mask)), t.sym.Image(g, mask))
}

func (t *twoMarks) Mask(p game.Position) uint64 { return t.toBits.of(p.X | p.O) }

func (t *twoMarks) Under(p game.Position, mask uint64, g int) State {
	canonical := t.sym.Image(g, mask)
	waiting := t.sym.Image(g, t.toBits.of(p.Waiting()))
	return State{bits.OnesCount64(canonical), canonical, extract(waiting, canonical)}
}

func (t *twoMarks) Position(s State) game.Position {
	waiting := deposit(s.Index, s.Mask)
	return game.Position{
		X: scatter(t.cells, s.Mask&^waiting),
		O: scatter(t.cells, waiting),
	}
}

// Terminals: a line of the player to move wins, one of the player who moved last loses.
func (t *twoMarks) Terminals(mask uint64, out *Terminals) {
	for _, line := range t.lines {
		if line&^mask == 0 {
			care := extract(line, mask)
			out.Win = append(out.Win, bitslice.Cube{Care: care})
			out.Lose = append(out.Lose, bitslice.Cube{Care: care, Value: care})
		}
	}
}

// rank returns the number of bits of mask below the given one.
func rank(mask uint64, bit uint8) uint8 {
	return uint8(bits.OnesCount64(mask & (1<<bit - 1)))
}

// extract packs the bits of v under mask into the low bits, four bits of the mask at
// a time. It does not branch on v, whose bits are unpredictable.
func extract(v, mask uint64) uint32 {
	var packed uint32
	for to := uint(0); mask != 0; mask, v = mask>>4, v>>4 {
		of := &extracted[mask&15]
		packed |= uint32(of.packed[v&15]) << (to & 31)
		to += of.ones
	}
	return packed
}

// extracted has, for each mask of four bits, its one-bits and each v packed under it.
var extracted = func() (of [16]struct {
	packed [16]uint8
	ones   uint
}) {
	for mask := range uint64(len(of)) {
		of[mask].ones = uint(bits.OnesCount64(mask))
		for v := range of[mask].packed {
			of[mask].packed[v] = uint8(extractSlowly(uint64(v), mask))
		}
	}
	return of
}()

// extractSlowly is extract bit by bit.
func extractSlowly(v, mask uint64) uint32 {
	var packed uint32
	for i := uint(0); mask != 0; i++ {
		packed |= uint32(v>>uint(bits.TrailingZeros64(mask))&1) << (i & 31)
		mask &= mask - 1
	}
	return packed
}

// deposit is the inverse of extract.
func deposit(v uint32, mask uint64) uint64 {
	var bits uint64
	for ; mask != 0; mask &= mask - 1 {
		bits |= mask & -mask & -uint64(v&1)
		v >>= 1
	}
	return bits
}
