package survey

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"backsolve/game"
	"backsolve/internal/probe"
)

var (
	// ErrNoSuchState: no state of the table matches.
	ErrNoSuchState = errors.New("there is no such state")
	// ErrNoSteps: the table was solved without the steps to the end.
	ErrNoSteps = errors.New("the steps to the end are not known")
)

// Random returns a state, uniform over all that match: of the whole game with X to move, terminal and unreachable
// ones included, or of the stored single positions. If few match, it reads a class, in seconds for a gigabyte. The
// error is ErrNoSuchState, ErrNoSteps, the cause of ctx, or that of reading.
func Random(ctx context.Context, t Table, f Filter, r *rand.Rand) (game.State, error) {
	if f.Steps != nil && !t.HasSteps() {
		return nil, fmt.Errorf("%w: %w", ErrNoSteps, t.NoSteps())
	}
	src := sourceOf(t)
	classes := src.classes()
	var total uint64
	for _, c := range classes {
		total += f.count(c)
	}
	if total == 0 {
		return nil, fmt.Errorf("%w: %s has none of %v", ErrNoSuchState, t.Board(), f)
	}
	class, rest := 0, r.Uint64N(total)
	for ; rest >= f.count(classes[class]); class++ {
		rest -= f.count(classes[class])
	}
	if s, err := draw(ctx, src, class, f, r); err != nil || s != nil {
		return s, err
	}
	// The remainder chooses among the states of the class.
	return pick(ctx, t, class, f, rest, r.IntN(src.symmetries()))
}

// RandomOpen returns states that are not over, as Random with its errors.
func RandomOpen(ctx context.Context, t *probe.Sparse, states int, r *rand.Rand) (all []game.State, err error) {
	for len(all) < states {
		s, err := Random(ctx, t, Filter{}, r)
		if err != nil {
			return nil, err
		}
		if _, over := t.Rules.Terminal(s); !over {
			all = append(all, s)
		}
	}
	return all, nil
}

// draw tries minDraws states and one more for each 1<<drawShift stored ones.
const (
	minDraws  = 1 << 12
	drawShift = 14
)

// draw draws states of a class until one matches. It returns nil where reading the class is faster.
func draw(ctx context.Context, src source, class int, f Filter, r *rand.Rand) (game.State, error) {
	c := src.classes()[class]
	draws := max(minDraws, storedStates(c)>>drawShift)
	if all := (Filter{}).count(c); f.count(c) < all/draws {
		return nil, nil
	}
	for i := range draws {
		if i%minDraws == 0 && ctx.Err() != nil {
			break // reading the class says why
		}
		s, err := src.random(class, -1, r)
		if err != nil {
			return nil, err
		}
		if v, err := src.value(s); err != nil || f.matches(v) {
			return s, err
		}
	}
	return nil, nil
}

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
		err = t.File().Damaged("class %d counts more states of %v than it has", src.classes()[class].Class, f)
	}
	return s, err
}
