// Package solving is the command that solves a board, which several programs have.
package solving

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/machine"
	"backsolve/internal/solve"
	"backsolve/partition"
	"backsolve/retro"
)

// solver is a solve as the command line asks for it.
type solver struct {
	dir                     *string
	steps, grundy           bool
	threads, stripes, tasks cli.CountValue
	memory                  cli.BytesValue
	force                   bool
	progress                *progress.Display
	format                  *cli.Format
	plan                    bool
	downTo                  int
	after                   string
	keep                    keepValue
	work, packed            *cli.Choice
	sharing                 Sharing // nil where this process solves alone
}

// Sharing is solve.Sharing with the flags that control it.
type Sharing interface {
	solve.Sharing
	// Register adds flags to a command that solves, and returns their names. It is called
	// before any other method.
	Register(cmd *cobra.Command) []string
	// Check refuses a job that cannot be shared. The error is a *cli.UsageError.
	Check(j *solve.Job) error
	// Stopped reports whether another process has stopped the solve. What is solved is kept.
	Stopped(err error) bool
}

// Program is the program that a command is of.
type Program struct {
	Command string // line that comes before the game, for examples
	Group   string // of the command
	Sharing Sharing
}

// The words of --packed.
const (
	packedFull    = "full"
	packedArchive = "archive"
)

// Command returns the command that solves a game.
func Command(g game.Game, of Program) *cobra.Command {
	s := &solver{
		sharing: of.Sharing,
		threads: cli.ThreadsValue(),
		stripes: cli.NewCount(1000, 1<<20),
		tasks:   cli.CountValue{Max: 10_000, Standard: "10, from 16 threads on 40"},
		work:    cli.NewChoice("", solve.WorkRaw, solve.WorkPacked),
		packed:  cli.NewChoice("", packedFull, packedArchive),
	}
	cmd := &cobra.Command{
		Use:     g.Name + " SIZE",
		Short:   "Solve " + g.Name + " and write the table",
		GroupID: of.Group,
		Long: fmt.Sprintf(`Solve %[1]s and write the table, for SIZE 4 the file %[1]s-4x4.tb.

%[2]s

SIZE is 4 for 4×4%[3]v.

To resume an interrupted solve, run the same command again. Ctrl-C, a signal or a
kill costs at most the current class, a power failure at most five more seconds of
work. After Ctrl-C a class that is already solved is still written; a second Ctrl-C
ends the program at once.

The table is the same, byte for byte, whatever the machine, --threads,
--tasks-per-thread and --memory, and whether the solve was interrupted.`, g.Name, g.Summary, g.Variants),
		Example:           of.examples(g.Name),
		Args:              cli.Args(1),
		ValidArgsFunction: completeSizes(g),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := cli.ParseSize(args[0])
			if err != nil {
				return err
			}
			rules, err := games.New(g.Name, n)
			if err == nil {
				err = partition.Solvable(rules.Info())
			}
			if err != nil {
				return &cli.UsageError{Err: err}
			}
			grid, _ := game.GridOf(rules) // only grids can be solved
			return s.run(cmd, grid)
		},
	}
	f := cmd.Flags()
	s.dir = cli.DirFlag(f)
	f.BoolVar(&s.steps, "steps", false, "also compute the steps to the end")
	if partition.HasNimbers(g.Name, 0) {
		f.BoolVar(&s.grundy, "grundy", false, "compute nimbers instead: Grundy values, where completing a line is illegal and a player without a move loses")
	}
	s.packed.Register(cmd, "packed", "`[=archive]` write the table packed, as by tbsolve pack or pack --archive, without needing disk space for the unpacked table")
	f.Lookup("packed").NoOptDefVal = packedFull
	f.Var(&s.threads, "threads", fmt.Sprintf("number of threads, 1 to %d", cli.MaxThreads))
	f.Var(&s.memory, "memory", "memory limit, for example 8GiB (default three quarters of what is available); quixo takes longer with less")
	f.BoolVar(&s.force, "force", false, "solve again even if the table exists, and discard an unfinished solve with other options")
	f.BoolVar(&s.plan, "plan", false, "do not solve; print the classes, memory, disk space and time of the solve")
	f.IntVar(&s.downTo, "down-to-class", 0, "stop after the class with N marked cells; the same command without the flag continues")
	if partition.GoesOn(g.Name) {
		f.StringVar(&s.after, "after", "", "`MOVES` solve the game after these moves, for example c3 or a1,c3")
		f.Var(&s.keep, "keep", "what to keep: table, result, or opening[=BYTES], the result and a table of the emptiest classes, at most 6GiB by default "+
			"(default table; with --after result if the table does not fit)")
		s.work.Register(cmd, "work", "work files of a solve that keeps no table: raw or packed (default raw if they fit)")
	}
	s.format = cli.FormatFlags(cmd, cli.Text, cli.JSON)
	s.progress = progress.Flags(cmd)
	advanced := []string{"threads", "memory", "down-to-class", "progress", "quiet"}
	if s.sharing != nil {
		advanced = append(advanced, s.sharing.Register(cmd)...)
	} else {
		f.Var(&s.tasks, "tasks-per-thread", "number of block tasks of a pass for each thread")
		advanced = append(advanced, "tasks-per-thread")
	}
	if partition.GoesOn(g.Name) {
		advanced = append(advanced, "work")
		if s.sharing == nil {
			f.Var(&s.stripes, "stripes", "number of locks shared by the blocks if no table is kept")
			advanced = append(advanced, "stripes")
		}
	}
	cli.Advanced(cmd, advanced...)
	return cmd
}

