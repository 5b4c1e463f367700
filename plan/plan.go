// Package plan computes what a solve takes before it begins: memory, disk and time. The
// engine reserves memory by the same figures, so that a planned solve keeps its limit.
package plan

import (
	"math/bits"
	"runtime"

	"backsolve/bitslice"
	"backsolve/partition"
)

// Options are the choices that decide what a solve takes.
type Options struct {
	// Steps and Nimbers ask for these numbers besides outcomes.
	Steps, Nimbers bool
	// Threads is the number of threads, 0 for all cores.
	Threads int
	// DownTo is the last class to solve.
	DownTo int
}

// Plan is what a solve of a space in memory takes.
type Plan struct {
	Options
	// Classes are the classes to solve, in the order of solving: the fullest first.
	Classes []Class
	space   *partition.Space
}

// Class is a class to solve.
type Class struct {
	Class, IndexBits int
	Blocks           int64
	// States is the number of stored states.
	States uint64
	// Folds is the number of words to fold: the work of the class.
	Folds float64
}

// New plans a solve of a space.
func New(space *partition.Space, o Options) *Plan {
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	p := &Plan{Options: o, space: space}
	blocks, links := partition.BlockCounts(space), float64(p.moves())
	for class := space.MaskBits; class >= o.DownTo; class-- {
		k := space.IndexBits[class]
		p.Classes = append(p.Classes, Class{
			Class: class, IndexBits: k, Blocks: blocks[class], States: uint64(blocks[class]) << uint(k),
			Folds: float64(blocks[class]) * p.foldsPerBlock(class, links),
		})
	}
	return p
}

// moves returns the number of moves on an empty board.
func (p *Plan) moves() int { return len(p.space.Moves(0, nil)) }

// words returns the length of a plane of the class.
func (c *Class) words() int64 { return c.Blocks * int64(bitslice.Words(c.IndexBits)) }

// Total returns the number of blocks and of stored states of all classes.
func (p *Plan) Total() (blocks int64, states uint64) {
	for _, c := range p.Classes {
		blocks += c.Blocks
		states += c.States
	}
	return blocks, states
}

// MostBlocks returns the number of blocks of the largest class.
func (p *Plan) MostBlocks() (most int64) {
	for _, c := range p.Classes {
		most = max(most, c.Blocks)
	}
	return most
}

// LongestPlane returns the length in words of the longest plane.
func (p *Plan) LongestPlane() (longest int64) {
	for _, c := range p.Classes {
		longest = max(longest, c.words())
	}
	return longest
}

// numbered reports whether states get a number besides their outcome.
func (p *Plan) numbered() bool { return p.Steps || p.Nimbers }

// digits returns the number of binary digits that the steps or nimbers of a class are
// likely to take. Where every move marks a cell, the empty cells bound the steps.
// Elsewhere only a solve can tell, and the estimate is that of the solved boards.
func (p *Plan) digits(class int) int {
	switch {
	case p.space.Kind != partition.Cyclic:
		return bits.Len(uint(p.space.Size*p.space.Size - class))
	case p.space.Size < 5:
		return 6
	}
	return 8
}
