package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"backsolve/cluster"
	"backsolve/cmd/tbsolve/machine"
	"backsolve/internal/durable"
	"backsolve/partition"
	"backsolve/retro/outofcore"
)

// streamTeamDir is where the processes of one machine keep what they share of a solve that keeps
// no table.
func (t *target) streamTeamDir() string { return t.workPath() + ".cluster" }

// streamWorker returns what a worker of this machine gets of what all may use, and of how many
// blocks its groups are, 0 where that does not suffice. Those of other machines are taken to have
// what this one has.
func (s *sharing) streamWorker(space partition.Space, o outofcore.Options) (each outofcore.Options, blocks int) {
	each = o
	each.Threads = s.threadsEach(o.Threads)
	if o.Memory > 0 {
		each.Memory = max(1, (o.Memory-cluster.StreamOwn(space))/int64(max(1, s.workers.count)))
	}
	return each, cluster.StreamBlocks(space, each)
}

// reckonShared returns what goes through the store, and the most that lies in it at any moment, with
// an opening table of so many classes.
func (s *sharing) reckonShared(space partition.Space, o outofcore.Options, opening int) outofcore.Work {
	each, groupBlocks := s.streamWorker(space, o)
	work := outofcore.ReckonGroups(space, each, opening, func(blocks int64) int64 {
		return cluster.StreamGroup(space, groupBlocks, s.workers.count, blocks)
	})
	work.Read += work.Written // by the coordinator, who sees whether all is whole
	work.Seconds /= float64(max(1, s.workers.count))
	return work
}

// storeOf is the most that lies in the store of a streamed solve.
func (s *solver) storeOf(t *target, o outofcore.Options) int64 {
	return s.sharing.reckonShared(t.space, o, 0).Disk
}

// prepareShared is prepareStream where the solve is shared out. It says whether slices are packed.
func (s *solver) prepareShared(t *target, o *outofcore.Options, source memorySource, opening int) (work outofcore.Work, err error) {
	space, k := t.space, s.sharing.workers.count
	free := s.streamFree(t)
	here := s.sharing.store == "" // the store lies in the directory of the table
	raw := int64(0)
	if here {
		raw = s.sharing.reckonShared(space, *o, opening).Disk
	}
	o.Packed = packs(s.work.String(), raw, free)
	work = s.sharing.reckonShared(space, *o, opening)
	if !here {
		work.Disk = outofcore.OpeningBytes(space, opening)
	}
	each, blocks := s.sharing.streamWorker(space, *o)
	if o.Memory > 0 && blocks == 0 {
		own, least := cluster.StreamOwn(space), cluster.StreamNeed(space, each, 1)
		need := own + int64(max(1, k))*least
		return work, fmt.Errorf("solving %s by %s takes at least %s of memory, %s for the coordinator and %s for each worker, and is faster with more, but no more than %s may be used (%s); %s",
			t.name(), countOf(uint64(max(1, k)), "worker", "workers"), bytesText(need), bytesText(own), bytesText(least), bytesText(o.Memory), source, source.remedy(need))
	}
	if free != machine.Unknown && work.Disk > free {
		return work, fmt.Errorf("what the workers of %s share takes up to %s %s, but only %s are free in %s; make room there, choose another place with --dir, or another --store",
			t.name(), bytesText(work.Disk), workText(o.Packed), bytesText(free), *s.dir)
	}
	return work, nil
}

// bytesBelow returns the bytes of the files in a directory and below it.
func bytesBelow(dir string) (bytes int64) {
	filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be seen does not count
		}
		if info, err := entry.Info(); err == nil && entry.Type().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}

// streamCrew is who settles a solve that keeps no table: this process, or workers.
type streamCrew struct {
	*solver
	target *target
	files  *outofcore.Files
	team   *team
}

// solve solves from where an interrupted solve has left off, unless it is to begin anew.
func (c *streamCrew) solve(ctx context.Context, o outofcore.Options, anew bool, say func(string)) (*outofcore.Result, error) {
	if !c.sharing.on() {
		if anew {
			if err := c.files.Discard(); err != nil {
				return nil, err
			}
		}
		return c.files.Solve(ctx, o)
	}
	c.close()
	os.Remove(savedMark(c.target)) // what is shared from here on is not saved
	each, blocks := c.sharing.streamWorker(c.target.space, o)
	what := shared{
		solve: cluster.NewStream(c.target.space, o.Packed, blocks), dir: c.target.streamTeamDir(),
		threads: each.Threads, memory: each.Memory, anew: anew,
	}
	var err error
	if c.team, ctx, err = c.gather(ctx, c.target, what, say); err != nil {
		return nil, err
	}
	streams := c.team.coordinator.Streams()
	solved, err := outofcore.SolveBy(ctx, c.target.space, o, streams)
	if err == nil {
		solved.Read, solved.Written = streams.Moved()
	}
	return solved, err
}

// saving has the cluster know the result that is about to be saved.
func (c *streamCrew) saving(r *result) error {
	if c.team.coordinator == nil {
		return nil
	}
	return c.team.coordinator.Saving(r.SHA256)
}

// finish takes the solve away, when its result is saved.
func (c *streamCrew) finish() error {
	if c.sharing.on() {
		if f, err := durable.Open(savedMark(c.target), os.O_WRONLY|os.O_CREATE); err == nil {
			f.Close() // without it, what a kill leaves here is only kept for longer
		}
	}
	if err := c.team.finish(); err != nil {
		return fmt.Errorf("the result is saved, but %w", err)
	}
	return removeShared(c.target.streamTeamDir())
}

// close ends the processes and keeps what they have solved.
func (c *streamCrew) close() { c.team.close() }
