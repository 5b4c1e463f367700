package cluster

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"backsolve/partition"
	"backsolve/retro"
	"backsolve/tablebase/format"
)

// shardRunner takes the turns of shards. It is a retro.ShardSource, which reads from the store.
type shardRunner struct {
	job    *job
	worker *retro.ShardWorker
	ctx    context.Context // of the task in work
	class  int             // of that
	shards int
	blocks []int64 // by class
}

func newShardRunner(ctx context.Context, j *job) (*shardRunner, error) {
	o := j.solve.options()
	o.Threads, o.Memory, o.LogPath = j.o.Threads, j.o.Memory, filepath.Join(os.TempDir(), "backsolve")
	r := &shardRunner{job: j, blocks: partition.BlockCounts(j.space)}
	var err error
	r.worker, err = retro.NewShardWorker(ctx, j.space, o, r)
	return r, err
}

// prefetches implements taskRunner. A turn takes long, and other workers take other turns.
func (*shardRunner) prefetches() bool { return false }

func (r *shardRunner) close() { r.worker.Close() }

func (r *shardRunner) solve(ctx context.Context, t task) (upload, error) {
	done, err := r.turn(ctx, t, nil)
	return func(context.Context) (completion, error) { return done, nil }, err
}

// write implements tableWriter.
func (r *shardRunner) write(ctx context.Context, f io.WriterAt, t task) (completion, error) {
	return r.turn(ctx, t, f)
}

// turn takes a shard's turn. Outcomes also go into the table, unless that is nil.
func (r *shardRunner) turn(ctx context.Context, t task, table io.WriterAt) (done completion, err error) {
	j, g, before, began := r.job, t.group(), r.job.worker.metrics(), time.Now()
	r.ctx, r.class, r.shards = ctx, g.class, g.shards
	turn := retro.ShardTask{Class: g.class, Shards: g.shards, Shard: g.first, Round: len(t.Labelled)}
	for _, by := range t.Labelled {
		all := make([]bool, g.shards)
		for i := range all {
			all[i] = by>>uint(i)&1 == 1
		}
		turn.Labelled = append(turn.Labelled, all)
	}
	if g.round == sealing {
		if table != nil {
			done.Stretch, done.Counts = &stretch{Attempt: t.Attempt}, new(retro.StateCounts)
		}
		err = r.worker.Seal(turn, func(of *retro.SolvedSection) error {
			size, err := putSection(ctx, j.o.Store, j.solve, g.class, of)
			done.Written += size
			if err == nil && table != nil {
				err = r.writeSection(table, t, of, &done)
			}
			return err
		})
	} else if done.Labelled, done.Until, err = r.worker.Turn(turn); err == nil && done.Labelled {
		to := newLabelsWriter(j.o.Store, j.solve, g)
		err = r.worker.Labels(g.first, g.round, func(l retro.SectionLabels) error { return to.add(ctx, l) })
		if to.head.Last = true; err == nil {
			err = to.put(ctx)
		}
		done.Written = to.bytes
	}
	after := j.worker.metrics()
	done.Read = after.Read - before.Read
	j.worker.set(func(s *WorkerStatus) { s.Solving += time.Since(began).Seconds() - (after.Reading - before.Reading) })
	return done, err
}

// writeSection writes a section into the table.
func (r *shardRunner) writeSection(table io.WriterAt, t task, of *retro.SolvedSection, done *completion) error {
	outcomes, steps, err := r.worker.Columns(of, t.Parts[format.Steps].Columns)
	if err != nil {
		return err
	}
	counts, err := r.worker.CountColumns(t.Class, of.Section, outcomes, steps)
	if err != nil {
		return err
	}
	done.Counts.Add(counts)
	done.Written += 8 * int64(len(of.Win)) * int64(len(outcomes)+len(steps))
	return writeColumns(table, t.Parts, r.firstWord(t.Class, of.Section), done.Stretch, outcomes, steps)
}

// firstWord returns the word of a plane of a class with which a section begins.
func (r *shardRunner) firstWord(class, section int) int64 {
	return int64(section) * r.job.solve.sectionWords(r.job.space, r.blocks[class], sectionOf(class, 0))
}

// readBack implements tableWriter. States that cannot be those of the class have no counts.
func (r *shardRunner) readBack(f io.ReaderAt, t task) (*stretch, *retro.StateCounts, error) {
	defer r.job.worker.spend(time.Now(), &r.job.worker.status.Reading)
	s, counts := &stretch{Attempt: t.Attempt}, new(retro.StateCounts)
	first, end := r.job.solve.shardSections(r.job.space, r.blocks[t.Class], t.group())
	for section := first; section < end; section++ {
		words := r.job.solve.sectionWords(r.job.space, r.blocks[t.Class], sectionOf(t.Class, section))
		columns, err := readColumns(f, t.Parts, r.firstWord(t.Class, section), int(words), s)
		if err == nil {
			r.job.worker.set(func(w *WorkerStatus) {
				w.Read += 8 * words * int64(len(columns[format.Outcomes])+len(columns[format.Steps]))
			})
			var of *retro.StateCounts
			if of, err = r.worker.CountColumns(t.Class, section, columns[format.Outcomes], columns[format.Steps]); err == nil {
				counts.Add(of)
			}
		}
		freeColumns(columns)
		if errors.Is(err, retro.ErrMiscounted) {
			return s, nil, nil
		}
		if err != nil {
			return nil, nil, err
		}
	}
	counts.Trim()
	return s, counts, nil
}

// read reads an object from the store, or has it made again.
func (r *shardRunner) read(g group, read func() (size int64, err error)) error {
	defer r.job.worker.spend(time.Now(), &r.job.worker.status.Reading)
	return r.job.readOrRepair(r.ctx, g, func() error {
		size, err := read()
		if err == nil {
			r.job.worker.set(func(s *WorkerStatus) { s.Read += size })
		}
		return err
	})
}

// Above implements retro.ShardSource.
func (r *shardRunner) Above(section int) (of *retro.SolvedSection, err error) {
	g := sectionOf(r.class+1, section)
	words := r.job.solve.sectionWords(r.job.space, r.blocks[g.class], g)
	err = r.read(g, func() (size int64, err error) {
		of, size, err = getSection(r.ctx, r.job.o.Store, r.job.solve, g.class, section, words)
		return size, err
	})
	return of, err
}

// Labels implements retro.ShardSource.
func (r *shardRunner) Labels(shard, round int, take func(l retro.SectionLabels) error) error {
	g := turnOf(r.class, r.shards, shard, round)
	return r.read(g, func() (int64, error) { return getLabels(r.ctx, r.job.o.Store, r.job.solve, g, take) })
}

// recount and compare do nothing: no turn is checked.
func (*shardRunner) recount(context.Context, group) (*retro.StateCounts, error) { return nil, nil }

func (*shardRunner) compare(context.Context, group, group) (block int, differs bool, err error) {
	return 0, false, nil
}

// discard deletes all of the class: the solve is over.
func (r *shardRunner) discard(ctx context.Context, g group) error {
	for name, err := range r.job.o.Store.List(ctx, r.job.solve.subclassPrefix(subclass{class: g.class})) {
		if err == nil {
			err = r.job.o.Store.Delete(ctx, name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
