package survey

import (
	"context"
	"math/rand/v2"
	"slices"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/partition"
	"backsolve/tablebase"
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

// block is a block of a table.
type block struct {
	class tablebase.ClassInfo
	mask  uint64
}

// randomBlocks returns random blocks of a table, all different, in the order of the table. all is
// the number of blocks of the table.
func randomBlocks(t *probe.Table, n, seed uint64) (blocks []block, states, all uint64, err error) {
	classes := t.Stored().Classes()
	for _, c := range classes {
		all += uint64(c.Blocks)
	}
	// Of the blocks left, n are still to be taken, each with the same chance (Knuth's algorithm S).
	r, left := rand.New(rand.NewPCG(seed, 0)), all
	for i, c := range classes {
		var masks []uint64
		for b := range c.Blocks {
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
			blocks = append(blocks, block{c, masks[b]})
			states += 1 << uint(c.IndexBits)
		}
	}
	return blocks, states, all, nil
}

// derive derives the states of the block.
func (b block) derive(ctx context.Context, v *verification) error {
	near := &nearBlocks{table: v.table, blocks: map[uint64]*nearBlock{}}
	d := newDeriver(v.table, near.value)
	for first, all := uint64(0), uint64(1)<<uint(b.class.IndexBits); first < all && ctx.Err() == nil; first += sampleTask {
		end := min(first+sampleTask, all)
		for i := first; i < end; i++ {
			position := v.table.Space().Position(partition.State{Class: b.class.Class, Mask: b.mask, Index: uint32(i)})
			stored, err := near.value(position)
			if err == nil {
				_, _, err = v.compareState(d, position, stored)
			}
			if err != nil {
				return err
			}
		}
		v.addDerived(end-first, v.wanted)
	}
	return nil
}

// nearBlocks looks up the states of a block and of the few to which its moves lead.
type nearBlocks struct {
	table  *probe.Table
	blocks map[uint64]*nearBlock // by mask, not made canonical
}

// nearBlock is the block of a mask, which a symmetry makes canonical.
type nearBlock struct {
	planes   tablebase.Planes
	words    int // of a slice
	symmetry int
}

// value returns the stored value of a position.
func (n *nearBlocks) value(p game.Position) (v probe.Value, err error) {
	space := n.table.Space()
	mask, index := space.Raw(p)
	b := n.blocks[mask]
	if b == nil {
		if b, err = n.load(p, mask); err != nil {
			return v, err
		}
		n.blocks[mask] = b
	}
	return valueIn(n.table, &b.planes, b.words, 0, space.Carry(mask, index, b.symmetry)), nil
}

// load reads the block of a position.
func (n *nearBlocks) load(p game.Position, mask uint64) (*nearBlock, error) {
	place, err := n.table.Place(p)
	if err != nil {
		return nil, err
	}
	stored := n.table.Stored()
	i := slices.IndexFunc(stored.Classes(), func(c tablebase.ClassInfo) bool { return c.Class == place.Class })
	b := &nearBlock{words: stored.Classes()[i].Words()}
	_, b.symmetry = n.table.Space().Symmetries.Canonical(mask)
	b.planes, err = stored.Block(i, place.Block)
	return b, err
}
