package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"

	"backsolve/bitslice"
	"backsolve/game"
	"backsolve/partition"
	"backsolve/tablebase"
)

var (
	// ErrNoSuchState: the table has no state of the kind asked for.
	ErrNoSuchState = errors.New("there is no such state")
	// ErrNoSteps: the table was solved without the steps to the end.
	ErrNoSteps = errors.New("the steps to the end are not known")
)

// Kind says which states are wanted; the zero value wants any.
type Kind struct {
	Outcome *game.Outcome // nil for any
	Steps   *int          // to the end, nil for any
}

// String returns the kind in words: win in 21, lose, any outcome in 3.
func (k Kind) String() string {
	text := "any outcome"
	if k.Outcome != nil {
		text = k.Outcome.String()
	}
	if k.Steps != nil {
		text += fmt.Sprintf(" in %d", *k.Steps)
	}
	return text
}

// has says whether a value is of the kind.
func (k Kind) has(v Value) bool {
	return (k.Outcome == nil || *k.Outcome == v.Outcome) && (k.Steps == nil || v.Steps >= 0 && *k.Steps == v.Steps)
}

// count returns the number of states of the kind, of the whole game, in a class.
func (k Kind) count(c tablebase.ClassInfo) uint64 {
	var wins, losses, draws uint64
	if k.Steps == nil {
		for _, t := range c.Counts.ByWeight {
			wins, losses, draws = wins+t.Wins, losses+t.Losses, draws+t.Draws
		}
	} else if steps := *k.Steps; steps >= 0 && steps < len(c.Counts.BySteps) {
		wins, losses = c.Counts.BySteps[steps].Wins, c.Counts.BySteps[steps].Losses
	}
	switch {
	case k.Outcome == nil:
		return wins + losses + draws
	case *k.Outcome == game.Win:
		return wins
	case *k.Outcome == game.Lose:
		return losses
	}
	return draws
}

// in returns the states of the kind of a word.
func (k Kind) in(planes *tablebase.Planes, w, indexBits int) uint64 {
	win, lose := planes.Win[w], lost(planes, w, indexBits)
	var these uint64
	switch {
	case k.Outcome == nil && k.Steps != nil:
		these = win | lose
	case k.Outcome == nil:
		these = bitslice.Valid(indexBits)
	case *k.Outcome == game.Win:
		these = win
	case *k.Outcome == game.Lose:
		these = lose
	case k.Steps == nil: // a draw has no steps
		these = bitslice.Valid(indexBits) &^ (win | lose)
	}
	if k.Steps != nil {
		these &= bitslice.Numbers(planes.Steps).Equal(w, *k.Steps)
	}
	return these
}

// RandomOf returns a position with X to move whose state is of a kind, each such
// state of the table's game with the same probability, terminal ones and those
// that play cannot reach included. The error is ErrNoSuchState where there is
// none, ErrNoSteps where steps are wanted that the table does not have, the cause
// of ctx, or that of reading the table.
//
// Where the kind is rare, a part of the table is read from end to end, which
// takes seconds for a gigabyte.
func (t *Table) RandomOf(ctx context.Context, k Kind, r *rand.Rand) (game.Position, error) {
	if k.Steps != nil && !t.HasSteps() {
		return game.Position{}, fmt.Errorf("%w: the table of %s was solved without them; solve it again with: %s",
			ErrNoSteps, t.Board(), t.StepsCommand())
	}
	classes := t.stored.Classes()
	var total uint64
	for _, c := range classes {
		total += k.count(c)
	}
	if total == 0 {
		return game.Position{}, fmt.Errorf("%w: %s has none of %v", ErrNoSuchState, t.Board(), k)
	}
	i, rest := 0, r.Uint64N(total)
	for ; rest >= k.count(classes[i]); i++ {
		rest -= k.count(classes[i])
	}
	p, found, err := t.draw(ctx, classes[i], k, r)
	if err != nil || found {
		return p, err
	}
	// What is left of the first draw chooses among the states of the class.
	return t.pick(ctx, i, k, rest, r.IntN(t.space.Symmetries.Len()))
}

// minDraws is how many states of a class are drawn at least in search of one of
// a kind; drawShift, how many states there are to read for each that is drawn.
const (
	minDraws  = 1 << 12
	drawShift = 14
)

// draw draws states of a class until one is of the kind, or until that would
// take longer than reading the class.
func (t *Table) draw(ctx context.Context, c tablebase.ClassInfo, k Kind, r *rand.Rand) (p game.Position, found bool, err error) {
	draws := max(minDraws, storedStates(c)>>drawShift)
	if all := (Kind{}).count(c); k.count(c) < all/draws {
		return p, false, nil
	}
	for i := range draws {
		if i%minDraws == 0 && ctx.Err() != nil {
			return p, false, context.Cause(ctx)
		}
		p = t.space.Position(partition.State{
			Class: c.Class, Mask: randomMask(t.space.MaskBits, c.Class, r), Index: uint32(r.Uint64N(1 << uint(c.IndexBits))),
		})
		if v, err := t.value(p); err != nil || k.has(v) {
			return p, err == nil, err
		}
	}
	return p, false, nil
}

// randomMask returns one of the masks of n bits of which so many are set, each
// with the same probability (Floyd's algorithm).
func randomMask(n, set int, r *rand.Rand) (mask uint64) {
	for i := n - set; i < n; i++ {
		bit := uint64(1) << uint(r.IntN(i+1))
		if mask&bit != 0 {
			bit = 1 << uint(i)
		}
		mask |= bit
	}
	return mask
}

// pick returns the state of a kind with a number, counted in the whole game from
// 0 on, of the i-th class, carried by symmetry g. The images of a stored state
// stand side by side, so they have numbers of their own, but any of them is
// returned for these: over all g, each the same number of times.
func (t *Table) pick(ctx context.Context, i int, k Kind, number uint64, g int) (game.Position, error) {
	c := t.stored.Classes()[i]
	masks, err := t.stored.Masks(i)
	if err != nil {
		return game.Position{}, err
	}
	var state *partition.State
	var wrong error
	err = t.eachRun(ctx, i, func(first int, planes *tablebase.Planes) bool {
		for b := range len(planes.Win) / c.Words() {
			mask := masks[first+b]
			var times uint64
			if times, wrong = t.images(c.Class, mask); wrong != nil {
				return false
			}
			index, passed, found := nth(c, planes, b, k, number/times)
			if found {
				state = &partition.State{Class: c.Class, Mask: mask, Index: index}
				return false
			}
			number -= passed * times
		}
		return true
	})
	if err = cmp.Or(err, wrong); err != nil {
		return game.Position{}, err
	}
	if state == nil {
		return game.Position{}, t.damaged("class %d counts more states of %v than it has", c.Class, k)
	}
	carried := partition.State{
		Class: c.Class, Mask: t.space.Symmetries.Image(g, state.Mask), Index: t.space.Carry(state.Mask, state.Index, g),
	}
	return t.space.Position(carried), nil
}

// lost returns the lost states of a word.
func lost(planes *tablebase.Planes, w, indexBits int) uint64 {
	if planes.Lose != nil {
		return planes.Lose[w]
	}
	return ^planes.Win[w] & bitslice.Valid(indexBits)
}

// nth returns the n-th state of a kind of the b-th block of a run, or how many
// there are if it has no more than n.
func nth(c tablebase.ClassInfo, planes *tablebase.Planes, b int, k Kind, n uint64) (index uint32, passed uint64, found bool) {
	for w := range c.Words() {
		these := k.in(planes, b*c.Words()+w, c.IndexBits)
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
