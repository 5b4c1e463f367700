package solving

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"backsolve/internal/durable"
	"backsolve/plan"
	"backsolve/retro"
	"backsolve/retro/outofcore"
)

// Sharing has several processes do the work of solves. Of its methods only Register is called
// before Check.
type Sharing interface {
	// Register adds flags to a command that solves, and returns their names.
	Register(cmd *cobra.Command) []string
	// Check refuses what cannot be shared out. The error is a *cli.UsageError.
	Check(t *Target) error
	// PlanTable says what the processes of a solve into a table take. The error says why this
	// machine, with so many free bytes of disk or machine.Unknown, has no room for them.
	PlanTable(t *Target, o retro.Options, source MemorySource, free int64) (Processes, error)
	// PlanStream is PlanTable for a solve that keeps no table but an opening table of so many
	// classes. It decides whether slices are packed, unless choice says so.
	PlanStream(t *Target, o *outofcore.Options, source MemorySource, choice string, opening int, free int64) (Processes, plan.Work, error)
	// Table has the processes of a solve into a table ready.
	Table(ctx context.Context, t *Target, o retro.Options, say func(string)) (Scheduler, error)
	// Stream returns who solves a target whose table is not kept.
	Stream(t *Target, say func(string)) StreamSolver
	// Tidy deletes what the processes of a finished solve have left elsewhere, and reports
	// whether they are done with the directory that they share. result is the checksum of the
	// result, "" for a table.
	Tidy(cmd *cobra.Command, t *Target, o retro.Options, result string) (done bool, err error)
	// Ended says of an error of a solve whether somebody stopped it and what is solved is kept,
	// or whether it can only begin anew.
	Ended(err error) (stopped, lost bool)
}

// Processes says what those processes take that a solve is shared out to.
type Processes struct {
	Count  int   // that are started on this machine
	Own    int64 // memory of this process in bytes
	Memory int64 // of each of the others
	Store  int64 // bytes that they share
}

// Scheduler has a solve into a table done.
type Scheduler interface {
	retro.Scheduler
	// Context ends when the solve is to end.
	Context() context.Context
	// Finish deletes what was shared, when the table is finished.
	Finish() error
	// Close ends the processes and keeps what they have solved. After Finish it does nothing.
	Close()
}

// StreamSolver is who solves a board whose table is not kept.
type StreamSolver interface {
	// Solve solves from where an interrupted solve has left off, unless it is to begin anew.
	Solve(ctx context.Context, o outofcore.Options, anew bool) (*outofcore.Result, error)
	// Saving is told the checksum of the result that is about to be saved.
	Saving(result string) error
	// Finish deletes what was shared, when the result is saved.
	Finish() error
	// Close ends the processes and keeps what they have solved.
	Close()
}

// alone is the StreamSolver of one process.
type alone struct{ *outofcore.Files }

func (a alone) Solve(ctx context.Context, o outofcore.Options, anew bool) (*outofcore.Result, error) {
	if anew {
		if err := a.Discard(); err != nil {
			return nil, err
		}
	}
	return a.Files.Solve(ctx, o)
}

func (alone) Saving(string) error { return nil }
func (alone) Finish() error       { return nil }
func (alone) Close()              {}

// SharedDir is where the processes of one machine keep what they share of a solve into a table.
func (t *Target) SharedDir() string { return t.Path + ".cluster" }

// StreamDir is the same for a solve that keeps no table.
func (t *Target) StreamDir() string { return t.workPath() + ".cluster" }

// SavedMark is a file in StreamDir that tells work whose result is saved from other work.
func (t *Target) SavedMark() string { return filepath.Join(t.StreamDir(), "saved") }

// clearShared removes a directory of what processes have shared, unless somebody has the lock.
func clearShared(dir, lock string) error {
	if _, err := os.Stat(dir); err != nil {
		return nil
	}
	l, err := durable.Lock(lock)
	if errors.Is(err, durable.ErrHeld) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot remove what the workers of the solve have left: %w; remove %s yourself", err, dir)
	}
	defer l.Unlock()
	return removeShared(dir)
}

// removeShared removes it while the lock is held.
func removeShared(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("cannot remove what the workers of the solve have left: %w; remove %s yourself", err, dir)
	}
	return nil
}
