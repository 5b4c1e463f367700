package partition

import (
	"fmt"
	"math/bits"
	"slices"

	"backsolve/bitboard"
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
	// Marked are cells that are marked from the start: they are part of the index, so
	// that play begins in class 0.
	Marked uint64
	// Symmetries are permutations of the cells that keep the lines; they need not be
	// a group.
	Symmetries []bitboard.Perm
}

// MaxRest is the most cells of a space of what is left of a game.
const MaxRest = maxRestMask + maxRestSlice

// The bounds of the cut that NewRest chooses. With 24 mask bits the cut takes 64 MiB; a
// slice of 2^23 states is half the cache of a core.
const (
	maxRestMask  = 24
	maxRestSlice = 23
	leastSlice   = 8
	// slack is by how many index bits a slice may be too long, so that orbits stay
	// together, and half of those by which it may be too short.
	slack = 4
)

// NewRest returns the space of what is left of a game. Its positions have the marked
// cells as X.
func NewRest(g MarkingGame) (*Space, error) {
	if g.Cells > MaxRest {
		return nil, fmt.Errorf("%w: %d cells are left, more than %d", ErrTooLarge, g.Cells, MaxRest)
	}
	group := boundedGroup(append(slices.Clone(g.Symmetries), twins(g)...), g.Cells)
	r := choose(g, group)
	if len(r.sliceCells) > maxRestSlice+slack {
		group = group[:1] // the identity: orbits are too large to be shared out
		r = choose(g, group)
	}
	onMasks, onSlices := faithful(restrict(group, r.maskCells), restrict(group, r.sliceCells))
	return r.space(g.Name, g.Size, g.Cells, g.Lines, onMasks, onSlices)
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

// choose shares the cells out between mask and slice, and puts those in order. Orbits
// stay together, and large ones gain more in the mask, where symmetric blocks are
// stored once. Among equals come the cells that complete lines soonest: where one is
// complete in the mask, or in the upper bits of the index, many states are won at
// once and need no work. So these go into the mask first, then to the upper bits.
func choose(g MarkingGame, group []bitboard.Perm) *oneMark {
	r := &oneMark{}
	orbits := completing(g.Lines, bitboard.Orbits(group))
	slices.SortStableFunc(orbits, func(a, b uint64) int { return bits.OnesCount64(b) - bits.OnesCount64(a) })
	most := g.Cells - sliceBits(g.Cells)
	for _, orbit := range orbits {
		taken, size := len(r.maskCells), bits.OnesCount64(orbit)
		fits := taken+size <= most || size > 1 && taken+size <= min(most+2*slack, g.Cells-leastSlice)
		if orbit&g.Marked == 0 && fits && taken+size <= maxRestMask {
			r.maskCells = appendCells(r.maskCells, orbit)
		} else {
			r.sliceCells = appendCells(r.sliceCells, orbit)
		}
	}
	slices.Reverse(r.sliceCells)
	return r
}

// completing puts orbits in an order that completes lines soon: those first that
// the line needs of which the least is missing.
func completing(lines, orbits []uint64) (order []uint64) {
	var have uint64
	take := func(cells uint64) {
		orbits = slices.DeleteFunc(orbits, func(orbit uint64) bool {
			if orbit&cells == 0 {
				return false
			}
			have |= orbit
			order = append(order, orbit)
			return true
		})
	}
	missing := func(line uint64) int { return bits.OnesCount64(line &^ have) }
	for lines = slices.Clone(lines); len(lines) > 0; {
		next := slices.MinFunc(lines, func(a, b uint64) int { return missing(a) - missing(b) })
		take(next &^ have)
		lines = slices.DeleteFunc(lines, func(line uint64) bool { return missing(line) == 0 })
	}
	return append(order, orbits...) // those on no line
}

// appendCells appends the cells of a mask.
func appendCells(cells []int, mask uint64) []int {
	for ; mask != 0; mask &= mask - 1 {
		cells = append(cells, bits.TrailingZeros64(mask))
	}
	return cells
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
