package partition

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"backsolve/bitboard"
	"backsolve/bitslice"
	"backsolve/game"
)

// MarkingGame is a game in which the players mark cells in turn, and who completes a
// line has lost: what is left of a game on a board at one of its positions.
type MarkingGame struct {
	// Name and Size name the board for messages.
	Name string
	Size int
	// Cells is the number of cells, at most MaxRest.
	Cells int
	// Lines has the lines as masks of cells; there must be one, and none may be empty.
	Lines []uint64
	// Symmetries are permutations of the cells that keep the lines; they need not be
	// a group.
	Symmetries []bitboard.Perm
}

// MaxRest is the most cells of a space of what is left of a game.
const MaxRest = maxRestMask + maxRestSlice

// The bounds of the cut that rest chooses. With 24 mask bits the cut takes 64 MiB; a
// slice of 2^23 states is half the cache of a core.
const (
	maxRestMask  = 24
	maxRestSlice = 23
)

// rest cuts what is left of a game. Its positions have the marked cells as X, by
// their numbers.
type rest struct {
	maskCells, sliceCells []int
	toMask, toIndex       gather
	sym, indexSym         *Symmetries
	lines                 []notaktoLine
}

// NewRest returns the space of what is left of a game. Its positions have the marked
// cells as X.
func NewRest(g MarkingGame) (Space, error) {
	if g.Cells > MaxRest {
		return Space{}, fmt.Errorf("%w: %d cells are left, more than %d", ErrTooLarge, g.Cells, MaxRest)
	}
	group := boundedGroup(append(slices.Clone(g.Symmetries), twins(g)...), g.Cells)
	r := &rest{}
	r.choose(g, group)
	onMasks, onSlices := restrict(group, r.maskCells), restrict(group, r.sliceCells)
	onMasks, onSlices = faithful(onMasks, onSlices)
	r.sym, r.indexSym = newSymmetries(onMasks), newSymmetries(onSlices)
	r.toMask = newGather(g.Cells, r.maskCells)
	r.toIndex = newGather(g.Cells, r.sliceCells)
	for _, line := range g.Lines {
		r.lines = append(r.lines, notaktoLine{r.toMask.of(line), uint32(r.toIndex.of(line))})
	}
	return known(Facts{
		Game: g.Name, Size: g.Size,
		MaskBits:   len(r.maskCells),
		IndexBits:  slices.Repeat([]int{len(r.sliceCells)}, len(r.maskCells)+1),
		Symmetries: r.sym,
		FixedSlice: true,
	}, r, r)
}

// twins returns the exchanges of neighbours in the lists of cells that lie on the
// same lines.
func twins(g MarkingGame) (perms []bitboard.Perm) {
	on := func(cell int) (lines uint64) {
		for i, line := range g.Lines {
			lines |= line >> uint(cell) & 1 << uint(i)
		}
		return lines
	}
	last := map[uint64]int{}
	for cell := range g.Cells {
		if twin, ok := last[on(cell)]; ok {
			p := bitboard.Identity(g.Cells)
			p[twin], p[cell] = uint8(cell), uint8(twin)
			perms = append(perms, p)
		}
		last[on(cell)] = cell
	}
	return perms
}

// boundedGroup closes permutations of so many cells to a group, leaving out those
// with which it would have too many elements.
func boundedGroup(perms []bitboard.Perm, cells int) []bitboard.Perm {
	group := []bitboard.Perm{bitboard.Identity(cells)}
	var generators []bitboard.Perm
	for _, p := range perms {
		if slices.ContainsFunc(group, func(g bitboard.Perm) bool { return slices.Equal(g, p) }) {
			continue
		}
		if larger, ok := closure(append(generators, p), cells); ok {
			generators, group = append(generators, p), larger
		}
	}
	return group
}

