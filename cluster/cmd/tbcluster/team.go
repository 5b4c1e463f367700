package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"backsolve/cluster"
	"backsolve/cluster/local"
	"backsolve/cluster/store"
	"backsolve/solve"
)

// shared is a solve that several processes share.
type shared struct {
	solve cluster.Solve
	// dir is where the processes of this machine keep what they share.
	dir string
	// threads and memory are what a worker of this machine may use, 0 bytes being no limit.
	threads int
	memory  int64
	// anew discards what was begun.
	anew bool
}

func (s *sharing) Table(ctx context.Context, j *solve.Job) (solve.Scheduler, error) {
	o := j.Engine()
	what := shared{solve: cluster.NewSolve(j.Space, o), dir: j.SharedDir(), threads: s.threadsEach(o.Threads)}
	if o.Memory > 0 {
		left := (o.Memory - o.Plan(j.Space).Memory()) / int64(max(1, s.workers.Count))
		what.memory = max(left, workerNeed(j.Space, o, what.threads))
	}
	m, err := s.gather(ctx, j, what)
	if err != nil {
		return nil, err // and no Scheduler: one that is nil would not be seen as such
	}
	return m, nil
}

func (s *sharing) CleanUp(ctx context.Context, j *solve.Job, result string) (done bool, err error) {
	of, dir := cluster.NewSolve(j.Space, j.Engine()), j.SharedDir()
	if result != "" {
		of = cluster.NewStream(j.Space, false, 0)
		of.Result = result
	}
	if _, none := os.Lstat(dir); s.url == "" && (s.store == "" || none != nil) {
		return true, nil
	}
	m := new(team)
	defer m.Close()
	how, _, err := s.reach(ctx, m, j, dir)
	if err == nil {
		err = cluster.Tidy(ctx, j.Space, of, how)
	}
	if errors.Is(err, cluster.ErrUnfinished) {
		fmt.Fprintf(s.cmd.ErrOrStderr(), "note: %v; the same command with --force resumes it\n", err)
		return false, nil // its record may be in the directory
	}
	return true, err
}

// team is the processes of a solve, as far as they belong to this one.
type team struct {
	*cluster.Coordinator               // nil when it is closed
	server               *local.Server // nil where NATS runs elsewhere
	workers              *workers      // nil where none are started here
}

// gather starts the processes that share a solve, as far as they belong to this one.
func (s *sharing) gather(ctx context.Context, j *solve.Job, what shared) (_ *team, err error) {
	m := new(team)
	defer func() {
		if err != nil {
			m.Close()
		}
	}()
	how, place, err := s.reach(ctx, m, j, what.dir)
	if err != nil {
		return nil, err
	}
	how.Anew, how.Say = what.anew, j.Logf
	if m.Coordinator, err = cluster.Begin(ctx, j.Space, what.solve, how); err != nil {
		return nil, err
	}
	if s.workers.Count > 0 {
		if m.workers, err = s.startWorkers(m, how, place, what, j.Logf); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// reach says where NATS and the store are. A NATS of this solve alone is started, in a directory, and
// the store opened, whose place it returns.
func (s *sharing) reach(ctx context.Context, m *team, j *solve.Job, dir string) (how cluster.Options, place string, err error) {
	how = cluster.Options{URL: s.url, Version: programVersion(), Force: j.Force, Expect: s.workers.Count, Replicas: s.replicas, VerifyShare: s.verify / 100}
	if place = s.store; place == "" {
		place = filepath.Join(dir, "store")
	}
	if err := checkOwn(dir); err != nil {
		return how, place, err
	}
	if how.URL == "" {
		if m.server, err = local.Start(filepath.Join(dir, "nats")); err != nil {
			return how, place, err
		}
		how.URL, how.Getenv, how.Own = m.server.URL(), m.server.Getenv, true
	}
	how.Store, err = store.Open(ctx, place)
	return how, place, err
}

// checkOwn refuses a directory for what processes share that is a link, or has one in it: what
// is shared would be written to wherever that leads.
func checkOwn(dir string) error {
	for _, path := range []string{dir, filepath.Join(dir, "nats"), filepath.Join(dir, "store")} {
		if info, err := os.Lstat(path); err == nil && !info.IsDir() {
			return fmt.Errorf("cannot write to %s: it is a link or a file, where a directory of this program belongs; remove it, or choose another directory with --dir", path)
		}
	}
	return nil
}

// startWorkers starts the worker processes of this machine.
func (s *sharing) startWorkers(m *team, how cluster.Options, place string, what shared, say func(string)) (*workers, error) {
	each := workerProcess{url: how.URL, store: place, threads: what.threads, memory: what.memory, environment: os.Environ()}
	if m.server != nil {
		each.environment = append(each.environment, m.server.Environment()...)
	}
	none := func(err error) {
		if m.server != nil { // nobody else can come
			m.Fail(err)
		}
	}
	return startWorkers(s.workers.Count, each, say, none)
}

// Finish takes the solve out of the cluster, when the table is finished.
func (m *team) Finish() error {
	err := m.Coordinator.Finish()
	m.Close()
	return err
}

// Close ends the processes and keeps what they have solved. A second time it does nothing.
func (m *team) Close() {
	if m.workers != nil {
		m.workers.stop()
		m.workers = nil
	}
	if m.Coordinator != nil {
		m.Coordinator.Close()
		m.Coordinator = nil
	}
	if m.server != nil {
		m.server.Stop()
		m.server = nil
	}
}
