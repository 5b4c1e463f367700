package main

import (
	"context"
	"os"

	"backsolve/cluster"
	"backsolve/internal/durable"
	"backsolve/internal/solve"
	"backsolve/retro/outofcore"
)

// stream is a solve that keeps no table. It is a solve.StreamSolver.
type stream struct {
	sharing *sharing
	job     *solve.Job
	solve   *clusterSolve // nil before the start
}

// Stream implements solve.Sharing.
func (s *sharing) Stream(j *solve.Job) solve.StreamSolver {
	return &stream{sharing: s, job: j}
}

// Solve implements solve.StreamSolver.
func (s *stream) Solve(ctx context.Context, o outofcore.Options, anew bool) (*outofcore.Result, error) {
	s.Close()
	os.Remove(s.job.SavedMark()) // new shared data is not saved
	each, blocks := s.sharing.streamWorker(s.job.Space, o)
	var err error
	want, workers := cluster.NewStream(s.job.Space, o.Packed, blocks), workerProcess{threads: each.Threads, memory: each.Memory}
	if s.solve, err = s.sharing.start(ctx, s.job, want, workers, anew); err != nil {
		return nil, err
	}
	scheduler := cluster.NewStreamScheduler(s.solve.Coordinator)
	solved, err := outofcore.SolveBy(s.solve.Context(), s.job.Space, o, scheduler)
	if err == nil {
		solved.Read, solved.Written = scheduler.Moved()
	}
	return solved, err
}

// Saving implements solve.StreamSolver.
func (s *stream) Saving(checksum string) error {
	return s.solve.SetResult(s.solve.Context(), checksum)
}

// Finish implements solve.StreamSolver.
func (s *stream) Finish() error {
	if f, err := durable.Open(s.job.SavedMark(), os.O_WRONLY|os.O_CREATE); err == nil {
		f.Close() // without the mark, data left by a kill is only kept longer
	}
	return s.solve.Finish()
}

// Close implements solve.StreamSolver.
func (s *stream) Close() {
	if s.solve != nil {
		s.solve.Close()
	}
}
