package partition

import (
	"fmt"
	"math/bits"
	"slices"

	"backsolve/bitboard"
)

// MarkingGame is an endgame: the players mark cells in turn, and completing a line loses.
type MarkingGame struct {
	// Name and Size name the board for messages.
	Name string
	Size int
	// Cells is the number of cells, at most MaxEndgame.
	Cells int
	// Lines are masks of cells. There must be at least one, and none may be empty.
	Lines []uint64
	// Marked are the cells marked at the start. They are in the index, so that play begins in class 0.
	Marked uint64
	// Symmetries are permutations of cells that keep the lines. They need not form a group.
	Symmetries []bitboard.Perm
}

// MaxEndgame is the most cells that NewEndgame accepts.
const MaxEndgame = maxEndgameMask + maxEndgameSlice

// Bounds of the cut that NewEndgame chooses. With 24 mask bits the cut takes 64 MiB, and a
// slice of 2^23 states fills half the cache of a core.
const (
	maxEndgameMask  = 24
	maxEndgameSlice = 23
	leastSlice      = 8
	// slack is how many index bits a slice may have too many, or twice as many too few, to
	// keep orbits together.
	slack = 4
)

// NewEndgame returns the space of an endgame. Its positions have the marked cells as X.
func NewEndgame(g MarkingGame) (*Space, error) {
	if g.Cells > MaxEndgame {
		return nil, fmt.Errorf("%w: %d cells are left, more than %d", ErrTooLarge, g.Cells, MaxEndgame)
	}
	group := boundedGroup(append(slices.Clone(g.Symmetries), twins(g)...), g.Cells)
	r := choose(g, group)
	if len(r.sliceCells) > maxEndgameSlice+slack {
		group = group[:1] // the identity, as orbits are too large to divide
		r = choose(g, group)
	}
	onMasks, onSlices := faithful(restrict(group, r.maskCells), restrict(group, r.sliceCells))
	return r.space(g.Name, g.Size, g.Cells, g.Lines, onMasks, onSlices)
}

// twins returns the swaps of cells that lie on the same lines.
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

// boundedGroup returns the group that permutations of the cells generate. It leaves out
// those that would make it too large.
func boundedGroup(perms []bitboard.Perm, cells int) []bitboard.Perm {
	group := []bitboard.Perm{bitboard.Identity(cells)}
	var generators []bitboard.Perm
	for _, p := range perms {
		if slices.ContainsFunc(group, func(g bitboard.Perm) bool { return slices.Equal(g, p) }) {
			continue
		}
		if larger, ok := bitboard.Generate(append(generators, p), maxSymmetries); ok {
			generators, group = append(generators, p), larger
		}
	}
	return group
}

// choose divides the cells between mask and slice, and orders them. Orbits stay
// together; large ones go to the mask, where symmetric blocks are stored once. Next come
// the cells that complete lines soonest: a line complete in the mask, or in the upper bits
// of the index, decides many states at once.
func choose(g MarkingGame, group []bitboard.Perm) *oneMark {
	r := &oneMark{}
	orbits := completing(g.Lines, bitboard.Orbits(group))
	slices.SortStableFunc(orbits, func(a, b uint64) int { return bits.OnesCount64(b) - bits.OnesCount64(a) })
	most := g.Cells - sliceBits(g.Cells)
	for _, orbit := range orbits {
		taken, size := len(r.maskCells), bits.OnesCount64(orbit)
		fits := taken+size <= most || size > 1 && taken+size <= min(most+2*slack, g.Cells-leastSlice)
		if orbit&g.Marked == 0 && fits && taken+size <= maxEndgameMask {
			r.maskCells = appendCells(r.maskCells, orbit)
		} else {
			r.sliceCells = appendCells(r.sliceCells, orbit)
		}
	}
	slices.Reverse(r.sliceCells)
	return r
}

// completing orders orbits so that lines are complete soon: that with the fewest missing cells is first.
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

func appendCells(cells []int, mask uint64) []int {
	for ; mask != 0; mask &= mask - 1 {
		cells = append(cells, bits.TrailingZeros64(mask))
	}
	return cells
}

// sliceBits returns how many of the cells should form the slice: all if they are few, else
// as many as fit the cache of a core.
func sliceBits(cells int) int {
	const whole, blockBits = 12, 7
	return max(min(cells, whole), min(cells-blockBits, maxEndgameSlice))
}

// faithful drops symmetries that act on masks like an earlier one.
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