// examples are those of the command of a game.
func (p Program) examples(game string) string {
	lines := []string{"4", "4 --steps --force", "4 --dir /data/tables --threads 8 --memory 8GiB", "4 --quiet --json"}
	if p.Sharing != nil {
		lines = []string{"5 --workers 3", "5 --steps --cluster nats://host:4222 --store /shared/backsolve", "4 --steps --plan --workers 3"}
	}
	for i, line := range lines {
		lines[i] = "  " + p.Command + " " + game + " " + line
	}
	return strings.Join(lines, "\n")
}

// completeSizes completes the sizes that can be solved.
func completeSizes(g game.Game) cobra.CompletionFunc {
	var sizes []string
	for _, n := range cli.SolvableSizes(g) {
		sizes = append(sizes, strconv.Itoa(n))
	}
	return cobra.FixedCompletions(sizes, cobra.ShellCompDirectiveNoFileComp)
}

func (s *solver) run(cmd *cobra.Command, rules game.Grid) error {
	j, err := s.newJob(rules)
	if err != nil {
		return err
	}
	if s.plan {
		return s.explain(printPlan(cmd, s.format, j.Plan(), writePlan))
	}
	if j.Limit.Bytes > 0 {
		machine.LimitHeap(j.Limit.Bytes)
	}
	runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), j.Processors()))
	p := progress.New("table", j.Name())
	j.Engine.Progress, j.Logf = follow(p, j), p.Log
	j.Notify = func(notice any) { s.notify(cmd, notice) }
	stop := s.progress.Show(cmd, p)
	report, err := j.Solve(cmd.Context())
	stop()
	if report != nil {
		err = errors.Join(cli.Print(cmd, s.format, report, writeReport), err)
	}
	return s.explain(err)
}

// newJob returns the job that the flags describe. The error is a *cli.UsageError.
func (s *solver) newJob(rules game.Grid) (*solve.Job, error) {
	if err := s.checkGrundy(rules.Info()); err != nil {
		return nil, err
	}
	if err := cli.LocalDir(*s.dir); err != nil {
		return nil, err
	}
	var taken uint64
	var moves []string
	if s.after != "" {
		var err error
		if taken, moves, err = game.ParseAfter(rules, s.after); err != nil {
			return nil, cli.Usagef("--after %s: %w", s.after, err)
		}
	}
	if err := s.checkKeep(moves); err != nil {
		return nil, err
	}
	o := solve.Options{
		Engine: retro.Options{
			Steps: s.steps, Nimbers: s.grundy, Threads: s.threads.Count, TasksPerThread: s.tasks.Count, Stripes: s.stripes.Count, DownTo: s.downTo,
		},
		Packed: s.packed.String() != "", Archive: s.packed.String() == packedArchive, Force: s.force, Limit: MemoryLimit(s.memory, machine.AvailableMemory()),
		Keep: s.keep.what, OpeningBytes: s.keep.bytes, Work: s.work.String(), Sharing: s.sharing,
	}
	j, err := solve.New(*s.dir, rules, taken, moves, o)
	switch {
	case err != nil:
		return nil, &cli.UsageError{Err: err}
	case o.Archive && !s.steps:
		return nil, cli.Usagef("--packed=%s leaves out the steps of won states, so it needs --steps; give --steps, or --packed alone", packedArchive)
	case o.Packed && j.OutOfCore:
		return nil, cli.Usagef("--packed is for solves that keep the table; leave it out, or pack the opening table afterwards")
	case o.Work != "" && !j.OutOfCore:
		return nil, cli.Usagef("--work is for solves that keep no table; leave it out, or give --keep result or --keep opening")
	case s.sharing != nil:
		return j, s.sharing.Check(j)
	}
	return j, nil
}

