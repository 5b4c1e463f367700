package survey

import (
	"context"
	"math/bits"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/partition"
)

// pick returns a matching state of the i-th class by its number in the whole game, from 0,
// mapped by symmetry g. The images of a stored state have consecutive numbers; over all g,
// each image is returned equally often for each of them.
func pick(ctx context.Context, t *probe.Table, i int, f Filter, number uint64, g int) (game.Position, error) {
	c := t.Stored().Classes()[i]
	var state *partition.State
	err := eachRun(ctx, t, i, 1, t.Stored().Planes, func(r *run) (more bool, err error) {
		for b, mask := range r.masks {
			times, err := images(t, c.Class, mask)
			if err != nil {
				return false, err
			}
			index, passed, found := nth(r, b, f, number/times)
			if found {
				state = &partition.State{Class: c.Class, Mask: mask, Index: index}
				return false, nil
			}
			number -= passed * times
		}
		return true, nil
	})
	if err != nil {
		return game.Position{}, err
	}
	if state == nil {
		return game.Position{}, damaged(t, "class %d counts more states of %v than it has", c.Class, f)
	}
	space := t.Space()
	mapped := partition.State{
		Class: c.Class, Mask: space.Symmetries.Image(g, state.Mask), Index: space.Carry(state.Mask, state.Index, g),
	}
	return space.Position(mapped), nil
}

// nth returns the n-th matching state of the b-th block of a run, or the number of all if
// there are not more than n.
func nth(r *run, b int, f Filter, n uint64) (index uint32, passed uint64, found bool) {
	words := r.class.Words()
	for w := range words {
		these := f.word(r, b*words+w)
		here := uint64(bits.OnesCount64(these))
		if n < passed+here {
			for ; passed < n; passed++ {
				these &= these - 1
			}
			return uint32(w*64 + bits.TrailingZeros64(these)), 0, true
		}
		passed += here
	}
	return 0, passed, false
}
