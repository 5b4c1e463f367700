package survey

import (
	"math/rand/v2"

	"backsolve/game"
	"backsolve/partition"
	"backsolve/probe"
)

// Missed returns the probability that a check of random blocks finds no wrong one, as all wrong
// ones are among the others. Of n blocks, of which k are checked and w are wrong, it is
// C(n−w, k) / C(n, k), the product of (n−k−i) / (n−i) for i from 0 to w−1.
//
// A block is wrong if a value in it is not what the rules make of the stored values after it.
// A table with steps that has a wrong value has a wrong block, whatever else was changed to
// fit; perhaps only one.
func Missed(blocks, checked, wrong uint64) float64 {
	p := 1.0
	for i := range wrong {
		if checked+i >= blocks {
			return 0
		}
		p *= float64(blocks-checked-i) / float64(blocks-i)
	}
	return p
}

// blockPart is a part of a block: the states from an index on, to another.
type blockPart struct {
	class      int
	mask       uint64
	first, end uint32
}

// randomBlocks returns random blocks of a table, all different, in parts of at most sampleTask
// states, in the order of the table. all is the number of blocks of the table.
func randomBlocks(t *probe.Table, n, seed uint64) (parts []blockPart, states, all uint64, err error) {
	classes := t.Stored().Classes()
	for _, c := range classes {
		all += uint64(c.Blocks)
	}
	// Of the blocks left, n are still to be taken, each with the same chance (Knuth's algorithm S).
	r, left := rand.New(rand.NewPCG(seed, 0)), all
	for i, c := range classes {
		var masks []uint64
		for block := range c.Blocks {
			left--
			if n == 0 || r.Uint64N(left+1) >= n {
				continue
			}
			n--
			if masks == nil {
				if masks, err = t.Stored().Masks(i); err != nil {
					return nil, 0, 0, err
				}
			}
			for first := uint64(0); first < 1<<uint(c.IndexBits); first += sampleTask {
				end := min(first+sampleTask, 1<<uint(c.IndexBits))
				parts = append(parts, blockPart{c.Class, masks[block], uint32(first), uint32(end)})
				states += end - first
			}
		}
	}
	return parts, states, all, nil
}

// each calls do for the states of the part.
func (p blockPart) each(space *partition.Space, do func(p game.Position) error) error {
	for i := p.first; i < p.end; i++ {
		if err := do(space.Position(partition.State{Class: p.class, Mask: p.mask, Index: i})); err != nil {
			return err
		}
	}
	return nil
}
