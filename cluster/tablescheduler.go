package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"backsolve/internal/bitslice"
	"backsolve/retro"
)

// Solve implements retro.Scheduler: it has the workers solve the blocks of a class, and write them
// into the table if they can.
func (c *Coordinator) Solve(ctx context.Context, b *retro.Blocks) error {
	s, counts := &c.record.solve, map[group]*retro.StateCounts{}
	err := c.solveGroups(ctx, b, s.groups(c.space, b.Class(), b.Len()), counts)
	if err == nil && c.Writes() {
		err = c.writeClass(ctx, b, counts)
	}
	if err == nil {
		c.solvedClass = b.Class()
	}
	return err
}

// solveGroups has the workers solve groups, and sets their counts if the workers write the table.
func (c *Coordinator) solveGroups(ctx context.Context, b *retro.Blocks, groups []group, counts map[group]*retro.StateCounts) error {
	s := &c.record.solve
	d := newDispatcher(c, subclass{class: b.Class()}, groups)
	d.needs = []subclass{{class: b.Class() + 1}}
	words := bitslice.Words(c.space.IndexBits[b.Class()])
	d.load = func(ctx context.Context, g group, done completion) (accept, revoke func() error, err error) {
		if c.Writes() { // another worker counts them
			if done.Counts == nil {
				return nil, nil, fmt.Errorf("%w: %v have no counts", errWrong, g)
			}
			return func() error {
				counts[g] = done.Counts
				return b.Accept(g.first, g.blocks, done.Counts)
			}, func() error { return b.Drop(g.first, g.blocks, done.Counts) }, nil
		}
		part, err := getPart(ctx, c.o.Store, s, g, words)
		if err == nil {
			err = b.Count(part)
		}
		if errors.Is(err, retro.ErrMiscounted) {
			err = fmt.Errorf("%w: %w", errWrong, err)
		}
		return func() error {
			defer freePart(part)
			return b.Take(part)
		}, func() error { return b.Drop(g.first, g.blocks, done.Counts) }, err
	}
	// putAbove stores a part of the class above.
	putAbove := func(ctx context.Context, g group) error {
		part, err := b.Above(g.first, g.blocks)
		if err == nil {
			err = c.o.Store.Put(ctx, s.object(g), appendPart(nil, s, part))
		}
		return err
	}
	d.restore = func(ctx context.Context, g group, cause error) error {
		c.o.Logf(slog.LevelWarn, "%v; it is written again", cause)
		c.progress.repeat()
		return putAbove(ctx, g)
	}
	return d.run(ctx, func() error {
		if err := c.dropFinished(ctx, b.Class()+2); err != nil {
			return err
		}
		return c.provideAbove(ctx, b.Class()+1, putAbove)
	})
}

// dropFinished deletes the parts of a class from which nothing is made any more. At first an
// earlier coordinator may have left those of more than one.
func (c *Coordinator) dropFinished(ctx context.Context, class int) error {
	for last := class; class <= c.space.MaskBits && (class == last || c.solvedClass < 0); class++ {
		if err := c.forgetGroups(ctx, class); err != nil {
			return err
		}
		if err := c.deleteObjects(ctx, c.record.solve.subclassPrefix(subclass{class: class})); err != nil {
			return err
		}
	}
	return nil
}

// forgetGroups deletes which groups of a finished class are done.
func (c *Coordinator) forgetGroups(ctx context.Context, class int) error {
	return c.conn.retry(ctx, c.o, func(ctx context.Context) (err error) {
		for _, write := range []bool{false, true} {
			err = errors.Join(err, c.conn.purgeKeys(ctx, fmt.Sprintf("%s.%v.>", c.record.solve.ID, subclass{class: class, write: write})))
		}
		return err
	})
}

// provideAbove stores the missing parts of the class above, which a single process may have
// solved, or a cluster with another store. The parts of a class that this coordinator has had
// solved are there.
func (c *Coordinator) provideAbove(ctx context.Context, class int, put func(ctx context.Context, g group) error) error {
	if class > c.space.MaskBits || c.solvedClass == class {
		return nil
	}
	s := &c.record.solve
	stored := map[string]bool{}
	for name, err := range c.o.Store.List(ctx, s.subclassPrefix(subclass{class: class})) {
		if err != nil {
			return err
		}
		stored[name] = true
	}
	for _, g := range s.groups(c.space, class, int(c.progress.blocks[class])) {
		if !stored[s.object(g)] {
			if err := put(ctx, g); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkPart returns why a part cannot be read, or nil.
func (c *Coordinator) checkPart(ctx context.Context, g group) error {
	s := &c.record.solve
	switch {
	case s.Stream:
		_, err := getSlices(ctx, c.o.Store, s, g)
		return err
	case g.shards > 0:
		_, err := getLabels(ctx, c.o.Store, s, g, func(retro.SectionLabels) error { return nil })
		return err
	case s.Shards:
		_, _, err := getSection(ctx, c.o.Store, s, g.class, g.first, s.sectionWords(c.space, c.progress.blocks[g.class], g))
		return err
	}
	part, err := getPart(ctx, c.o.Store, s, g, bitslice.Words(c.space.IndexBits[g.class]))
	if err == nil {
		freePart(part)
	}
	return err
}
