package partition

import (
	"math/bits"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/internal/bitslice"
)

// TwoMarks is the codec and the graph of games in which each player in turn marks an empty
// cell with a mark of their own, and a line of marks wins. The mask has the marked cells, X
// or O. The index says which of them belong to the player who moved last. Games with other
// moves or ends embed it and have methods of their own.
type TwoMarks struct {
	cells  []int // cell of each mask bit
	full   uint64
	toBits gather
	sym    *Symmetries
	lines  []uint64 // over mask bits
}

// NewTwoMarks returns the codec and graph of a board of at most 31 cells, with the given
// lines, as masks of cells, and a group of symmetries that keeps them. A mirror symmetry
// and the identity are a group, too. Pass it, with its Facts, to NewSpace.
func NewTwoMarks(cells int, lines []uint64, group []bitboard.Perm) *TwoMarks {
	order := make([]int, cells)
	for c := range order {
		order[c] = c
	}
	t := newTwoMarks(order, lines, group)
	return &t
}

// newTwoMarks is NewTwoMarks with mask bits in the order of cells.
func newTwoMarks(cells []int, lines []uint64, group []bitboard.Perm) TwoMarks {
	t := TwoMarks{cells: cells, full: 1<<uint(len(cells)) - 1, toBits: newGather(len(cells), cells), sym: NewSymmetries(restrict(group, cells))}
	for _, line := range lines {
		t.lines = append(t.lines, t.toBits.bits(line))
	}
	return t
}

// Facts returns the facts of a space with this codec, for the board of a name and size.
func (t *TwoMarks) Facts(name string, size int, kind Kind) Facts {
	f := Facts{Game: name, Size: size, MaskBits: len(t.cells), Symmetries: t.sym, Kind: kind}
	for class := range len(t.cells) + 1 {
		f.IndexBits = append(f.IndexBits, class)
	}
	return f
}

// Stones returns the marked cells of each player.
func (t *TwoMarks) Stones(class, weight int) (mover, other int) {
	return class - weight, weight
}

// Mask returns the marked cells.
func (t *TwoMarks) Mask(p game.Position) uint64 { return t.toBits.bits(p.X | p.O) }

// Under returns the state of a position with this mask, which symmetry g makes canonical.
func (t *TwoMarks) Under(p game.Position, mask uint64, g int) State {
	canonical := t.sym.Image(g, mask)
	waiting := t.sym.Image(g, t.toBits.bits(p.Waiting()))
	return State{bits.OnesCount64(canonical), canonical, extract(waiting, canonical)}
}

// Position returns the position of a state, X to move.
func (t *TwoMarks) Position(s State) game.Position {
	waiting := deposit(s.Index, s.Mask)
	return game.Position{
		X: scatter(t.cells, s.Mask&^waiting),
		O: scatter(t.cells, waiting),
	}
}

// Terminals appends the lines and the draw on a full board.
func (t *TwoMarks) Terminals(mask uint64, out *Terminals) {
	t.linesOf(mask, out)
	if mask == t.full {
		out.Draw = append(out.Draw, bitslice.Cube{})
	}
}

// linesOf appends the lines: one of the player to move wins, one of the player who moved
// last loses.
func (t *TwoMarks) linesOf(mask uint64, out *Terminals) {
	for _, line := range t.lines {
		if line&^mask == 0 {
			care := extract(line, mask)
			out.Win = append(out.Win, bitslice.Cube{Care: care})
			out.Lose = append(out.Lose, bitslice.Cube{Care: care, Value: care})
		}
	}
}

// Moves appends the moves on the empty cells. Every move leads to the next class.
func (t *TwoMarks) Moves(mask uint64, buf []Move) []Move {
	for free := t.full &^ mask; free != 0; free &= free - 1 {
		bit := bits.TrailingZeros64(free)
		buf = append(buf, Move{Child: mask | 1<<uint(bit), Number: uint8(bit)})
	}
	return buf
}

// Map keeps all marks. The new one is the mover's.
func (t *TwoMarks) Map(mask uint64, move Move, canonical uint64, g int) bitslice.IndexMap {
	m := bitslice.IndexMap{Src: bits.OnesCount64(canonical), Dst: bits.OnesCount64(mask)}
	perm, d := t.sym.perms[g], 0
	for rest := mask; rest != 0; rest &= rest - 1 {
		m.From[d] = rank(canonical, perm[bits.TrailingZeros64(rest)])
		d++
	}
	m.From[d] = rank(canonical, perm[move.Number])
	m.One = 1 << uint(d)
	return m
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
	for mask := range of {
		of[mask].ones = uint(bits.OnesCount(uint(mask)))
		for packed := range uint32(1) << of[mask].ones {
			for rest := range 16 { // bits outside the mask do not matter
				of[mask].packed[deposit(packed, uint64(mask))|uint64(rest&^mask)] = uint8(packed)
			}
		}
	}
	return of
}()

// deposit is the inverse of extract.
func deposit(v uint32, mask uint64) uint64 {
	var bits uint64
	for ; mask != 0; mask &= mask - 1 {
		bits |= mask & -mask & -uint64(v&1)
		v >>= 1
	}
	return bits
}
