// Package plan computes what a solve takes before it begins: memory, disk and time. The
// engine reserves memory by the same figures, so that a planned solve keeps its limit.
package plan

import (
	"math/bits"
	"runtime"

	"backsolve/game"
	"backsolve/internal/bitslice"
	"backsolve/partition"
)

// Options are the choices that determine the cost of a solve.
type Options struct {
	// Steps and Nimbers ask for these numbers besides outcomes.
	Steps, Nimbers bool
	// Threads is the number of threads, 0 for all cores.
	Threads int
	// DownTo is the last class to solve.
	DownTo int
	// Limit is the limit of memory in bytes, 0 for none. Classes that exceed it are solved in
	// shards, where that is possible.
	Limit int64
	// Elsewhere says that the threads belong to another machine, as fast as this one.
	Elsewhere bool
	// Packed says that the table is packed, Archive that it lacks the steps of won states.
	Packed, Archive bool
}

// Plan is the estimated cost of solving a space in memory.
type Plan struct {
	Options
	// Classes are the classes to solve, in the order of solving: the fullest first.
	Classes []Class
	// Blocks, States and Folds are the totals of all classes.
	Blocks int64
	States uint64
	Folds  float64
	// MostBlocks is the number of blocks of the largest class, LongestPlane the most words of a plane.
	MostBlocks, LongestPlane int64

	space *partition.Space
	moves int64 // on an empty board
}

// Class is a class to solve.
type Class struct {
	Class     int     `json:"class"`
	IndexBits int     `json:"-"`
	Blocks    int64   `json:"blocks"`
	States    uint64  `json:"stored_states"`
	Bytes     int64   `json:"bytes"` // of the states in the table
	Folds     float64 `json:"-"`     // words to fold: the work of the class
	// Parts is into how many parts this class and the one above are cut while its states are decided by
	// that one, 0 where the class above is read as a whole.
	Parts int `json:"-"`
	// Shards is the number of shards that the class is solved in, 0 if in memory as a whole.
	Shards int `json:"shards,omitempty"`
}

// New plans a solve of a space.
func New(space *partition.Space, o Options) *Plan {
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	p := &Plan{Options: o, space: space, moves: int64(len(space.Moves(0, nil)))}
	blocks := partition.BlockCounts(space)
	for class := space.MaskBits; class >= o.DownTo; class-- {
		c := Class{Class: class, IndexBits: space.IndexBits[class], Blocks: blocks[class]}
		c.States = uint64(c.Blocks) << uint(c.IndexBits)
		c.Bytes = int64(float64(c.States) / 8 * p.stateBits(class))
		c.Folds = p.folds(&c)
		p.Classes = append(p.Classes, c)
		p.Blocks, p.States, p.Folds = p.Blocks+c.Blocks, p.States+c.States, p.Folds+c.Folds
		p.MostBlocks, p.LongestPlane = max(p.MostBlocks, c.Blocks), max(p.LongestPlane, c.words())
	}
	p.shard()
	return p
}

func (c *Class) words() int64 { return c.Blocks * int64(bitslice.Words(c.IndexBits)) }

// digits returns how many binary digits the steps or nimbers of a class are likely to take. If every move marks a
// cell, the empty cells bound the steps. Other boards are estimated from those that were solved.
func (p *Plan) digits(class int) int {
	switch {
	case !p.Steps && !p.Nimbers:
		return 0
	case p.space.Kind != partition.Cyclic:
		return bits.Len(uint(game.Size(p.space.Size).Cells() - class))
	case game.Size(p.space.Size).Cells() < 20:
		return 6
	}
	return 8
}
