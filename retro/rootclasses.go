package retro

import (
	"context"

	"backsolve/game"
	"backsolve/partition"
	"backsolve/retro/internal/work"
)

// RootClasses are the last two classes of a solve in memory from the fullest class down. They
// have the value of every position in the last class and of its children. They must be closed.
type RootClasses struct {
	cut    *partition.Cut
	ledger *work.Ledger
	levels [2]*level // the last class and the one above, nil for the fullest class
	steps  bool
}

// SolveRootClasses solves a space in memory, from its fullest class down to the given one. It
// writes no table and counts no states. When ctx ends, it returns its cause. A *MemoryError
// says that the limit is too small.
func SolveRootClasses(ctx context.Context, space *partition.Space, class int, o Options) (*RootClasses, error) {
	o = o.WithDefaults()
	o.DownTo = class
	e := newEngine(space, o, standard)
	e.uncounted = true
	e.ledger.Dirty = space.Kind == partition.FixedSlice // every word of a plane is written before it is read
	roots := &RootClasses{ledger: e.ledger, steps: o.Steps}
	if err := e.descend(ctx, space, roots); err != nil {
		roots.Close()
		return nil, err
	}
	return roots, nil
}

// descend solves the classes down to the last. It does not count them, so no counts are checked.
func (e *engine) descend(ctx context.Context, space *partition.Space, roots *RootClasses) error {
	err := e.begin(ctx, space)
	if roots.cut = e.cut; err != nil {
		return err
	}
	for class := e.cut.MaskBits; class >= e.o.DownTo; class-- {
		roots.levels[1].free()
		l, _, err := e.solveClass(class)
		if err != nil {
			return err
		}
		roots.levels = [2]*level{l, e.previous}
		e.previous = l
		e.before += e.cut.Class(class).States()
	}
	return nil
}

// Lookup returns the outcome of a position of the last two classes for the player to move,
// and the steps to the end: −1 for a draw, and where the solve had no steps.
func (l *RootClasses) Lookup(p game.Position) (outcome game.Outcome, steps int) {
	class, block, index := l.cut.Find(p)
	at := l.levels[class-l.levels[0].class.Class]
	word, bit := block*at.words+int(index>>6), index&63
	has := func(plane []uint64) bool { return plane[word]>>bit&1 == 1 }
	switch {
	case has(at.win):
		outcome = game.Win
	case at.lose == nil || has(at.lose):
		outcome = game.Lose
	default:
		return game.Draw, -1
	}
	if !l.steps {
		return outcome, -1
	}
	return outcome, at.stepsOf(word, bit, outcome)
}

// Memory returns the peak of the reserved memory in bytes.
func (l *RootClasses) Memory() int64 { return l.ledger.Top() }

// Close frees the memory.
func (l *RootClasses) Close() {
	if l.cut != nil {
		l.cut.Free()
	}
	l.ledger.Close()
}
