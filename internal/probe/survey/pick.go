package survey

import (
	"context"

	"backsolve/game"
)

// pick returns a matching state of a class by its number in the whole game, from 0, mapped by a
// symmetry. The images of a stored state have consecutive numbers; over all symmetries, each image
// is returned equally often for each of them.
func pick(ctx context.Context, t Table, class int, f Filter, number uint64, symmetry int) (s game.State, err error) {
	src := sourceOf(t)
	err = src.scan(ctx, class, 1, func(r run) (more bool, err error) {
		for b := range r.blocks() {
			times, err := r.times(b)
			if err != nil {
				return false, err
			}
			index, passed, found := r.nth(b, f, number/times)
			if found {
				s, err = r.state(b, index, symmetry)
				return false, err
			}
			number -= passed * times
		}
		return true, nil
	})
	if err == nil && s == nil {
		err = damaged(t, "class %d counts more states of %v than it has", src.classes()[class].Class, f)
	}
	return s, err
}