// checkKeep refuses what does not go with --keep.
func (s *solver) checkKeep(moves []string) error {
	if len(moves) > solve.MaxTableMoves && s.keep.what != solve.KeepResult {
		return cli.Usagef("a table can begin after %d moves at most; give fewer, or --keep result", solve.MaxTableMoves)
	}
	if s.keep.outOfCore() && (s.steps || s.downTo > 0) {
		return cli.Usagef("--steps and --down-to-class need the table; leave them out or give --keep table")
	}
	return nil
}

// checkGrundy refuses what does not go with --grundy.
func (s *solver) checkGrundy(board game.Info) error {
	switch {
	case !s.grundy:
		return nil
	case s.steps:
		return cli.Usagef("--steps and --grundy make different tables; leave one of them out")
	case s.after != "":
		return cli.Usagef("--grundy finds the nimbers of a whole board; leave --after out")
	case !partition.HasNimbers(board.Name, board.Size):
		return cli.Usagef("%v has no tables with nimbers; leave --grundy out", board)
	case s.keep.outOfCore():
		return cli.Usagef("--grundy needs the table; leave --keep out")
	}
	return nil
}

// MemoryLimit returns the limit of a solve: what was allowed, but no more than is available,
// or three quarters of that where nothing was said. What the control groups of this process
// do not leave it is not available.
func MemoryLimit(allowed cli.BytesValue, available int64) solve.Limit {
	l := solve.Limit{Bytes: int64(allowed), Available: available}
	switch {
	case allowed == 0 && available == machine.Unknown:
	case allowed == 0:
		l.Bytes, l.Source = machine.StandardMemory(available), "three quarters of what is available now"
	case available != machine.Unknown && available < int64(allowed):
		l.Bytes, l.Source = available, "--memory allows more, but that is what is available now"
	default:
		l.Source = "that is what --memory allows"
	}
	return l
}

// notify prints what a user of a solve should know.
func (s *solver) notify(cmd *cobra.Command, notice any) {
	stderr := cmd.ErrOrStderr()
	switch n := notice.(type) {
	case solve.Dropped:
		fmt.Fprintln(stderr, "warning:", n)
	case solve.Resumed:
		if !s.progress.Off() {
			fmt.Fprintf(stderr, "resuming after %d of %d classes, which an interrupted solve has finished\n", n.Finished, n.Classes)
		}
	case solve.Kept:
		if n.Other != nil {
			fmt.Fprintf(stderr, "note: %s is an interrupted solve of %v, and is kept; %s\n", n.Path, n.Other, cli.ResumeByForce(n.Path))
			return
		}
		fmt.Fprintf(stderr, "note: %s is what an interrupted solve has left, and is kept; the same command with --force resumes it\n", n.Path)
	}
}

// explain adds to an interruption that it cost little, unless the directory is gone.
func (s *solver) explain(err error) error {
	if errors.As(err, new(*solve.Refusal)) {
		return &cli.RefusedError{Err: err}
	}
	if !errors.As(err, new(*cli.Interrupted)) && (err == nil || s.sharing == nil || !s.sharing.Stopped(err)) {
		return err
	}
	if _, gone := os.Stat(*s.dir); errors.Is(gone, fs.ErrNotExist) {
		return fmt.Errorf("%w; the directory %s was removed meanwhile, and what was solved with it", err, *s.dir)
	}
	return fmt.Errorf("%w; the finished classes are kept: run the same command again to resume after them", err)
}

// printPlan prints a plan. The error is its obstacle unless printing fails.
func printPlan(cmd *cobra.Command, f *cli.Format, p *solve.Plan, text func(io.Writer, *solve.Plan) error) error {
	if p.Err != nil {
		p.Obstacle = cli.Sentence(p.Err)
	}
	if p.Table.Err != nil {
		p.Table.Reason = cli.Sentence(p.Table.Err)
	}
	if err := cli.Print(cmd, f, p, text); err != nil {
		return err
	}
	return p.Err
}
