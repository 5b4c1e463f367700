package backsolve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/internal/durable"
	"backsolve/internal/machine"
	"backsolve/internal/probe"
	"backsolve/internal/solve"
	"backsolve/partition"
	"backsolve/retro"
	"backsolve/retro/generic"
	"backsolve/tablebase"
)

// Options say how a board, or a game of your own, is solved. Only Steps and Nimbers change the
// bytes of the tables.
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
	// use, it takes longer.
	Memory int64
	// Progress, unless nil, gets events, from one goroutine at a time.
	Progress func(Event)
}

// Event is the progress of a solve or of Verify.
type Event struct {
	Stage string // what is done: solve, enumerate, write, checksums …
	At    int    // the class or tier in work
	Unit  string // states or bytes
	// Done of Total are done, in the unit. Total is 0 where that is not known.
	Done, Total uint64
}

func (o Options) progress() func(tablebase.Event) {
	if o.Progress == nil {
		return nil
	}
	return func(e tablebase.Event) { o.Progress(Event(e)) }
}

const defaultMemory = 1 << 30

func (o Options) limit() solve.Limit {
	l := solve.Limit{Bytes: o.Memory, Source: "the memory option can allow more", Available: machine.AvailableMemory()}
	if l.Bytes <= 0 {
		l.Bytes = defaultMemory
	}
	return l
}

// Solve opens the table of a board in a directory, as Open does, and solves it first if it is
// missing. If ctx ends, Solve returns its cause and keeps what is finished; another Solve resumes
// there. The error is ErrBoard if there can be no table. It is also an error, before any work, if
// the solve would take too much memory or disk, or the table exists without the steps asked for.
func Solve(ctx context.Context, dir, board string, o Options) (*Table, error) {
	b, err := parseBoard(board)
	if err != nil {
		return nil, err
	}
	if rules, listed := b.Rules().(custom.Listed); listed {
		return solveListed(ctx, dir, rules, o)
	}
	rules := b.Grid()
	if o.Nimbers && !partition.HasNimbers(rules.Name(), rules.Size()) {
		return nil, noNimbers(rules.Name())
	}
	t, err := opened(b.OpenAny(ctx, dir))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t, err = solveAndOpen(ctx, dir, rules, o, false)
	case err == nil && t.grid.Stored().Shape().Nimbers && o.Steps: // there are only the nimbers
		if err = t.Close(); err == nil {
			t, err = solveAndOpen(ctx, dir, rules, o, false)
		}
	case err == nil:
		if lacks := t.suffices(o); lacks != nil {
			return nil, errors.Join(lacks, t.Close())
		}
	}
	if err != nil || !o.Nimbers || t.grid.HasNimbers() {
		return t, err
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	return solveAndOpen(ctx, dir, rules, o, true)
}

func noNimbers(name string) error {
	return tablebase.OfKind(fmt.Errorf("%s has no nimbers; leave Options.Nimbers out", name), ErrBoard)
}

func solveListed(ctx context.Context, dir string, rules custom.Listed, o Options) (*Table, error) {
	if o.Nimbers {
		return nil, noNimbers(rules.Info().Name)
	}
	job := solve.Game{Dir: dir, Rules: rules, Options: generic.Options{Outcomes: !o.Steps, Threads: o.Threads, Progress: o.progress()}, Limit: o.limit()}
	table, _, err := job.Solve(ctx)
	if err != nil {
		return nil, Classify(err)
	}
	t, err := opened(table, nil)
	if lacks := t.suffices(o); lacks != nil {
		return nil, errors.Join(lacks, t.Close())
	}
	return t, err
}

// solveAndOpen makes one table, with or without nimbers, and opens all there are.
func solveAndOpen(ctx context.Context, dir string, rules game.Grid, o Options, nimbers bool) (*Table, error) {
	engine := retro.Options{Steps: o.Steps && !nimbers, Nimbers: nimbers, Threads: o.Threads, Progress: o.progress()}
	job, err := solve.New(dir, rules, 0, nil, solve.Options{Engine: engine, Limit: o.limit()})
	if err != nil {
		return nil, tablebase.OfKind(err, ErrBoard)
	}
	if err := job.CheckMemory(); err != nil {
		return nil, err
	}
	if err := durable.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	if _, err := job.Solve(ctx); err != nil {
		return nil, err
	}
	t, err := probe.Open(dir, rules)
	if err != nil {
		return nil, Classify(err)
	}
	return opened(t, nil)
}

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
	return fmt.Errorf("%s exists, but has %s; remove it, or choose another directory", t.table.File().Path(), lacks)
}
