package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"backsolve/cluster"
	"backsolve/cmd/cli"
	"backsolve/cmd/solving"
	"backsolve/internal/machine"
	"backsolve/partition"
	"backsolve/plan"
	"backsolve/retro"
	"backsolve/retro/outofcore"

	"github.com/spf13/cobra"
)

// sharing has solves done by several processes: --workers, --cluster and --store.
type sharing struct {
	workers    cli.CountValue // processes that are started on this machine, 0 for none
	url, store string         // "" for those of this solve alone
	replicas   int            // servers of NATS that keep a copy of what it has
	verify     float64        // percent of the blocks that are settled twice
}

// maxWorkers is more processes than a machine has a use for.
const maxWorkers = 1024

func (s *sharing) Register(cmd *cobra.Command) []string {
	f := cmd.Flags()
	s.workers = cli.CountValue{Max: maxWorkers}
	f.Var(&s.workers, "workers", "solve with N processes on this machine, which share --threads and --memory")
	f.StringVar(&s.url, "cluster", "", "`URL` solve with the workers of a cluster: the address of its NATS server, nats://host:4222")
	f.IntVar(&s.replicas, "replicas", 1, "number of NATS servers of the cluster that replicate the state of the solve: 1, 3 or 5")
	f.Float64Var(&s.verify, "verify-share", 1, "`PERCENT` share of the blocks that a second worker solves again for comparison")
	f.StringVar(&s.store, "store", "", "`DIR` shared store: a directory that all processes see, or s3://bucket/prefix")
	return []string{"workers", "cluster", "store", "replicas", "verify-share"}
}

func (s *sharing) Check(t *solving.Target) error {
	if err := cluster.Check(t.Space); err != nil {
		return cli.Usagef("%w; run tbsolve %s %d", err, t.Space.Game, t.Space.Size)
	}
	switch {
	case s.workers.Count == 0 && s.url == "":
		return cli.Usagef("nobody is there to solve it; give --workers for workers of this machine, or --cluster and --store for those of a cluster")
	case s.url != "" && s.store == "":
		return cli.Usagef("--cluster needs the --store that its workers have: a directory that all see, or s3://bucket/prefix")
	case s.replicas != 1 && (s.url == "" || s.replicas != 3 && s.replicas != 5):
		return cli.Usagef("--replicas %d: give 1, 3 or 5, and 1 without --cluster; 3 outlive the loss of one server of NATS, 5 that of two", s.replicas)
	case !(s.verify >= 0 && s.verify <= 100):
		return cli.Usagef("--verify-share %v: give a percentage from 0 to 100", s.verify)
	case s.url == "":
		return nil
	}
	if err := cluster.CheckURL(s.url); err != nil {
		return cli.Usagef("--cluster: %w", err)
	}
	return nil
}

func (*sharing) Ended(err error) (stopped, lost bool) {
	return errors.Is(err, cluster.ErrStopped), errors.Is(err, cluster.ErrLost)
}

// workerNeed is the memory in bytes that a worker is reckoned to take.
func workerNeed(space *partition.Space, o retro.Options, threads int) int64 {
	o.Threads = threads
	return o.Plan(space).WorkerMemory(cluster.MostGroupBytes)
}

// threadsEach is how many threads each of the workers of this machine gets.
func (s *sharing) threadsEach(threads int) int { return max(1, threads/max(1, s.workers.Count)) }

func (s *sharing) PlanTable(t *solving.Target, o retro.Options, source solving.MemorySource, free int64) (solving.Processes, error) {
	each := workerNeed(t.Space, o, s.threadsEach(o.Threads))
	plan := o.Plan(t.Space)
	p := solving.Processes{Count: s.workers.Count, Own: plan.Memory(), Memory: each, Store: plan.Planes(false)}
	need := p.Own + int64(p.Count)*each
	if o.Memory > 0 && need > o.Memory {
		return p, fmt.Errorf("solving %s by %d workers takes about %s of memory, %s for the table and %s for each worker, but no more than %s may be used (%s); %s",
			solving.ShapeText(t.Space, o), p.Count, cli.BytesText(need), cli.BytesText(p.Own), cli.BytesText(each), cli.BytesText(o.Memory), source, source.Remedy(need))
	}
	return p, s.checkDisk(t, o, free)
}

