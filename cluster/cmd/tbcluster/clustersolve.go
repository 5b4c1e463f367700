package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"backsolve/cluster"
	"backsolve/cluster/local"
	"backsolve/cluster/store"
	"backsolve/internal/durable"
	"backsolve/internal/solve"
	"backsolve/retro/outofcore"
	"backsolve/tablebase/writer"
)

// Table implements solve.Sharing.
func (s *sharing) Table(ctx context.Context, j *solve.Job) (*solve.Shared, error) {
	o, each := j.Engine, workerProcess{threads: s.threadsEach(j.Engine.Threads)}
	if !s.inBucket {
		each.table = writer.WrittenTo(j.Path)
	}
	if o.Memory > 0 {
		own, least := s.tableNeeds(j)
		each.memory = max((o.Memory-own)/int64(max(1, s.workers.Count)), least)
	}
	want := cluster.NewSolve(j.Space, o)
	want.WorkerMemory = each.memory
	c, err := s.start(ctx, j, want, each, false)
	if err != nil {
		return nil, err
	}
	return &solve.Shared{Context: c.Context(), Table: c.Solve, Finish: c.Finish, Close: c.Close}, nil
}

// Stream implements solve.Sharing.
func (s *sharing) Stream(ctx context.Context, j *solve.Job, o outofcore.Options, startOver bool) (*solve.Shared, error) {
	os.Remove(j.SavedMark()) // new shared data is not saved
	each, blocks := s.streamWorker(j.Space, o)
	want, workers := cluster.NewStream(j.Space, o.Packed, blocks), workerProcess{threads: each.Threads, memory: each.Memory}
	c, err := s.start(ctx, j, want, workers, startOver)
	if err != nil {
		return nil, err
	}
	return &solve.Shared{
		Context: c.Context(),
		Stages: func() (*outofcore.Result, error) {
			solved, err := outofcore.SolveBy(c.Context(), j.Space, o, c.Stages())
			if err == nil {
				solved.Read, solved.Written = c.Moved()
			}
			return solved, err
		},
		Saving: func(checksum string) error { return c.SetResult(c.Context(), checksum) },
		Finish: func() error {
			if f, err := durable.Open(j.SavedMark(), os.O_WRONLY|os.O_CREATE); err == nil {
				f.Close() // without the mark, data left by a kill is only kept longer
			}
			return c.Finish()
		},
		Close: c.Close,
	}, nil
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
	options, err := s.connect(ctx, c, dir, j.Force)
	if err == nil {
		err = cluster.CollectGarbage(ctx, j.Space, of, options)
	}
	if errors.Is(err, cluster.ErrUnfinished) {
		fmt.Fprintf(s.cmd.ErrOrStderr(), "note: %v; the same command with --force resumes it\n", err)
		return false, nil // its record may be in the directory
	}
	return true, err
}

// clusterSolve has what this process has started for a solve.
type clusterSolve struct {
	*cluster.Coordinator
	server *local.Server // nil if NATS runs elsewhere
	stops  []func()      // ends what was started, in reverse
}

// start starts or resumes a solve, with these workers on this machine. anew discards an unfinished one.
func (s *sharing) start(ctx context.Context, j *solve.Job, want cluster.Solve, each workerProcess, anew bool) (_ *clusterSolve, err error) {
	c := new(clusterSolve)
	defer func() {
		if err != nil {
			c.Close()
		}
	}()
	o, err := s.connect(ctx, c, j.SharedDir(), j.Force)
	if err != nil {
		return nil, err
	}
	var stop func()
	if o.Metrics, stop, err = serveMetrics(s.metrics); err != nil {
		return nil, err
	}
	c.stops = append(c.stops, stop)
	o.Table, o.Pieces, o.Anew, o.Logf = each.table, s.pieces, anew, func(level slog.Level, format string, args ...any) {
		if j.Logf != nil {
			j.Logf(level, fmt.Sprintf(format, args...))
		}
	}
	if c.Coordinator, err = cluster.Begin(ctx, j.Space, want, o); err != nil {
		return nil, err
	}
	if c.stops = append(c.stops, c.Coordinator.Close); s.workers.Count == 0 {
		return c, nil
	}
	each.url, each.store, each.environment = o.URL, o.Store.String(), os.Environ()
	onAllEnded := func(error) {}
	if c.server != nil { // no other workers can come
		each.environment = append(each.environment, c.server.Environment()...)
		each.environment = append(each.environment, "TMPDIR="+j.SharedDir()) // for work files
		onAllEnded = c.Fail
	}
	if stop, err = startWorkers(s.workers.Count, each, o.Logf, onAllEnded); err == nil {
		c.stops = append(c.stops, stop)
	}
	return c, err
}

// connect returns the options to connect to NATS and the store. Without --cluster it starts a NATS server
// for c, with its state in dir.
func (s *sharing) connect(ctx context.Context, c *clusterSolve, dir string, force bool) (o cluster.Options, err error) {
	o = cluster.Options{URL: s.url, Version: programVersion(), Force: force, Expect: s.workers.Count, Wait: waitForNATS, Replicas: s.replicas, VerifyShare: s.verify / 100}
	if o.URL == "" {
		for _, own := range []string{"", "nats", "store"} {
			if err := durable.MkdirOwn(filepath.Join(dir, own), 0o777); err != nil {
				return o, err
			}
		}
		if c.server, err = local.Start(filepath.Join(dir, "nats")); err != nil {
			return o, err
		}
		c.stops = append(c.stops, c.server.Stop)
		o.URL, o.Getenv, o.Own = c.server.URL(), c.server.Getenv, true
	}
	at := s.store
	if at == "" {
		at = filepath.Join(dir, "store")
	}
	o.Store, err = store.Open(ctx, at)
	return o, err
}

// Finish deletes the solve in the cluster.
func (c *clusterSolve) Finish() error {
	err := c.Coordinator.Finish(c.Context())
	c.Close()
	return err
}

// Close ends the processes and keeps what they have solved. A second call does nothing.
func (c *clusterSolve) Close() {
	for _, stop := range slices.Backward(c.stops) {
		stop()
	}
	c.stops = nil
}
