package survey

import (
	"context"
	"math/bits"

	"backsolve/game"
	"backsolve/partition"
	"backsolve/probe"
)

// pick returns the wanted state with a number, counted in the whole game from 0
// on, of the i-th class, carried by symmetry g. The images of a stored state
// stand side by side, so they have numbers of their own, but any of them is
// returned for these: over all g, each the same number of times.
func pick(ctx context.Context, t *probe.Table, i int, f Filter, number uint64, g int) (game.Position, error) {
	c := t.Stored().Classes()[i]
	var state *partition.State
	err := eachRun(ctx, t, i, func(r *run) (more bool, err error) {
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
	carried := partition.State{
		Class: c.Class, Mask: space.Symmetries.Image(g, state.Mask), Index: space.Carry(state.Mask, state.Index, g),
	}
	return space.Position(carried), nil
}

// nth returns the n-th wanted state of the b-th block of a run, or how many there
// are if it has no more than n.
func nth(r *run, b int, f Filter, n uint64) (index uint32, passed uint64, found bool) {
	words := r.class.Words()
	for w := range words {
		these := f.in(r, b*words+w)
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
