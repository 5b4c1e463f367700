package survey

import (
	"context"
	"iter"
	"math/rand/v2"
	"slices"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/partition"
	"backsolve/tablebase"
)

// Missed returns the probability that a check of k random blocks of n finds none of w wrong ones:
// C(n−w, k) / C(n, k), the product of (n−k−i) / (n−i) for i from 0 to w−1.
//
// A block is wrong if a value in it is not what the rules make of the stored values after it. A table with steps
// and a wrong value has a wrong block, perhaps only one, whatever else was changed to fit.
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

// deriveBlocks derives the states of random blocks, all different, in the order of the table.
func (v *verification) deriveBlocks(ctx context.Context) error {
	classes, n := v.source.classes(), v.options.Blocks
	blocksIn := func(class int) uint64 {
		states := v.source.blockStates(class)
		return (storedStates(classes[class]) + states - 1) / states
	}
	for class := range classes {
		v.result.AllBlocks += blocksIn(class)
	}
	// Of the blocks left, n are still to be taken, each with the same chance (Knuth's algorithm S).
	r, left := rand.New(rand.NewPCG(v.options.Seed, 0)), v.result.AllBlocks
	chosen := make([][]uint64, len(classes))
	for class, c := range classes {
		states := v.source.blockStates(class)
		for b := range blocksIn(class) {
			left--
			if n > 0 && r.Uint64N(left+1) < n {
				n--
				chosen[class] = append(chosen[class], b)
				v.result.Blocks++
				v.wanted += min(states, storedStates(c)-b*states)
			}
		}
	}
	for class, blocks := range chosen {
		if len(blocks) == 0 {
			continue
		}
		derive, err := v.source.deriveBlock(v, class)
		if err != nil {
			return err
		}
		err = eachTask(ctx, v.options.Threads, uint64(len(blocks)), func(tasks iter.Seq[uint64]) error {
			for i := range tasks {
				if err := derive(ctx, blocks[i]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (g grid) deriveBlock(v *verification, class int) (func(ctx context.Context, block uint64) error, error) {
	masks, err := g.table.Stored().Masks(class)
	return func(ctx context.Context, block uint64) error { return g.deriveStates(ctx, v, class, masks[block]) }, err
}

func (g grid) deriveStates(ctx context.Context, v *verification, class int, mask uint64) error {
	near := &nearBlocks{table: g.table, blocks: map[uint64]*nearBlock{}}
	d := newDeriver(g.table, near.value)
	number, all := g.class(class), g.blockStates(class)
	for first := uint64(0); first < all && ctx.Err() == nil; first += sampleTask {
		end := min(first+sampleTask, all)
		for i := first; i < end; i++ {
			position := g.table.Space().Position(partition.State{Class: number, Mask: mask, Index: uint32(i)})
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

func (n *nearBlocks) value(p game.Position) (v probe.Value, err error) {
	space := n.table.Space()
	mask := space.Mask(p)
	b := n.blocks[mask]
	if b == nil {
		if b, err = n.load(p, mask); err != nil {
			return v, err
		}
		n.blocks[mask] = b
	}
	return valueIn(n.table, &b.planes, b.words, 0, space.Under(p, mask, b.symmetry).Index), nil
}

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
