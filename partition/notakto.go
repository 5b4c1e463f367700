package partition

import (
	"math/bits"
	"slices"

	"backsolve/bitboard"
	"backsolve/bitslice"
	"backsolve/game"
)

// notakto cuts Notakto. The symmetries of the lines carry the cells of the two
// diagonals, and for odd n those of the middle row and column, only among
// themselves: these are the slice cells, the others the block cells. The first
// diagonal has the low index bits and the other one the next, because half of
// the symmetries keep the two apart. Cells that are taken from the start are
// neither: all lines are shorter by them.
type notakto struct {
	taken      uint64
	blockCells []int
	sliceCells []int
	toMask     gather
	toIndex    gather
	sym        *Symmetries // on block cells
	indexSym   *Symmetries // on slice cells
	lines      []notaktoLine
}

type notaktoLine struct {
	mask  uint64
	index uint32
}

func newNotakto(n int, taken uint64) (Space, error) {
	k := &notakto{taken: taken}
	slice := map[int]bool{}
	add := func(cell int) {
		if !slice[cell] && taken>>uint(cell)&1 == 0 {
			slice[cell] = true
			k.sliceCells = append(k.sliceCells, cell)
		}
	}
	for i := range n {
		add(i*n + i)
	}
	for i := range n {
		add(i*n + n - 1 - i)
	}
	if n%2 == 1 {
		for i := range n {
			add(n/2*n + i)
			add(i*n + n/2)
		}
	}
	for c := range n * n {
		if !slice[c] && taken>>uint(c)&1 == 0 {
			k.blockCells = append(k.blockCells, c)
		}
	}
	group := slices.DeleteFunc(bitboard.LineGroup(n), func(g bitboard.Perm) bool { return g.Apply(taken) != taken })
	k.sym = newSymmetries(restrict(group, k.blockCells))
	k.indexSym = newSymmetries(restrict(group, k.sliceCells))
	k.toMask = newGather(n*n, k.blockCells)
	k.toIndex = newGather(n*n, k.sliceCells)
	for _, line := range bitboard.Lines(n) {
		k.lines = append(k.lines, notaktoLine{k.toMask.of(line), uint32(k.toIndex.of(line))})
	}
	facts := Facts{
		Game: "notakto", Size: n, Taken: taken,
		MaskBits:   len(k.blockCells),
		IndexBits:  slices.Repeat([]int{len(k.sliceCells)}, len(k.blockCells)+1),
		Symmetries: k.sym,
		FixedSlice: true,
	}
	return known(facts, k, k)
}

func (k *notakto) Stones(class, weight int) (mover, other int) {
	return bits.OnesCount64(k.taken) + class + weight, 0
}

func (k *notakto) Raw(p game.Position) (mask uint64, index uint32) {
	return k.toMask.of(p.X), uint32(k.toIndex.of(p.X))
}

func (k *notakto) Carry(_ uint64, index uint32, g int) uint32 {
	return uint32(k.indexSym.Image(g, uint64(index)))
}

func (k *notakto) Locate(p game.Position) State {
	raw, index := k.Raw(p)
	mask, g := k.sym.Canonical(raw)
	return State{bits.OnesCount64(mask), mask, k.Carry(raw, index, g)}
}

func (k *notakto) Position(s State) game.Position {
	return game.Position{
		X: k.taken | scatter(k.blockCells, s.Mask) | scatter(k.sliceCells, uint64(s.Index)),
	}
}

// Terminals: who finds a complete line has won.
func (k *notakto) Terminals(mask uint64, t *Terminals) {
	for _, line := range k.lines {
		if line.mask&^mask == 0 {
			t.Win = append(t.Win, bitslice.Cube{Care: line.index, Value: line.index})
		}
	}
}

func (k *notakto) Moves(mask uint64, buf []Move) []Move {
	for i := range k.blockCells {
		if mask>>uint(i)&1 == 0 {
			buf = append(buf, Move{Child: mask | 1<<uint(i), number: uint8(i)})
		}
	}
	return buf
}

func (k *notakto) Map(_ uint64, _ Move, _ uint64, g int) bitslice.IndexMap {
	m := bitslice.IndexMap{Src: len(k.sliceCells), Dst: len(k.sliceCells)}
	copy(m.From[:], k.indexSym.perms[g])
	return m
}
