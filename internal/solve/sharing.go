package solve

import (
	"context"

	"backsolve/internal/plan"
	"backsolve/retro"
	"backsolve/retro/outofcore"
)

// Sharing distributes the work of a job to several processes.
type Sharing interface {
	// PlanTable returns what the processes of a solve into a table take. The error says why
	// this machine, with free bytes of disk or machine.Unknown, has no room for them.
	PlanTable(j *Job, free int64) (Processes, error)
	// PlanStream is PlanTable for a job that keeps no table. It decides whether slices are packed.
	PlanStream(j *Job, o *outofcore.Options, free int64) (Processes, plan.Work, error)
	// Table starts the processes of a solve into a table.
	Table(ctx context.Context, j *Job) (*Shared, error)
	// Stream starts a solve that keeps no table, resumes it, or discards it to start over.
	Stream(ctx context.Context, j *Job, o outofcore.Options, startOver bool) (*Shared, error)
	// CleanUp deletes what a finished solve has left elsewhere, and reports whether its processes are done with the
	// shared directory. result is the checksum of the result, "" for a table.
	CleanUp(ctx context.Context, j *Job, result string) (done bool, err error)
	// Lost reports whether a solve ended with an error after which it can only start over.
	Lost(err error) bool
}

// Processes are the processes that share the work of a job, and what they take.
type Processes struct {
	Count  int   // of those that are started on this machine
	Own    int64 // memory of this process in bytes
	Memory int64 // of each of the others
	Store  int64 // bytes that they share
}

// Shared is a solve for which processes run.
type Shared struct {
	// Context ends when the solve is to end.
	Context context.Context
	// Table schedules a solve into a table.
	Table retro.Scheduler
	// Stages solves a board whose table is not kept, with the options that it was begun with.
	Stages func() (*outofcore.Result, error)
	// Saving announces the checksum of the result before it is saved.
	Saving func(result string) error
	// Finish deletes what was shared, after the table or the result is saved.
	Finish func() error
	// Close ends the processes and keeps what they have solved. After Finish it does nothing.
	Close func()
}

// alone is the Shared of one process that keeps no table.
func alone(ctx context.Context, files *outofcore.Files, o outofcore.Options, startOver bool) (*Shared, error) {
	if startOver {
		if err := files.Discard(); err != nil {
			return nil, err
		}
	}
	return &Shared{
		Stages: func() (*outofcore.Result, error) { return files.Solve(ctx, o) },
		Saving: func(string) error { return nil }, Finish: func() error { return nil }, Close: func() {},
	}, nil
}
