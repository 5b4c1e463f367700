package cluster

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"time"

	"backsolve/retro"
	"backsolve/tablebase/format"
)

type shardRunner struct {
	job    *job
	worker *retro.ShardWorker
	ctx    context.Context // of the task in work
	class  int             // of that
	shards int
}

func newShardRunner(ctx context.Context, j *job) (runner, error) {
	o := j.solve.options()
	o.Threads, o.Memory, o.LogPath = j.o.Threads, j.o.Memory, filepath.Join(os.TempDir(), "backsolve")
	r := &shardRunner{job: j}
	var err error
	r.worker, err = retro.NewShardWorker(ctx, j.space, o, retro.ShardSource{Above: r.above, Labels: r.labels})
	if err != nil {
		return runner{}, err
	}
	solve := func(ctx context.Context, t task) (upload, error) {
		done, err := r.turn(ctx, t, nil)
		return done.ready(), err
	}
	count := func(u unit, outcomes, numbers [][]uint64) (*retro.StateCounts, error) {
		return r.worker.CountColumns(u.Class, u.First, outcomes, numbers)
	}
	return runner{solve: solve, write: r.turn, count: count, close: r.worker.Close}, nil
}

// turn takes a shard's turn. Outcomes also go into the table, unless that is nil.
func (r *shardRunner) turn(ctx context.Context, t task, table io.WriterAt) (done completion, err error) {
	j, g := r.job, t.shard
	r.ctx, r.class, r.shards = ctx, g.Class, g.Shards
	turn := retro.ShardTask{Class: g.Class, Shards: g.Shards, Shard: g.First, Round: len(t.Labelled), Labelled: t.Labelled}
	if g.Round == sealing {
		done.Counts = new(retro.StateCounts)
		if table != nil {
			done.Stretch = &stretch{Attempt: t.Attempt}
		}
		err = r.worker.Seal(turn, func(solved *retro.SolvedSection) error {
			size, err := putSection(ctx, j.o.Store, j.solve, g.Class, solved)
			if done.Written += size; err != nil {
				return err
			}
			return r.writeSection(table, t, solved, &done)
		})
		done.Counts.Trim()
	} else if done.Labelled, done.Until, err = r.worker.Turn(turn); err == nil && done.Labelled {
		to := &labelsWriter{to: j.o.Store, name: j.solve.object(g)}
		err = r.worker.Labels(g.First, g.Round, func(l retro.SectionLabels) error { return to.add(ctx, l) })
		if err == nil {
			err = to.put(ctx, true)
		}
		done.Written = to.bytes
	}
	return done, err
}

// writeSection counts a section, and writes it into the table unless that is nil.
func (r *shardRunner) writeSection(table io.WriterAt, t task, solved *retro.SolvedSection, done *completion) error {
	digits, section := -1, r.job.sectionWords(t.Class)
	if table != nil {
		digits = t.Parts[format.Steps].Columns
	}
	outcomes, steps, err := solved.Columns(int(section), digits)
	if err != nil {
		return err
	}
	counts, err := r.worker.CountColumns(t.Class, solved.Section, outcomes, steps)
	if err != nil {
		return err
	}
	if done.Counts.Add(counts); table == nil {
		return nil
	}
	done.Written += 8 * int64(len(solved.Win)) * int64(len(outcomes)+len(steps))
	return writeColumns(table, t.Parts, int64(solved.Section)*section, done.Stretch, outcomes, steps)
}

func (r *shardRunner) read(g shard, read func() error) error {
	defer r.job.worker.spend(time.Now(), &r.job.worker.status.Reading)
	return r.job.readOrRepair(r.ctx, g, read)
}

func (r *shardRunner) above(section int) (solved *retro.SolvedSection, err error) {
	err = r.read(sectionOf(r.class+1, section), func() (err error) {
		solved, err = r.job.section(r.ctx, r.class+1, section)
		return err
	})
	return solved, err
}

func (r *shardRunner) labels(shard, round int, take func(l retro.SectionLabels) error) error {
	g := turnOf(r.class, r.shards, shard, round)
	return r.read(g, func() error { return r.job.labels(r.ctx, g, take) })
}
