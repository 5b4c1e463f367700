package survey

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/tablebase"
)

var (
	// ErrNoSuchState: no state of the table matches.
	ErrNoSuchState = errors.New("there is no such state")
	// ErrNoSteps: the table was solved without the steps to the end.
	ErrNoSteps = errors.New("the steps to the end are not known")
)

// Random returns a position with X to move that matches a filter, uniform over all matching
// states of the game, also terminal and unreachable ones. The error is ErrNoSuchState if
// none matches, ErrNoSteps if the filter needs steps that the table lacks, the cause of ctx,
// or that of reading the table.
//
// If matching states are rare, it reads a class from end to end, which takes seconds for a
// gigabyte.
func Random(ctx context.Context, t *probe.Table, f Filter, r *rand.Rand) (game.Position, error) {
	if f.Steps != nil && !t.HasSteps() {
		return game.Position{}, noSteps(t)
	}
	classes := t.Stored().Classes()
	var total uint64
	for _, c := range classes {
		total += f.count(c)
	}
	if total == 0 {
		return game.Position{}, fmt.Errorf("%w: %s has none of %v", ErrNoSuchState, t.Board(), f)
	}
	i, rest := 0, r.Uint64N(total)
	for ; rest >= f.count(classes[i]); i++ {
		rest -= f.count(classes[i])
	}
	p, found, err := draw(ctx, t, classes[i], f, r)
	if err != nil || found {
		return p, err
	}
	// The remainder chooses among the states of the class.
	return pick(ctx, t, i, f, rest, r.IntN(t.Space().Symmetries.Len()))
}

// minDraws is the least number of states that draw tries, and 1<<drawShift the number of
// stored states for each further try.
const (
	minDraws  = 1 << 12
	drawShift = 14
)

// draw draws states of a class until one matches, or until reading the class is faster.
func draw(ctx context.Context, t *probe.Table, c tablebase.ClassInfo, f Filter, r *rand.Rand) (p game.Position, found bool, err error) {
	draws := max(minDraws, storedStates(c)>>drawShift)
	if all := (Filter{}).count(c); f.count(c) < all/draws {
		return p, false, nil
	}
	space := t.Space()
	for i := range draws {
		if i%minDraws == 0 && ctx.Err() != nil {
			return p, false, context.Cause(ctx)
		}
		p = randomOf(space, c.Class, r)
		if v, err := t.Value(p); err != nil || f.matches(v) {
			return p, err == nil, err
		}
	}
	return p, false, nil
}

// noSteps returns the error of a table without steps.
func noSteps(t *probe.Table) error {
	return fmt.Errorf("%w: %w", ErrNoSteps, t.NoSteps())
}
