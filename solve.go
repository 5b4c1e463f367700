package backsolve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/dustin/go-humanize"

	"backsolve/game"
	"backsolve/internal/durable"
	"backsolve/partition"
	"backsolve/probe"
	"backsolve/retro"
	"backsolve/solve"
)

// Options say how a board is solved. All but Steps and Nimbers leave the bytes of the
// tables as they are.
type Options struct {
	// Steps asks for the steps to the end as well.
	Steps bool
	// Nimbers asks for the nimbers as well, which some games have. They are in a table of
	// their own beside the other one.
	Nimbers bool
	// Threads is the number of threads, 0 for all cores.
	Threads int
	// Memory is how many bytes the solve may take, 0 for 1 GiB. That is enough for all
	// boards but Quixo 5×5 and Notakto 7×7.
	Memory int64
	// Progress, unless nil, is told how many of the states to be stored are done, by
	// one goroutine at a time.
	Progress func(done, total uint64)
}

// standardMemory is Options.Memory where it is 0.
const standardMemory = 1 << 30

// Solve opens the table of a game on the board of a size in a directory, as Open does,
// and makes it first where it is not there. When ctx ends before, it returns its cause;
// what is finished stays, and another Solve goes on from there. What takes more memory
// than it may is refused before any work, ErrBoard is the error where there can be no
// table, and a table that is there without the steps that are asked for is one, too.
func Solve(ctx context.Context, dir, game string, size int, o Options) (*Table, error) {
	rules, err := newBoard(game, size)
	if err != nil {
		return nil, err
	}
	if o.Nimbers && !partition.HasNimbers(game) {
		return nil, ofKind{fmt.Errorf("%s has no nimbers; leave Options.Nimbers out", game), ErrBoard}
	}
	t, err := opened(probe.Open(dir, rules))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t, err = remake(ctx, dir, rules, o, false)
	case err == nil && t.onlyNimbers() && o.Steps:
		if err = t.Close(); err == nil {
			t, err = remake(ctx, dir, rules, o, false)
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
	return remake(ctx, dir, rules, o, true)
}

// onlyNimbers reports whether all that is there of a board is the table of its nimbers.
func (t *Table) onlyNimbers() bool { return t.table.Stored().Shape().Nimbers }

// remake makes a table, that of the nimbers or the other one, and opens what there is then.
func remake(ctx context.Context, dir string, rules game.Grid, o Options, nimbers bool) (*Table, error) {
	if err := makeTable(ctx, dir, rules, o, nimbers); err != nil {
		return nil, err
	}
	return opened(probe.Open(dir, rules))
}

// suffices says what a table that was there before lacks of what is asked for, and what
// to do.
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
	return fmt.Errorf("%s is there, but has %s; remove it, or choose another directory", t.table.Stored().Path(), lacks)
}

// makeTable solves a board into a directory, for its nimbers or for the rest.
func makeTable(ctx context.Context, dir string, rules game.Grid, o Options, nimbers bool) error {
	how := solve.Options{Steps: o.Steps && !nimbers, Nimbers: nimbers, Threads: o.Threads, Memory: solve.Limit{Bytes: o.Memory}}
	if how.Memory.Bytes <= 0 {
		how.Memory.Bytes = standardMemory
	}
	if o.Progress != nil {
		how.Progress = func(e retro.Event) { o.Progress(e.Done, e.States) }
	}
	job, err := solve.New(dir, rules, 0, nil, how)
	if err != nil {
		return ofKind{err, ErrBoard}
	}
	if need := job.Engine().Plan(job.Space).Memory(); need > how.Memory.Bytes {
		return fmt.Errorf("solving %v takes about %s of memory, and only %s may be used; allow it by Options.Memory",
			rules.Info(), humanize.IBytes(uint64(need)), humanize.IBytes(uint64(how.Memory.Bytes)))
	}
	if err := durable.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	_, err = job.Solve(ctx)
	return err
}
