package solve

import (
	"context"

	"backsolve/internal/plan"
	"backsolve/internal/probe"
	"backsolve/retro"
	"backsolve/retro/outofcore"
	"backsolve/tablebase/writer"
)

// Sharing distributes the work of a job to several processes.
type Sharing interface {
	// PlanTable returns what the processes of a solve into a table take. The error says why
	// this machine, with so many free bytes of disk or machine.Unknown, has no room for them.
	PlanTable(j *Job, free int64) (Processes, error)
	// PlanStream is PlanTable for a job that keeps no table. It decides whether slices are
	// packed.
	PlanStream(j *Job, o *outofcore.Options, free int64) (Processes, plan.Work, error)
	// Table starts the processes of a solve into a table.
	Table(ctx context.Context, j *Job) (Scheduler, error)
	// Stream returns the solver of a job that keeps no table.
	Stream(j *Job) StreamSolver
	// CleanUp deletes what the processes of a finished solve have left elsewhere, and reports
	// whether they are done with the directory that they share. result is the checksum of the
	// result, "" for a table.
	CleanUp(ctx context.Context, j *Job, result string) (done bool, err error)
	// Lost reports whether a solve ended with an error after which it can only start over.
	Lost(err error) bool
}

// Elsewhere is a place on another machine, where a table is written and kept.
type Elsewhere interface {
	writer.Elsewhere
	// Open opens the completed table. The error wraps fs.ErrNotExist if there is none.
	Open() (*probe.Table, error)
}

// Processes are the processes that share the work of a job, and what they take.
type Processes struct {
	Count  int   // of those that are started on this machine
	Own    int64 // memory of this process in bytes
	Memory int64 // of each of the others
	Store  int64 // bytes that they share
}

// Scheduler distributes the blocks of a solve into a table.
type Scheduler interface {
	retro.Scheduler
	// Context ends when the solve is to end.
	Context() context.Context
	// Finish deletes what was shared, after the table is finished.
	Finish() error
	// Close ends the processes and keeps what they have solved. After Finish it does nothing.
	Close()
}

// StreamSolver solves a board whose table is not kept.
type StreamSolver interface {
	// Solve resumes an interrupted solve, or discards it to start over.
	Solve(ctx context.Context, o outofcore.Options, startOver bool) (*outofcore.Result, error)
	// Saving announces the checksum of the result before it is saved.
	Saving(result string) error
	// Finish deletes what was shared, after the result is saved.
	Finish() error
	// Close ends the processes and keeps what they have solved.
	Close()
}

// alone is the StreamSolver of one process.
type alone struct{ *outofcore.Files }

func (a alone) Solve(ctx context.Context, o outofcore.Options, startOver bool) (*outofcore.Result, error) {
	if startOver {
		if err := a.Discard(); err != nil {
			return nil, err
		}
	}
	return a.Files.Solve(ctx, o)
}

func (alone) Saving(string) error { return nil }
func (alone) Finish() error       { return nil }
func (alone) Close()              {}