// closure returns the group that permutations generate, and false where it is too
// large.
func closure(generators []bitboard.Perm, cells int) ([]bitboard.Perm, bool) {
	group := []bitboard.Perm{bitboard.Identity(cells)}
	seen := map[string]bool{string(group[0]): true}
	for i := 0; i < len(group); i++ {
		for _, g := range generators {
			next := group[i].Then(g)
			if seen[string(next)] {
				continue
			}
			if len(group) == maxSymmetries {
				return nil, false
			}
			seen[string(next)] = true
			group = append(group, next)
		}
	}
	return group, true
}

// choose says which cells make the mask. Orbits stay together. Large ones gain more
// in the mask, where symmetric blocks are stored once; among equals the mask takes
// the cells of short lines, since blocks in which a line is complete need no work.
func (r *rest) choose(g MarkingGame, group []bitboard.Perm) {
	weight := func(orbit uint64) (w float64) {
		for _, line := range g.Lines {
			if line&orbit != 0 {
				w += 1 / float64(uint64(1)<<uint(bits.OnesCount64(line)))
			}
		}
		return w
	}
	orbits := bitboard.Orbits(group)
	slices.SortStableFunc(orbits, func(a, b uint64) int {
		if c := bits.OnesCount64(b) - bits.OnesCount64(a); c != 0 {
			return c
		}
		return cmp.Compare(weight(b), weight(a))
	})
	var mask uint64
	want := g.Cells - sliceBits(g.Cells)
	for _, orbit := range orbits {
		if n := bits.OnesCount64(mask) + bits.OnesCount64(orbit); n <= max(want, g.Cells-maxRestSlice) && n <= maxRestMask {
			mask |= orbit
		}
	}
	for cell := range g.Cells {
		if mask>>uint(cell)&1 == 1 {
			r.maskCells = append(r.maskCells, cell)
		} else {
			r.sliceCells = append(r.sliceCells, cell)
		}
	}
}

// sliceBits returns how many of so many cells should make the slice: all of few, and
// of many what the cache of a core holds.
func sliceBits(cells int) int {
	const whole, blockBits = 12, 7
	return max(min(cells, whole), min(cells-blockBits, maxRestSlice))
}

// faithful leaves out the symmetries that do to masks what an earlier one does.
func faithful(onMasks, onSlices []bitboard.Perm) (masks, slices []bitboard.Perm) {
	seen := map[string]bool{}
	for g, p := range onMasks {
		if !seen[string(p)] {
			seen[string(p)] = true
			masks, slices = append(masks, p), append(slices, onSlices[g])
		}
	}
	return masks, slices
}

func (r *rest) Stones(class, weight int) (mover, other int) { return class + weight, 0 }

func (r *rest) Raw(p game.Position) (mask uint64, index uint32) {
	return r.toMask.of(p.X), uint32(r.toIndex.of(p.X))
}

func (r *rest) Carry(_ uint64, index uint32, g int) uint32 {
	return uint32(r.indexSym.Image(g, uint64(index)))
}

func (r *rest) Locate(p game.Position) State {
	raw, index := r.Raw(p)
	mask, g := r.sym.Canonical(raw)
	return State{bits.OnesCount64(mask), mask, r.Carry(raw, index, g)}
}

func (r *rest) Position(s State) game.Position {
	return game.Position{X: scatter(r.maskCells, s.Mask) | scatter(r.sliceCells, uint64(s.Index))}
}

// Terminals: who finds a complete line has won.
func (r *rest) Terminals(mask uint64, t *Terminals) {
	for _, line := range r.lines {
		if line.mask&^mask == 0 {
			t.Win = append(t.Win, bitslice.Cube{Care: line.index, Value: line.index})
		}
	}
}

func (r *rest) Moves(mask uint64, buf []Move) []Move {
	for i := range r.maskCells {
		if mask>>uint(i)&1 == 0 {
			buf = append(buf, Move{Child: mask | 1<<uint(i), number: uint8(i)})
		}
	}
	return buf
}

func (r *rest) Map(_ uint64, _ Move, _ uint64, g int) bitslice.IndexMap {
	m := bitslice.IndexMap{Src: len(r.sliceCells), Dst: len(r.sliceCells)}
	copy(m.From[:], r.indexSym.perms[g])
	return m
}
