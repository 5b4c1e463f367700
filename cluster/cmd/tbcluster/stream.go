package main

import (
	"context"
	"os"

	"backsolve/cluster"
	"backsolve/internal/durable"
	"backsolve/retro/outofcore"
	"backsolve/solve"
)

// stream is a solve that keeps no table.
type stream struct {
	sharing *sharing
	job     *solve.Job
	team    *team // nil where it has not begun
}

func (s *sharing) Stream(j *solve.Job) solve.StreamSolver {
	return &stream{sharing: s, job: j}
}

func (s *stream) Solve(ctx context.Context, o outofcore.Options, anew bool) (*outofcore.Result, error) {
	s.Close()
	os.Remove(s.job.SavedMark()) // what is shared from here on is not saved
	each, blocks := s.sharing.streamWorker(s.job.Space, o)
	what := shared{
		solve: cluster.NewStream(s.job.Space, o.Packed, blocks), dir: s.job.SharedDir(),
		threads: each.Threads, memory: each.Memory, anew: anew,
	}
	var err error
	if s.team, err = s.sharing.gather(ctx, s.job, what); err != nil {
		return nil, err
	}
	streams := s.team.Streams()
	solved, err := outofcore.SolveBy(s.team.Context(), s.job.Space, o, streams)
	if err == nil {
		solved.Read, solved.Written = streams.Moved()
	}
	return solved, err
}

func (s *stream) Saving(result string) error { return s.team.Saving(result) }

func (s *stream) Finish() error {
	if f, err := durable.Open(s.job.SavedMark(), os.O_WRONLY|os.O_CREATE); err == nil {
		f.Close() // without it, what a kill leaves here is only kept for longer
	}
	return s.team.Finish()
}

func (s *stream) Close() {
	if s.team != nil {
		s.team.Close()
	}
}
