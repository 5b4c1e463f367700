package cluster

import (
	"context"
	"fmt"
	"os"

	"golang.org/x/sync/errgroup"

	"backsolve/cluster/store"
	"backsolve/internal/durable"
	"backsolve/tablebase/format"
)

// A solved class is written into the file of the table by the workers, if that is in the directory of the
// store, all are on one machine, or the table is to be in the bucket of the store. What one has written
// another reads back and counts. Otherwise the coordinator writes what it reads in the store. Either way
// it has the counts and checksums of a class alone in memory.

// layout returns where the class is to be written, and decides who does.
func (s *tableScheduler) layout(numbers int) (parts []format.Part, err error) {
	c, o := s.c, &s.c.o
	parts, c.file, err = s.class.Layout(numbers)
	switch c.table = o.Store.Locate(c.file); {
	case o.Pieces != nil:
		c.table = o.Pieces.Name()
	case c.table == "" && o.Own && o.Table == c.file:
		c.table = c.file
	}
	return parts, err
}

// writeHere writes the solved shards into the table, and reads them back. The error may be a *lostObject.
func (s *tableScheduler) writeHere(ctx context.Context, d *dispatcher) error {
	f, err := durable.Open(s.c.file, os.O_RDWR)
	if err != nil {
		return err
	}
	defer f.Close()
	writing, ctx := errgroup.WithContext(ctx)
	writing.SetLimit(loaders)
	if s.shards != nil {
		writing.SetLimit(1) // sections are long
	}
	j := &job{contents: *s.c.contents(), worker: &worker{id: coordinatorKey}}
	for _, t := range d.tasks[:d.shards] {
		message := task{shard: t.shard, Parts: d.parts}
		writing.Go(func() error {
			err := s.c.retryStore(ctx, func(ctx context.Context) error {
				put, err := j.write(ctx, f, message)
				t.completion.Stretch = put.Stretch
				return err
			})
			if isUnusable(err) {
				return &lostObject{t.shard, err}
			}
			var found *stretch
			if err == nil {
				found, _, err = j.readBack(f, message)
			}
			if err == nil && !found.equal(t.completion.Stretch) {
				err = fmt.Errorf("cannot write the table: %s differs from what was written there; check the disk, and solve again", s.c.file)
			}
			return store.FullError(err, s.c.file)
		})
	}
	return writing.Wait()
}

// written gives the class the counts of its states, and the checksums of what the workers or the coordinator
// have written of its shards.
func (s *tableScheduler) written(ctx context.Context, d *dispatcher) error {
	if s.c.table == "" {
		if err := s.writeHere(ctx, d); err != nil {
			return err
		}
	}
	var words []int64
	sums := make([][]uint32, format.Masks)
	for _, t := range d.tasks[:d.shards] {
		for _, u := range s.c.contents().units(t.shard) {
			words = append(words, u.words)
		}
		to := t.completion.Stretch
		for part := range to.Sums {
			sums[part] = append(sums[part], to.sums(part)...)
		}
	}
	return s.class.Written(d.counts(), words, sums)
}
