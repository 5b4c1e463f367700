package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"backsolve/cluster"
	"backsolve/cluster/local"
	"backsolve/cluster/store"
	"backsolve/internal/solve"
	"backsolve/retro"
	"backsolve/tablebase/writer"
)

// spec describes a solve by several processes.
type spec struct {
	solve cluster.Solve
	// dir has the shared data of the processes of this machine.
	dir string
	// threads and memory limit a worker of this machine; 0 bytes mean no limit.
	threads int
	memory  int64
	// table is the file that the table is being written to, "" for none.
	table string
	// anew discards an unfinished solve.
	anew bool
}

// Table implements solve.Sharing.
func (s *sharing) Table(ctx context.Context, j *solve.Job) (solve.Scheduler, error) {
	o := j.Engine
	of := spec{solve: cluster.NewSolve(j.Space, o), dir: j.SharedDir(), threads: s.threadsEach(o.Threads)}
	if !s.inBucket {
		of.table = writer.WrittenTo(j.Path)
	}
	if o.Memory > 0 {
		own, least := s.tableNeeds(j)
		of.memory = max((o.Memory-own)/int64(max(1, s.workers.Count)), least)
		of.solve.WorkerMemory = of.memory
	}
	c, err := s.start(ctx, j, of)
	if err != nil {
		return nil, err // not c, which would be a Scheduler that is not nil
	}
	return c, nil
}

// CleanUp implements solve.Sharing.
func (s *sharing) CleanUp(ctx context.Context, j *solve.Job, result string) (done bool, err error) {
	of, dir := cluster.NewSolve(j.Space, j.Engine), j.SharedDir()
	if result != "" {
		of = cluster.NewStream(j.Space, false, 0)
		of.Result = result
	}
	if _, missing := os.Lstat(dir); s.url == "" && (s.store == "" || missing != nil) {
		return true, nil
	}
	c := new(clusterSolve)
	defer c.Close()
	options, _, err := s.connect(ctx, c, j, dir)
	if err == nil {
		err = cluster.CollectGarbage(ctx, j.Space, of, options)
	}
	if errors.Is(err, cluster.ErrUnfinished) {
		fmt.Fprintf(s.cmd.ErrOrStderr(), "note: %v; the same command with --force resumes it\n", err)
		return false, nil // its record may be in the directory
	}
	return true, err
}

// clusterSolve has the processes of a solve that this process has started. It is a
// solve.Scheduler.
type clusterSolve struct {
	coordinator *cluster.Coordinator // nil before the start and after Close
	server      *local.Server        // nil if NATS runs elsewhere
	workers     *workers             // nil if no workers run on this machine
	stopMetrics func()               // nil before the start
}

// start starts or resumes a solve.
func (s *sharing) start(ctx context.Context, j *solve.Job, of spec) (_ *clusterSolve, err error) {
	c := new(clusterSolve)
	defer func() {
		if err != nil {
			c.Close()
		}
	}()
	o, place, err := s.connect(ctx, c, j, of.dir)
	if err != nil {
		return nil, err
	}
	if o.Metrics, c.stopMetrics, err = serveMetrics(s.metrics); err != nil {
		return nil, err
	}
	o.Table, o.Pieces, o.Anew, o.Logf = of.table, s.pieces, of.anew, func(level slog.Level, format string, args ...any) {
		if j.Logf != nil {
			j.Logf(level, fmt.Sprintf(format, args...))
		}
	}
	if c.coordinator, err = cluster.Begin(ctx, j.Space, of.solve, o); err != nil {
		return nil, err
	}
	if s.workers.Count == 0 {
		return c, nil
	}
	each := workerProcess{table: of.table, url: o.URL, store: place, threads: of.threads, memory: of.memory, environment: os.Environ()}
	onAllEnded := func(error) {}
	if c.server != nil { // no other workers can come
		each.environment = append(each.environment, c.server.Environment()...)
		each.environment = append(each.environment, "TMPDIR="+of.dir) // for work files
		onAllEnded = c.coordinator.Fail
	}
	c.workers, err = startWorkers(s.workers.Count, each, o.Logf, onAllEnded)
	return c, err
}

// connect returns the options to connect to NATS and the store, and the store's address. Without
// --cluster it starts a NATS server for c, with its state in dir.
func (s *sharing) connect(ctx context.Context, c *clusterSolve, j *solve.Job, dir string) (o cluster.Options, place string, err error) {
	o = cluster.Options{URL: s.url, Version: programVersion(), Force: j.Force, Expect: s.workers.Count, Wait: waitForNATS, Replicas: s.replicas, VerifyShare: s.verify / 100}
	if place = s.store; place == "" {
		place = filepath.Join(dir, "store")
	}
	if err := checkNoLinks(dir); err != nil {
		return o, place, err
	}
	if o.URL == "" {
		if c.server, err = local.Start(filepath.Join(dir, "nats")); err != nil {
			return o, place, err
		}
		o.URL, o.Getenv, o.Own = c.server.URL(), c.server.Getenv, true
	}
	o.Store, err = store.Open(ctx, place)
	return o, place, err
}

// checkNoLinks refuses a directory for shared data that is a symbolic link, or contains one: the
// data would be written to another place.
func checkNoLinks(dir string) error {
	for _, path := range []string{dir, filepath.Join(dir, "nats"), filepath.Join(dir, "store")} {
		if info, err := os.Lstat(path); err == nil && !info.IsDir() {
			return fmt.Errorf("cannot write to %s: it is a link or a file, not a directory of this program; remove it, or choose another directory with --dir", path)
		}
	}
	return nil
}

// Solve implements retro.Scheduler.
func (c *clusterSolve) Solve(ctx context.Context, class *retro.SharedClass) error {
	return c.coordinator.Solve(ctx, class)
}

// Context implements solve.Scheduler.
func (c *clusterSolve) Context() context.Context { return c.coordinator.Context() }

// Finish implements solve.Scheduler: it deletes the solve in the cluster.
func (c *clusterSolve) Finish() error {
	err := c.coordinator.Finish(c.coordinator.Context())
	c.Close()
	return err
}

// Close ends the processes and keeps what they have solved. A second call does nothing.
func (c *clusterSolve) Close() {
	if c.workers != nil {
		c.workers.stop()
	}
	if c.coordinator != nil {
		c.coordinator.Close()
	}
	if c.stopMetrics != nil {
		c.stopMetrics()
	}
	if c.server != nil {
		c.server.Stop()
	}
	*c = clusterSolve{}
}
