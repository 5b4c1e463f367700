package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/internal/cli"
	"backsolve/cmd/tbsolve/machine"
	"backsolve/game"
	"backsolve/game/games"
	"backsolve/partition"
	"backsolve/probe"
	"backsolve/retro"
	"backsolve/tablebase"
)

// solver is a solve as it is asked for on the command line.
type solver struct {
	dir                     *string
	steps                   bool
	threads, stripes, tasks countValue
	memory                  bytesValue
	force, json, quiet      bool
}

// maxThreads is more than any machine has a use for.
const maxThreads = 4096

func solveCommand(g game.Game) *cobra.Command {
	s := &solver{
		threads: countValue{count: runtime.GOMAXPROCS(0), max: maxThreads, standard: "all cores"},
		stripes: countValue{count: 1000, max: 1 << 20, standard: "1000"},
		tasks:   countValue{count: 10, max: 10_000, standard: "10"},
	}
	cmd := &cobra.Command{
		Use:     g.Name + " N",
		Short:   "Solve " + g.Name + " on the N×N board",
		GroupID: groupGames,
		Long: fmt.Sprintf(`Solve %[1]s on the N×N board and write the table %[1]s-NxN.tb.

%[2]s

A solve that is stopped, by Ctrl-C, a signal or a power cut, loses at most the
class in work: the same command goes on after the last finished class. The bytes
of the table do not depend on --threads, --stripes, --tasks-per-thread, --memory,
on the machine or on interruptions.

`, g.Name, g.Summary) + statuses,
		Example: fmt.Sprintf(`  tbsolve %[1]s 4
  tbsolve %[1]s 4 --steps --force
  tbsolve %[1]s 4 --dir /data/tables --threads 8 --memory 8GiB
  tbsolve %[1]s 4 --quiet --json`, g.Name),
		Args:              oneArg("the size N of the board", "4"),
		ValidArgsFunction: completeSizes(g),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := cli.ParseSize(args[0])
			if err != nil {
				return err
			}
			rules, err := games.New(g.Name, n)
			if err != nil {
				return &cli.UsageError{Err: err}
			}
			return s.run(cmd, rules)
		},
	}
	f := cmd.Flags()
	s.dir = cli.DirFlag(f)
	f.BoolVar(&s.steps, "steps", false, "also find the number of steps to the end")
	f.Var(&s.threads, "threads", fmt.Sprintf("number of threads, 1 to %d", maxThreads))
	f.Var(&s.stripes, "stripes", "number of locks that the blocks share")
	f.Var(&s.tasks, "tasks-per-thread", "number of block tasks that a pass is cut into for each thread")
	f.Var(&s.memory, "memory", "limit of memory, for example 8GiB; it is kept (default three quarters of what is available)")
	f.BoolVar(&s.force, "force", false, "solve again where the table exists, and start over where something else was interrupted")
	f.BoolVar(&s.json, "json", false, "print the summary as one JSON object")
	f.BoolVar(&s.quiet, "quiet", false, "show no progress")
	return cmd
}

// completeSizes offers the sizes that can be solved.
func completeSizes(g game.Game) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var sizes []string
		for n := g.MinSize; n <= g.MaxSize && len(args) == 0; n++ {
			if _, err := partition.New(g.New(n)); err == nil {
				sizes = append(sizes, strconv.Itoa(n))
			}
		}
		return sizes, cobra.ShellCompDirectiveNoFileComp
	}
}

func (s *solver) run(cmd *cobra.Command, rules game.Rules) error {
	began := time.Now()
	space, err := partition.New(rules)
	if err != nil {
		return &cli.UsageError{Err: err}
	}
	path := filepath.Join(*s.dir, probe.FileName(rules))
	o, err := s.prepare(space, path)
	if err != nil {
		return err
	}
	w, err := tablebase.Create(path, shapeOf(space, s.steps), s.force)
	if err != nil {
		return err
	}
	defer w.Close()
	stderr := cmd.ErrOrStderr()
	if dropped := w.Dropped(); dropped != "" {
		fmt.Fprintln(stderr, "warning:", dropped)
	}
	if sealed := len(w.Sealed()); sealed > 0 && !s.quiet {
		fmt.Fprintf(stderr, "going on after %d of %d classes, which an interrupted solve has finished\n", sealed, space.MaskBits()+1)
	}
	stop := func() {}
	if !s.quiet {
		p := &progress{title: fmt.Sprintf("%s %d×%d", rules.Name(), rules.Size(), rules.Size())}
		o.Progress = follow(p, rules)
		stop = p.show(stderr)
	}
	result, err := retro.Solve(cmd.Context(), space, w, o)
	stop()
	if interrupted := (*cli.Interrupted)(nil); errors.As(err, &interrupted) {
		return fmt.Errorf("%w; the finished classes are kept: run the same command again to go on after them", err)
	}
	if err != nil {
		return err
	}
	took, peak := time.Since(began), machine.PeakMemory()

	table, err := probe.Open(*s.dir, rules)
	if err != nil {
		return err
	}
	defer table.Close()
	sum, err := summarize(table, result.Resumed, took, peak)
	if err != nil {
		return err
	}
	if s.json {
		return sum.writeJSON(cmd.OutOrStdout())
	}
	return sum.writeText(cmd.OutOrStdout())
}

// prepare refuses what cannot be solved here, before any work, and makes the
// directory.
func (s *solver) prepare(space partition.Space, path string) (retro.Options, error) {
	o := retro.Options{Steps: s.steps, Threads: s.threads.count, Stripes: s.stripes.count, TasksPerThread: s.tasks.count}
	var source string
	o.Memory, source = memoryLimit(s.memory)
	if err := checkMemory(space, o, source); err != nil {
		return o, err
	}
	if err := os.MkdirAll(*s.dir, 0o777); err != nil {
		var at *fs.PathError
		if errors.As(err, &at) {
			err = at.Err
		}
		return o, fmt.Errorf("cannot make the directory %s: %w; choose another with --dir", *s.dir, err)
	}
	return o, checkDisk(space, s.steps, *s.dir, freeFor(*s.dir, path))
}

// follow tells the progress of a solve in states of the whole game, each stored
// one standing for equally many of them.
func follow(p *progress, rules game.Rules) func(retro.Event) {
	states, _ := game.StateCount(rules).Float64()
	began := false
	return func(e retro.Event) {
		if e.Sealed {
			return // says nothing of the class in work
		}
		done := float64(e.Done) / float64(e.States) * states
		if !began {
			p.begin("states", done, states)
			began = true
		}
		p.tell(fmt.Sprintf("class %d", e.Class), done)
	}
}
