package main

import (
	"context"
	"os"

	"backsolve/cluster"
	"backsolve/cmd/solving"
	"backsolve/internal/durable"
	"backsolve/retro/outofcore"
)

// stream is a solve that keeps no table.
type stream struct {
	sharing *sharing
	target  *solving.Target
	say     func(string)
	team    *team // nil where it has not begun
}

func (s *sharing) Stream(t *solving.Target, say func(string)) solving.StreamSolver {
	return &stream{sharing: s, target: t, say: say}
}

func (s *stream) Solve(ctx context.Context, o outofcore.Options, anew bool) (*outofcore.Result, error) {
	s.Close()
	os.Remove(s.target.SavedMark()) // what is shared from here on is not saved
	each, blocks := s.sharing.streamWorker(s.target.Space, o)
	what := shared{
		solve: cluster.NewStream(s.target.Space, o.Packed, blocks), dir: s.target.StreamDir(),
		threads: each.Threads, memory: each.Memory, anew: anew,
	}
	var err error
	if s.team, err = s.sharing.gather(ctx, s.target, what, s.say); err != nil {
		return nil, err
	}
	streams := s.team.Streams()
	solved, err := outofcore.SolveBy(s.team.Context(), s.target.Space, o, streams)
	if err == nil {
		solved.Read, solved.Written = streams.Moved()
	}
	return solved, err
}

func (s *stream) Saving(result string) error { return s.team.Saving(result) }

func (s *stream) Finish() error {
	if f, err := durable.Open(s.target.SavedMark(), os.O_WRONLY|os.O_CREATE); err == nil {
		f.Close() // without it, what a kill leaves here is only kept for longer
	}
	return s.team.Finish()
}

func (s *stream) Close() {
	if s.team != nil {
		s.team.Close()
	}
}
