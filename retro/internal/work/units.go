package work

import (
	"math/bits"

	"backsolve/internal/bitslice"
	"backsolve/partition"
)

// Units numbers the units of work of a class: blocks, or parts of blocks.
type Units struct {
	K        int              // index bits
	part     bitslice.Segment // the first of a block
	Words    int              // of a unit
	PerBlock int
	N        int // of all
}

// minPartBits is the binary logarithm of the fewest words of a part that is cut for the sake
// of the number of units. Shorter parts spend their time on finding their links.
const minPartBits = 10

// UnitsOf returns the units of a class: parts of slices of at most 2^partBits words, shorter
// where that gives the wanted number of units.
func UnitsOf(c *partition.Class, partBits, wanted int) Units {
	slice := bits.Len(uint(c.Words())) - 1
	for partBits = min(partBits, slice); partBits > minPartBits && len(c.Masks)<<(slice-partBits) < wanted; {
		partBits--
	}
	u := Units{K: c.IndexBits, part: bitslice.Whole(min(c.IndexBits, partBits+bitslice.WordBits))}
	u.Words = 1 << uint(u.part.Bits)
	u.PerBlock = c.Words() / u.Words
	u.N = u.PerBlock * len(c.Masks)
	return u
}

// WholeBlocks returns units that are whole blocks.
func WholeBlocks(c *partition.Class) Units { return UnitsOf(c, c.IndexBits, 0) }

// Block returns the block and the part of a unit.
func (u Units) Block(unit int) (block int, part bitslice.Segment) {
	part = u.part
	part.Value = uint32(unit % u.PerBlock)
	return unit / u.PerBlock, part
}

// Of returns a unit's words of a plane.
func (u Units) Of(plane []uint64, unit int) []uint64 {
	return plane[unit*u.Words:][:u.Words]
}

// Mirror returns the unit of the complemented indices.
func (u Units) Mirror(unit int) int {
	return unit + u.PerBlock - 1 - 2*(unit%u.PerBlock)
}