// checkDisk refuses processes that this machine has not the disk for: the table, and what the
// processes share unless that is elsewhere.
func (s *sharing) checkDisk(t *solving.Target, o retro.Options, free int64) error {
	if s.store != "" {
		return nil // of the table alone it has been said before
	}
	plan := o.Plan(t.Space)
	table, store := plan.Disk(false), plan.Planes(false)
	if need := table + store; free != machine.Unknown && need > free {
		return fmt.Errorf("solving %s by several processes takes about %s of the disk (%s for the table, %s for what the workers share), but only %s are free; make room there, choose another place with --dir, or another --store",
			solving.ShapeText(t.Space, o), cli.BytesText(need), cli.BytesText(table), cli.BytesText(store), cli.BytesText(free))
	}
	return nil
}

// streamWorker returns what a worker of this machine gets of what all may use, and of how many
// blocks its groups are, 0 where that does not suffice. Those of other machines are taken to have
// what this one has.
func (s *sharing) streamWorker(space *partition.Space, o outofcore.Options) (each outofcore.Options, blocks int) {
	each = o
	each.Threads = s.threadsEach(o.Threads)
	if o.Memory > 0 {
		each.Memory = max(1, (o.Memory-cluster.StreamOwn(space))/int64(max(1, s.workers.Count)))
	}
	return each, cluster.StreamBlocks(space, each)
}

// sharedWork returns what is written to the store and read from it.
func (s *sharing) sharedWork(space *partition.Space, o outofcore.Options) plan.Work {
	each, groupBlocks := s.streamWorker(space, o)
	work := each.Plan(space).GroupWork(func(blocks int64) int64 {
		return cluster.StreamGroup(space, groupBlocks, s.workers.Count, blocks)
	})
	work.Read += work.Written // by the coordinator, who sees whether all is whole
	work.Seconds /= float64(max(1, s.workers.Count))
	return work
}

func (s *sharing) PlanStream(t *solving.Target, o *outofcore.Options, source solving.MemorySource, choice string, opening int, free int64) (p solving.Processes, work plan.Work, err error) {
	space, k := t.Space, s.workers.Count
	here := s.store == "" // the store lies in the directory of the table
	raw := int64(0)
	if here {
		raw = s.sharedWork(space, *o).Disk
	}
	o.Packed = solving.Packs(choice, raw, free)
	work = s.sharedWork(space, *o)
	if !here {
		work.Disk = plan.OpeningBytes(space, opening)
	}
	each, blocks := s.streamWorker(space, *o)
	group := cluster.StreamGroup(space, blocks, k, slices.Max(partition.BlockCounts(space)))
	p = solving.Processes{
		Count: k, Own: cluster.StreamOwn(space), Memory: cluster.StreamNeed(space, each, int(group)), Store: work.Files,
	}
	if o.Memory > 0 && blocks == 0 {
		least := cluster.StreamNeed(space, each, 1)
		need := p.Own + int64(max(1, k))*least
		return p, work, fmt.Errorf("solving %s by %s takes at least %s of memory, %s for the coordinator and %s for each worker, and is faster with more, but no more than %s may be used (%s); %s",
			t.Name(), cli.CountOf(uint64(max(1, k)), "worker", "workers"), cli.BytesText(need), cli.BytesText(p.Own), cli.BytesText(least), cli.BytesText(o.Memory), source, source.Remedy(need))
	}
	if free != machine.Unknown && work.Disk > free {
		return p, work, fmt.Errorf("what the workers of %s share takes up to %s %s, but only %s are free in %s; make room there, choose another place with --dir, or another --store",
			t.Name(), cli.BytesText(work.Disk), solving.WorkText(o.Packed), cli.BytesText(free), filepath.Dir(t.Path))
	}
	return p, work, nil
}
