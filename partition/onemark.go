package partition

import (
	"math/bits"
	"slices"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/internal/bitslice"
)

// oneMark is the codec and graph of games in which both players use the same mark and a
// complete line ends the game. Masks and slices have cells of their own, which no symmetry
// mixes.
type oneMark struct {
	taken      uint64 // cells that are marked at the start, in neither mask nor slice
	maskCells  []int
	sliceCells []int
	toMask     gather
	toIndex    gather
	sym        *Symmetries // on mask cells
	indexSym   *Symmetries // on slice cells
	lines      []markedLine
	lost       bool // a complete line is lost for the player to move, not won
}

// markedLine is a line, divided between mask and slice.
type markedLine struct {
	mask  uint64
	index uint32
}

// space returns the space of a board with the given lines. The symmetries are given as
// they act on mask cells and on slice cells.
func (k *oneMark) space(name string, size, cells int, lines []uint64, onMasks, onSlices []bitboard.Perm) (*Space, error) {
	k.sym, k.indexSym = NewSymmetries(onMasks), NewSymmetries(onSlices)
	k.toMask = newGather(cells, k.maskCells)
	k.toIndex = newGather(cells, k.sliceCells)
	for _, line := range lines {
		k.lines = append(k.lines, markedLine{k.toMask.bits(line), uint32(k.toIndex.bits(line))})
	}
	return listedSpace(Facts{
		Game: name, Size: size, Taken: k.taken,
		MaskBits:   len(k.maskCells),
		IndexBits:  slices.Repeat([]int{len(k.sliceCells)}, len(k.maskCells)+1),
		Symmetries: k.sym,
		Kind:       FixedSlice,
	}, k, k)
}

func (k *oneMark) Stones(class, weight int) (mover, other int) {
	return bits.OnesCount64(k.taken) + class + weight, 0
}

func (k *oneMark) Mask(p game.Position) uint64 { return k.toMask.bits(p.X) }

func (k *oneMark) Under(p game.Position, mask uint64, g int) State {
	canonical := k.sym.Image(g, mask)
	return State{bits.OnesCount64(canonical), canonical, uint32(k.indexSym.Image(g, k.toIndex.bits(p.X)))}
}

func (k *oneMark) Position(s State) game.Position {
	return game.Position{
		X: k.taken | scatter(k.maskCells, s.Mask) | scatter(k.sliceCells, uint64(s.Index)),
	}
}

// Terminals: the game is over where a line is complete.
func (k *oneMark) Terminals(mask uint64, t *Terminals) {
	cubes := &t.Win
	if k.lost {
		cubes = &t.Lose
	}
	for _, line := range k.lines {
		if line.mask&^mask == 0 {
			*cubes = append(*cubes, bitslice.Cube{Care: line.index, Value: line.index})
		}
	}
}

func (k *oneMark) Moves(mask uint64, buf []Move) []Move {
	for i := range k.maskCells {
		if mask>>uint(i)&1 == 0 {
			buf = append(buf, Move{Child: mask | 1<<uint(i), Number: uint8(i)})
		}
	}
	return buf
}

func (k *oneMark) Map(_ uint64, _ Move, _ uint64, g int) bitslice.IndexMap {
	m := bitslice.IndexMap{Src: len(k.sliceCells), Dst: len(k.sliceCells)}
	copy(m.From[:], k.indexSym.perms[g])
	return m
}
