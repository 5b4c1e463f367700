package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"backsolve/cluster"
	"backsolve/cluster/store"
	"backsolve/cmd/cli"
	"backsolve/internal/plan"
	"backsolve/internal/solve"
	"backsolve/partition"
	"backsolve/retro/outofcore"
	"backsolve/tablebase/writer"

	"github.com/spf13/cobra"
)

// sharing solves with several processes. It is a solve.Sharing, and has the values of its flags.
type sharing struct {
	cmd        *cobra.Command
	workers    cli.CountValue // processes on this machine
	url, store string         // "" for private ones
	replicas   int            // of the state in NATS
	verify     float64        // percent of the blocks
	inBucket   bool           // the table is to be in the bucket of the store
	pieces     *store.Pieces  // of it, nil for a table here
	metrics    string         // address, "" for none
}

// maxInBucket bounds a table in a bucket: an upload has at most ten thousand parts, two for each shard.
const maxInBucket = 200 << 30

// Register adds the flags to a command, and returns their names.
func (s *sharing) Register(cmd *cobra.Command) []string {
	f := cmd.Flags()
	s.cmd = cmd
	s.workers = cli.CountValue{Max: 1024} // more than are of use on a machine
	f.Var(&s.workers, "workers", "solve with N processes on this machine, which share --threads and --memory")
	f.StringVar(&s.url, "cluster", "", "`URL` solve with the workers of a cluster: the address of its NATS server, nats://host:4222")
	f.IntVar(&s.replicas, "replicas", 1, "number of NATS servers of the cluster that replicate the state of the solve: 1, 3 or 5")
	f.Float64Var(&s.verify, "verify-share", 1, "`PERCENT` share of the blocks that a second worker solves again for comparison")
	f.StringVar(&s.store, "store", "", "`DIR` shared store: a directory that all processes see, or s3://bucket/prefix")
	f.BoolVar(&s.inBucket, "table-in-bucket", false, "have the workers write the table into the bucket of --store, and keep it there, not in --dir")
	metricsFlag(f, &s.metrics)
	return []string{"workers", "cluster", "store", "table-in-bucket", "replicas", "verify-share", "metrics"}
}

// Check returns a *cli.UsageError if the flags do not fit each other or the job.
func (s *sharing) Check(j *solve.Job) error {
	switch {
	case s.workers.Count == 0 && s.url == "":
		return cli.Usagef("there are no workers; give --workers for workers on this machine, or --cluster and --store for those of a cluster")
	case s.url != "" && s.store == "":
		return cli.Usagef("--cluster needs the --store of its workers: a directory that all see, or s3://bucket/prefix")
	case s.replicas != 1 && (s.url == "" || s.replicas != 3 && s.replicas != 5):
		return cli.Usagef("--replicas %d: give 1, 3 or 5, and 1 without --cluster; 3 survive the loss of one NATS server, 5 that of two", s.replicas)
	case !(s.verify >= 0 && s.verify <= 100):
		return cli.Usagef("--verify-share %v: give a percentage from 0 to 100", s.verify)
	case s.inBucket && !store.IsBucket(s.store):
		return cli.Usagef("--table-in-bucket needs a bucket; give --store s3://bucket/prefix")
	case s.inBucket && (j.Packed || j.OutOfCore):
		return cli.Usagef("--table-in-bucket is for a whole table that is not packed; leave it out, or --packed and --keep")
	case s.inBucket && j.Engine.Plan(j.Space).Disk() > maxInBucket:
		return cli.Usagef("the table takes more than %s, for which the ten thousand parts of an upload to S3 do not suffice; leave out --table-in-bucket", cli.BytesText(maxInBucket))
	}
	if s.url != "" {
		if err := checkCluster(s.url); err != nil {
			return err
		}
	}
	if !s.inBucket {
		return nil
	}
	in, err := store.Open(s.cmd.Context(), s.store)
	if err != nil {
		return err
	}
	p := store.PiecesOf(s.cmd.Context(), in, filepath.Base(j.Path))
	s.pieces = p
	j.Elsewhere = &writer.Elsewhere{Name: p.String(), ReaderAt: p, Truncate: p.Truncate, Complete: p.Complete, Open: p.Open}
	return nil
}

// Stopped reports whether another process stopped a solve.
func (*sharing) Stopped(err error) bool { return errors.Is(err, cluster.ErrStopped) }

// Lost implements solve.Sharing.
func (*sharing) Lost(err error) bool { return errors.Is(err, cluster.ErrLost) }

// tableNeeds estimates the memory of the coordinator of a solve into a table, and the least of a worker here.
func (s *sharing) tableNeeds(j *solve.Job) (own, least int64) {
	o, shardBytes := j.Engine, int64(cluster.MaxShardBytes)
	own = o.Plan(j.Space).TableCoordinatorMemory()
	if s.inBucket {
		shardBytes = cluster.PieceShardBytes
	}
	if o.Threads = s.threadsEach(o.Threads); j.Space.Kind != partition.FixedSlice {
		return own, o.Plan(j.Space).ShardWorkerMemory(plan.MaxWorkerShards, 0)
	}
	return own, o.Plan(j.Space).WorkerMemory(shardBytes)
}

