package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"backsolve/cluster/store"
	"backsolve/internal/bitslice"
	"backsolve/retro"
	"backsolve/tablebase/format"
)

// Workers write a solved class into the table themselves, if its file is in the directory of the
// store, all are on one machine, or the table is to be in the bucket of the store. What one has written another reads back and counts. Of the class
// only its counts and checksums reach the coordinator.

// fileOfTable returns how workers name the file of the table, "" if they cannot open it.
func fileOfTable(o *Options) string {
	if o.Pieces != nil {
		return o.Pieces.Name()
	}
	files, shared := o.Store.(store.Files)
	if o.Table == "" || !shared {
		return ""
	}
	if name := files.Locate(o.Table); name != "" || !o.Own {
		return name
	}
	return o.Table
}

// Writes reports whether the workers write the table. The solve needs Options.WrittenElsewhere then.
func (c *Coordinator) Writes() bool { return c.table != "" }

// lostPart is why a class cannot be written: a part of it is lost, and must be solved again.
type lostPart struct {
	group
	error
}

// writeClass has the workers write the solved class of b, whose groups have these counts.
func (c *Coordinator) writeClass(ctx context.Context, b *retro.Blocks, counts map[group]*retro.StateCounts) error {
	parts, err := b.Layout()
	if err != nil {
		return err
	}
	s := &c.record.solve
	sub := subclass{class: b.Class(), write: true}
	words := int64(bitslice.Words(c.space.IndexBits[sub.class]))
	var groups []group
	var lengths []int64
	for _, g := range s.groups(c.space, sub.class, b.Len()) {
		g.subclass = sub
		groups, lengths = append(groups, g), append(lengths, int64(g.blocks)*words)
	}
	for attempts := 1; ; attempts++ {
		stretches, err := c.writeGroups(ctx, parts, groups, counts)
		var lost *lostPart
		if errors.As(err, &lost) && attempts < maxAttempts {
			if err = b.Drop(lost.first, lost.blocks, counts[lost.group]); err == nil {
				err = c.solveAgain(ctx, b, lost.group, counts)
			}
			if err == nil {
				continue
			}
		}
		if err == nil {
			err = b.Written(lengths, sumsOf(stretches))
		}
		return err
	}
}

// sumsOf returns the checksums of successive stretches, for each part.
func sumsOf(stretches []*stretch) [][]uint32 {
	sums := make([][]uint32, format.Masks)
	for _, s := range stretches {
		for i, of := range s.Sums {
			sums[i] = append(sums[i], of...)
		}
	}
	return sums
}

// writeGroups has the workers write groups, and returns what they have written. The error may be a
// *lostPart.
func (c *Coordinator) writeGroups(ctx context.Context, parts []format.Part, groups []group, counts map[group]*retro.StateCounts) ([]*stretch, error) {
	solved := func(g group) group {
		return group{subclass: subclass{class: g.class}, first: g.first, blocks: g.blocks}
	}
	stretches := make([]*stretch, len(groups))
	d := newDispatcher(c, groups[0].subclass, groups)
	d.parts, d.needs = parts, []subclass{{class: groups[0].class}}
	d.load = func(_ context.Context, g group, done completion) (accept, revoke func() error, err error) {
		at := slices.Index(groups, g)
		if err = d.checkWritten(g, done); err == nil && !done.Counts.Equal(counts[solved(g)]) {
			err = fmt.Errorf("%w: %v, written into the table", errWrong, g)
		}
		return func() error { stretches[at] = done.Stretch; return nil }, nil, err
	}
	d.restore = func(_ context.Context, g group, cause error) error { return &permanentError{&lostPart{g, cause}} }
	err := d.run(ctx, func() error { return nil })
	return stretches, err
}

// checkWritten returns an error if a task has not written into the table for this coordinator.
func (d *dispatcher) checkWritten(g group, done completion) error {
	switch {
	case done.Stretch == nil || len(done.Stretch.Sums) != len(d.parts) || done.Counts == nil:
		return fmt.Errorf("%w: %v, written into the table", errWrong, g)
	case done.Stretch.Attempt != d.c.attempt:
		return fmt.Errorf("%w: %v were written for an earlier coordinator", errObject, g)
	}
	return nil
}

// solveAgain has the workers solve a group of the class of b again.
func (c *Coordinator) solveAgain(ctx context.Context, b *retro.Blocks, g group, counts map[group]*retro.StateCounts) error {
	c.progress.repeat()
	s, check := &c.record.solve, g
	check.check = true
	err := c.conn.retry(ctx, c.o, func(ctx context.Context) error {
		tasks := s.taskSubjects(subclass{class: g.class, write: true}) // they fail until then
		return errors.Join(c.conn.purge(ctx, stateStream, stateSubject+s.doneKey(g)), c.conn.purge(ctx, stateStream, stateSubject+s.doneKey(check)), c.conn.purge(ctx, taskStream, tasks))
	})
	if err != nil {
		return err
	}
	return c.solveGroups(ctx, b, []group{g}, counts)
}
