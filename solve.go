package backsolve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"backsolve/game"
	"backsolve/internal/durable"
	"backsolve/internal/probe"
	"backsolve/internal/solve"
	"backsolve/partition"
	"backsolve/retro"
	"backsolve/tablebase"
)

// Options say how a board is solved. Only Steps and Nimbers change the bytes of the tables.
type Options struct {
	// Steps asks for the steps to the end as well.
	Steps bool
	// Nimbers asks for the nimbers as well, which some games have. They are in another table
	// beside the first.
	Nimbers bool
	// Threads is the number of threads, 0 for all cores. Tables of more than 1 GiB are written faster
	// if GOMAXPROCS is two higher.
	Threads int
	// Memory is how many bytes of memory the solve may take, 0 for 1 GiB. With less than it could
	// use, Quixo takes longer.
	Memory int64
	// Progress, unless nil, gets the number of solved states, from one goroutine at a time.
	Progress func(done, total uint64)
}

// defaultMemory is used if Options.Memory is 0.
const defaultMemory = 1 << 30

// Solve opens the table of a game on the board of a size in a directory, as Open does, and
// solves it first if it is missing. If ctx ends, Solve returns its cause and keeps what is
// finished; another Solve resumes there. The error is ErrBoard if there can be no table. It
// is also an error, before any work, if the solve would take too much memory or the table
// exists without the steps asked for.
func Solve(ctx context.Context, dir, game string, size int, o Options) (*Table, error) {
	rules, err := newBoard(game, size)
	if err != nil {
		return nil, err
	}
	if o.Nimbers && !partition.HasNimbers(game, size) {
		return nil, kindError{fmt.Errorf("%s has no nimbers; leave Options.Nimbers out", game), ErrBoard}
	}
	t, err := opened(probe.Open(dir, rules))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t, err = solveAndOpen(ctx, dir, rules, o, false)
	case err == nil && t.onlyNimbers() && o.Steps:
		if err = t.Close(); err == nil {
			t, err = solveAndOpen(ctx, dir, rules, o, false)
		}
	case err == nil:
		if lacks := t.suffices(o); lacks != nil {
			return nil, errors.Join(lacks, t.Close())
		}
	}
	if err != nil || !o.Nimbers || t.Board().Nimbers {
		return t, err
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	return solveAndOpen(ctx, dir, rules, o, true)
}

// onlyNimbers reports whether a board has only the table of its nimbers.
func (t *Table) onlyNimbers() bool { return t.table.Stored().Shape().Nimbers }

// solveAndOpen makes one table, with or without nimbers, and opens all there are.
func solveAndOpen(ctx context.Context, dir string, rules game.Grid, o Options, nimbers bool) (*Table, error) {
	if err := makeTable(ctx, dir, rules, o, nimbers); err != nil {
		return nil, err
	}
	return opened(probe.Open(dir, rules))
}

// suffices returns an error if an existing table lacks what is asked for.
func (t *Table) suffices(o Options) error {
	lacks := ""
	switch b := t.Board(); {
	case b.Opening:
		lacks = "the emptiest positions alone"
	case o.Steps && !b.Steps:
		lacks = "no steps"
	default:
		return nil
	}
	return fmt.Errorf("%s exists, but has %s; remove it, or choose another directory", t.table.Stored().Path(), lacks)
}

// makeTable solves a board into a directory, with or without nimbers.
func makeTable(ctx context.Context, dir string, rules game.Grid, o Options, nimbers bool) error {
	how := solve.Options{
		Engine: retro.Options{Steps: o.Steps && !nimbers, Nimbers: nimbers, Threads: o.Threads}, Limit: solve.Limit{Bytes: o.Memory, Source: "the memory option can allow more"},
	}
	if how.Limit.Bytes <= 0 {
		how.Limit.Bytes = defaultMemory
	}
	if o.Progress != nil {
		how.Engine.Progress = func(e tablebase.Event) { o.Progress(e.Done, e.Total) }
	}
	job, err := solve.New(dir, rules, 0, nil, how)
	if err != nil {
		return kindError{err, ErrBoard}
	}
	if err := job.CheckMemory(); err != nil {
		return err
	}
	if err := durable.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	_, err = job.Solve(ctx)
	return err
}
