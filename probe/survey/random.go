package survey

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"backsolve/game"
	"backsolve/partition"
	"backsolve/probe"
	"backsolve/tablebase"
)

var (
	// ErrNoSuchState: the table has no state that is wanted.
	ErrNoSuchState = errors.New("there is no such state")
	// ErrNoSteps: the table was solved without the steps to the end.
	ErrNoSteps = errors.New("the steps to the end are not known")
)

// Random returns a position with X to move whose state a filter wants, each such
// state of the table's game with the same probability, terminal ones and those
// that play cannot reach included. The error is ErrNoSuchState where there is
// none, ErrNoSteps where steps are wanted that the table does not have, the cause
// of ctx, or that of reading the table.
//
// Where wanted states are rare, a part of the table is read from end to end, which
// takes seconds for a gigabyte.
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
	// What is left of the first draw chooses among the states of the class.
	return pick(ctx, t, i, f, rest, r.IntN(t.Space().Symmetries.Len()))
}

// minDraws is how many states of a class are drawn at least in search of a wanted
// one; drawShift, how many states there are to read for each that is drawn.
const (
	minDraws  = 1 << 12
	drawShift = 14
)

// draw draws states of a class until one is wanted, or until that would take
// longer than reading the class.
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
		p = space.Position(partition.State{
			Class: c.Class, Mask: randomMask(space.MaskBits, c.Class, r), Index: uint32(r.Uint64N(1 << uint(c.IndexBits))),
		})
		if v, err := t.Value(p); err != nil || f.wants(v) {
			return p, err == nil, err
		}
	}
	return p, false, nil
}

// noSteps says that a table has no steps.
func noSteps(t *probe.Table) error {
	return fmt.Errorf("%w: %w", ErrNoSteps, t.NoSteps())
}
