package retro

import (
	"backsolve/bitslice"
	"backsolve/partition"
	"backsolve/tablebase"
)

// level is the planes of one class in memory: what is known of its states, in
// the order of their index.
type level struct {
	class  *partition.Class
	words  int // of one block's slice
	win    []uint64
	lose   []uint64   // nil in spaces with fixed slices
	digits [][]uint64 // of the steps, lowest first
	ledger *ledger
}

// slice returns block b's words of a plane.
func (l *level) slice(plane []uint64, b int) []uint64 {
	return plane[b*l.words:][:l.words]
}

// planes returns what a table keeps: the lost states only in a space with draws.
func (l *level) planes(draws bool) tablebase.Planes {
	p := tablebase.Planes{Win: l.win, Steps: l.digits}
	if draws {
		p.Lose = l.lose
	}
	return p
}

func (l *level) free() {
	l.ledger.free(l.win)
	l.ledger.free(l.lose)
	for _, d := range l.digits {
		l.ledger.free(d)
	}
	l.win, l.lose, l.digits = nil, nil, nil
}

// standardPartBits is the binary logarithm of the most words of a slice that are
// worked on at once: 64 KiB, so that a handful of planes stay in the cache of a
// core. Longer slices, those of the fullest classes, are cut into parts, so that
// threads share a block.
const standardPartBits = 13

// units numbers the units of work of a class: blocks, or parts of blocks.
type units struct {
	k        int           // index bits
	part     bitslice.Part // the first of a block
	words    int           // of a unit
	perBlock int
	n        int
}

// unitsOf cuts the slices of a class into parts of at most 2^partBits words.
func unitsOf(c *partition.Class, partBits int) units {
	u := units{k: c.IndexBits, part: bitslice.Whole(min(c.IndexBits, partBits+bitslice.WordBits))}
	u.words = 1 << uint(u.part.Bits)
	u.perBlock = c.Words() / u.words
	u.n = u.perBlock * len(c.Masks)
	return u
}

// wholeBlocks are units that are blocks.
func wholeBlocks(c *partition.Class) units { return unitsOf(c, c.IndexBits) }

// block returns the block and the part that a unit is.
func (u units) block(unit int) (block int, part bitslice.Part) {
	part = u.part
	part.Value = uint32(unit % u.perBlock)
	return unit / u.perBlock, part
}

// of returns a unit's words of a plane.
func (u units) of(plane []uint64, unit int) []uint64 {
	return plane[unit*u.words:][:u.words]
}

// mirror returns the unit that holds the complemented indices.
func (u units) mirror(unit int) int {
	return unit + u.perBlock - 1 - 2*(unit%u.perBlock)
}