func (s *sharing) threadsEach(threads int) int { return max(1, threads/max(1, s.workers.Count)) }

// PlanTable implements solve.Sharing.
func (s *sharing) PlanTable(j *solve.Job, free int64) (solve.Processes, error) {
	o := j.Engine
	plan := o.Plan(j.Space)
	own, each := s.tableNeeds(j)
	p := solve.Processes{Count: s.workers.Count, Own: own, Memory: each, Store: plan.TwoClasses()}
	if j.Space.Kind != partition.FixedSlice {
		p.Store += plan.TwoClasses() * int64(p.Count) // those that each worker here reads and writes
	}
	if j.Packed {
		p.Store += plan.TwoClasses() // of which one is written before it is packed
	}
	need := p.Own + int64(p.Count)*each
	if o.Memory > 0 && need > o.Memory {
		return p, &solve.MemoryError{Need: need, Limit: j.Limit, Cause: fmt.Sprintf(
			"solving %s with %d workers takes about %s of memory, %s for the table and %s for each worker",
			j.Solving(), p.Count, cli.BytesText(need), cli.BytesText(p.Own), cli.BytesText(each))}
	}
	// With a store elsewhere, only the table needs this disk, and the caller checks that.
	if table := plan.Disk(); s.store == "" && solve.Exceeds(table+p.Store, free) {
		return p, fmt.Errorf("solving %s with several processes takes about %s of disk (%s for the table, %s for the store), but only %s are free; free some space, or choose another --dir or --store",
			j.Solving(), cli.BytesText(table+p.Store), cli.BytesText(table), cli.BytesText(p.Store), cli.BytesText(free))
	}
	return p, nil
}

// streamWorker returns the options of a worker on this machine and the blocks of its shards, 0 if
// memory does not suffice. Workers elsewhere are assumed to have as much.
func (s *sharing) streamWorker(space *partition.Space, o outofcore.Options) (each outofcore.Options, blocks int) {
	each = o
	each.Threads = s.threadsEach(o.Threads)
	if o.Memory > 0 {
		each.Memory = max(1, (o.Memory-cluster.StreamOwn(space))/int64(max(1, s.workers.Count)))
	}
	return each, cluster.StreamBlocks(space, each)
}

func (s *sharing) sharedWork(space *partition.Space, o outofcore.Options) plan.Work {
	each, shardBlocks := s.streamWorker(space, o)
	p := each.Plan(space)
	p.Spare = true
	work := p.GroupWork(func(blocks int64) int64 {
		return cluster.StreamShard(space, shardBlocks, s.workers.Count, blocks)
	})
	work.Read += work.Written // by the workers, which check all parts
	work.Seconds /= float64(max(1, s.workers.Count))
	return work
}

// PlanStream implements solve.Sharing.
func (s *sharing) PlanStream(j *solve.Job, o *outofcore.Options, free int64) (p solve.Processes, work plan.Work, err error) {
	space, k := j.Space, s.workers.Count
	here := s.store == "" // the store is in the directory of the table
	raw := int64(0)
	if here {
		raw = s.sharedWork(space, *o).Disk
	}
	o.Packed = solve.Exceeds(raw, free)
	if work = s.sharedWork(space, *o); !here {
		work.Disk = plan.OpeningBytes(space, o.Plan(space).Opening)
	}
	each, blocks := s.streamWorker(space, *o)
	shard := cluster.StreamShard(space, blocks, k, o.Plan(space).MostBlocks)
	p = solve.Processes{
		Count: k, Own: cluster.StreamOwn(space), Memory: cluster.StreamNeed(space, each, int(shard)), Store: work.Files,
	}
	if o.Memory > 0 && blocks == 0 {
		least := cluster.StreamNeed(space, each, 1)
		need := p.Own + int64(max(1, k))*least
		return p, work, &solve.MemoryError{Need: need, Limit: j.Limit, Cause: fmt.Sprintf(
			"solving %s with %s takes at least %s of memory, %s for the coordinator and %s for each worker, and is faster with more",
			j.Name(), cli.CountOf(uint64(max(1, k)), "worker", "workers"), cli.BytesText(need), cli.BytesText(p.Own), cli.BytesText(least))}
	}
	if solve.Exceeds(work.Disk, free) {
		return p, work, fmt.Errorf("the store for solving %s takes up to %s %s, but only %s are free in %s; free some space, or choose another --dir or --store",
			j.Name(), cli.BytesText(work.Disk), solve.WorkText(o.Packed), cli.BytesText(free), j.Dir())
	}
	return p, work, nil
}
