package solving

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/durable"
	"backsolve/internal/machine"
	"backsolve/partition"
	"backsolve/probe"
	"backsolve/retro"
	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

// solver is a solve as it is asked for on the command line.
type solver struct {
	dir                     *string
	steps, grundy           bool
	threads, stripes, tasks cli.CountValue
	memory                  cli.BytesValue
	measured                bool // limit and source are known
	limit                   int64
	source                  MemorySource
	force                   bool
	progress                *progress.Display
	format                  *cli.Format
	plan                    bool
	downTo                  int
	after                   string
	keep                    keepValue
	work                    *cli.Choice
	packed                  bool
	sharing                 Sharing // nil where this process solves alone
}

// Target is a board to be solved, and what becomes of it.
type Target struct {
	Rules game.Grid
	Space *partition.Space
	Moves []string // that the game goes on after
	Shape tablebase.Shape
	Path  string // of the table
	Force bool   // whether what is unfinished is discarded
}

func (s *solver) newTarget(rules game.Grid) (*Target, error) {
	if err := cli.LocalDir(*s.dir); err != nil {
		return nil, err
	}
	t := &Target{Rules: rules, Force: s.force}
	var taken uint64
	if s.after != "" {
		var err error
		if taken, t.Moves, err = probe.ParseAfter(rules, s.after); err != nil {
			return nil, cli.Usagef("--after %s: %w", s.after, err)
		}
	}
	var err error
	if t.Space, err = partition.NewAfter(rules, taken); err != nil {
		return nil, &cli.UsageError{Err: err}
	}
	t.Shape = probe.Shape(t.Space, s.steps)
	t.Path = filepath.Join(*s.dir, probe.FileNameAfter(rules.Info(), taken))
	if s.grundy {
		t.Shape = probe.NimbersShape(t.Space)
		t.Path = filepath.Join(*s.dir, probe.NimbersFileName(rules.Info()))
	}
	if s.packed {
		t.Path += tablebase.PackedSuffix
	}
	return t, nil
}

// Name is the board for messages: notakto 7×7 after d4.
func (t *Target) Name() string {
	name := fmt.Sprintf("%s %d×%d", t.Rules.Name(), t.Rules.Size(), t.Rules.Size())
	if len(t.Moves) > 0 {
		name += " after " + strings.Join(t.Moves, ", ")
	}
	return name
}

// plainPath is that of the table when it is not packed.
func (t *Target) plainPath() string { return strings.TrimSuffix(t.Path, tablebase.PackedSuffix) }

// resultPath and workPath are where a solve that keeps no table puts its result
// and its work files.
func (t *Target) resultPath() string {
	return resultPath(filepath.Dir(t.Path), t.Rules, t.Space.Taken)
}
func (t *Target) workPath() string { return strings.TrimSuffix(t.Path, probe.FileSuffix) }

// Program is the program that a command is of.
type Program struct {
	Command string // line that comes before the game, for examples
	Group   string // of the command
	Sharing Sharing
}

// Command returns the command that solves a game.
func Command(g game.Game, of Program) *cobra.Command {
	s := &solver{
		sharing: of.Sharing,
		threads: cli.ThreadsValue(),
		stripes: cli.NewCount(1000, 1<<20),
		tasks:   cli.NewCount(10, 10_000),
		work:    cli.NewChoice("", workRaw, workPacked),
	}
	cmd := &cobra.Command{
		Use:     g.Name + " SIZE",
		Short:   "Solve " + g.Name + " and write the table",
		GroupID: of.Group,
		Long: fmt.Sprintf(`Solve %[1]s and write the table, for SIZE 4 the file %[1]s-4x4.tb.

%[2]s

To resume an interrupted solve, run the same command again. Ctrl-C, a signal or a
kill costs at most the current class, a power failure at most five more seconds of
work. After Ctrl-C a class that is already solved is still written; a second Ctrl-C
ends the program at once.

The table is the same, byte for byte, whatever the machine, --threads,
--tasks-per-thread and --memory, and whether the solve was interrupted.`, g.Name, g.Summary),
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
	if partition.HasNimbers(g.Name) {
		f.BoolVar(&s.grundy, "grundy", false, "compute nimbers instead: Grundy values, where completing a line is illegal and a player without a move loses")
	}
	f.BoolVar(&s.packed, "packed", false, "write the table packed, as by tbsolve pack, without needing disk space for the unpacked table")
	f.Var(&s.threads, "threads", fmt.Sprintf("number of threads, 1 to %d", cli.MaxThreads))
	f.Var(&s.tasks, "tasks-per-thread", "number of block tasks of a pass for each thread")
	f.Var(&s.memory, "memory", "memory limit, for example 8GiB (default three quarters of what is available)")
	f.BoolVar(&s.force, "force", false, "solve again even if the table exists, and discard an unfinished solve with other options")
	f.BoolVar(&s.plan, "plan", false, "do not solve; print the classes, memory, disk space and time of the solve")
	f.IntVar(&s.downTo, "down-to-class", 0, "stop after the class with N marked cells; the same command without the flag continues")
	if partition.GoesOn(g.Name) {
		f.Var(&s.stripes, "stripes", "number of locks shared by the blocks if no table is kept")
		f.StringVar(&s.after, "after", "", "`MOVES` solve the game after these moves, for example c3 or a1,c3")
		f.Var(&s.keep, "keep", "what to keep: table, result, or opening[=BYTES], the result and a table of the emptiest classes, at most 6GiB by default "+
			"(default table; with --after result if the table does not fit)")
		s.work.Register(cmd, "work", "work files of a solve that keeps no table: raw or packed (default raw if they fit)")
	}
	s.format = cli.FormatFlags(cmd, cli.Text, cli.JSON)
	s.progress = progress.Flags(cmd)
	advanced := []string{"threads", "tasks-per-thread", "memory", "down-to-class", "progress", "quiet"}
	if s.sharing != nil {
		advanced = append(advanced, s.sharing.Register(cmd)...)
	}
	if partition.GoesOn(g.Name) {
		advanced = append(advanced, "stripes", "work")
	}
	cli.Advanced(cmd, advanced...)
	return cmd
}

// examples are those of the command of a game.
func (p Program) examples(game string) string {
	lines := []string{"4", "4 --steps --force", "4 --dir /data/tables --threads 8 --memory 8GiB", "4 --quiet --json"}
	if p.Sharing != nil {
		lines = []string{"6 --workers 3", "6 --steps --cluster nats://host:4222 --store /shared/backsolve", "6 --steps --plan --workers 3"}
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
	if err := s.checkGrundy(); err != nil {
		return err
	}
	t, err := s.newTarget(rules)
	if err != nil {
		return err
	}
	if s.downTo < 0 || s.downTo > t.Space.MaskBits {
		return cli.Usagef("--down-to-class %d: the classes of %s go from %d down to 0", s.downTo, t.Name(), t.Space.MaskBits)
	}
	streams, err := s.streams(t)
	if err == nil && s.sharing != nil {
		err = s.sharing.Check(t)
	}
	switch {
	case err != nil:
		return err
	case s.plan:
		return s.printPlan(cmd, t, streams)
	case streams:
		return s.stream(cmd, t)
	}
	return s.solve(cmd, t)
}

// maxMovesOfTable is how many moves fit the name of a game in a table.
const maxMovesOfTable = 6

// streams reports whether only the result of a solve is kept, or that and an
// opening table.
func (s *solver) streams(t *Target) (bool, error) {
	keep := s.keep.word
	if len(t.Moves) > maxMovesOfTable && keep != keepResult {
		return false, cli.Usagef("a table can begin after %d moves at most; give fewer, or --keep result", maxMovesOfTable)
	}
	streams := keep == keepResult || keep == keepOpening
	if streams && (s.steps || s.downTo > 0) {
		return false, cli.Usagef("--steps and --down-to-class need the table; leave them out or give --keep table")
	}
	if keep == "" && len(t.Moves) > 0 && !s.steps && s.downTo == 0 {
		o, source := s.options()
		streams = checkMemory(t.Space, o, source) != nil || checkDisk(t.Space, o, s.packed, *s.dir, freeFor(*s.dir, t.Path)) != nil
	}
	if s.packed && streams {
		return false, cli.Usagef("--packed is for solves that keep the table; leave it out, or pack the opening table afterwards")
	}
	if s.work.String() != "" && !streams {
		return false, cli.Usagef("--work is for solves that keep no table; leave it out, or give --keep result or --keep opening")
	}
	return streams, nil
}

// printPlan says what a solve takes, and whether it can be had here.
func (s *solver) printPlan(cmd *cobra.Command, t *Target, streams bool) error {
	if streams {
		return s.printStreamPlan(cmd, t)
	}
	o, source := s.options()
	is := planned{
		what: t.Name() + " " + numbersText(o), options: o, source: source, free: freeFor(*s.dir, t.Path),
		memory: o.Plan(t.Space).Memory(), disk: o.Plan(t.Space).Disk(s.packed),
	}
	if is.obstacle = checkMemory(t.Space, o, source); is.obstacle == nil {
		is.obstacle = checkDisk(t.Space, o, s.packed, *s.dir, is.free)
	}
	if s.sharing != nil {
		var none error
		if is.processes, none = s.sharing.PlanTable(t, o, source, is.free); is.obstacle == nil {
			is.obstacle = none
		}
	}
	return s.newPlan(t, is).print(cmd, s.format)
}

// solve solves into a table.
func (s *solver) solve(cmd *cobra.Command, t *Target) error {
	began := time.Now()
	if !s.force {
		there, err := s.reportExisting(cmd, t)
		if err != nil {
			return err
		}
		if there {
			return s.tidyTable(cmd, t)
		}
	}
	o, err := s.prepare(t)
	if err != nil {
		return err
	}
	w, err := writer.Create(t.Path, t.Shape, s.force)
	if err != nil {
		return refused(err)
	}
	defer w.Close()
	stderr := cmd.ErrOrStderr()
	if dropped := w.Dropped(); dropped != "" {
		fmt.Fprintln(stderr, "warning:", dropped)
	}
	if sealed := len(w.Sealed()); sealed > 0 && !s.progress.Off() {
		fmt.Fprintf(stderr, "going on after %d of %d classes, which an interrupted solve has finished\n", sealed, t.Space.MaskBits+1)
	}
	limitHeap(o)
	o.LogPath = t.Path
	p, stop := s.watch(cmd, &o, t)
	var scheduler Scheduler
	ctx := cmd.Context()
	if s.sharing != nil {
		if scheduler, err = s.sharing.Table(ctx, t, o, p.Say); err == nil {
			defer scheduler.Close()
			ctx, o.Scheduler = scheduler.Context(), scheduler
		}
	}
	var solved *retro.Result
	if err == nil {
		solved, err = retro.Solve(ctx, t.Space, w, o)
	}
	stop()
	if err != nil {
		return s.explain(err)
	}
	took, peak := time.Since(began), machine.PeakMemory()
	if s.downTo > 0 {
		return s.reportClasses(cmd, t, w.Sealed(), took, peak)
	}
	if scheduler != nil {
		err = scheduler.Finish()
	}
	if err == nil {
		err = clearShared(t.SharedDir(), t.Path)
	}
	if err != nil {
		return fmt.Errorf("the table is finished, but %w", err)
	}
	table, err := probe.OpenFile(t.Path)
	if err != nil {
		return err
	}
	defer table.Close()
	sum, err := summarize(table, solved, took, peak)
	if err != nil {
		return err
	}
	return s.print(cmd, sum)
}

// limitHeap lets the runtime know the limit. A solve may have none.
func limitHeap(o retro.Options) {
	if o.Memory > 0 {
		machine.LimitHeap(o.Memory)
	}
}

// explain adds to an interruption that it cost little, unless the directory is
// gone.
func (s *solver) explain(err error) error {
	stopped := errors.As(err, new(*cli.Interrupted))
	if !stopped && s.sharing != nil {
		stopped, _ = s.sharing.Ended(err)
	}
	if stopped {
		if _, gone := os.Stat(*s.dir); errors.Is(gone, fs.ErrNotExist) {
			return fmt.Errorf("%w; the directory %s was removed meanwhile, and what was solved with it", err, *s.dir)
		}
		return fmt.Errorf("%w; the finished classes are kept: run the same command again to go on after them", err)
	}
	return err
}

// options returns how to solve, and where the memory limit comes from.
func (s *solver) options() (o retro.Options, source MemorySource) {
	o = retro.Options{Steps: s.steps, Nimbers: s.grundy, Threads: s.threads.Count, Stripes: s.stripes.Count, TasksPerThread: s.tasks.Count, DownTo: s.downTo}
	if !s.measured { // what is available changes from one moment to the next
		s.limit, s.source = MemoryLimit(s.memory, machine.AvailableMemory())
		s.measured = true
	}
	o.Memory = s.limit
	return o, s.source
}

// prepare refuses what cannot be solved here, before any work, and makes the
// directory.
func (s *solver) prepare(t *Target) (retro.Options, error) {
	space := t.Space
	o, source := s.options()
	if err := checkMemory(space, o, source); err != nil {
		return o, &cli.RefusedError{Err: err}
	}
	if err := s.makeDir(); err != nil {
		return o, &cli.RefusedError{Err: err}
	}
	free := freeFor(*s.dir, t.Path)
	if err := checkDisk(space, o, s.packed, *s.dir, free); err != nil {
		return o, &cli.RefusedError{Err: err}
	}
	if s.sharing != nil {
		if _, err := s.sharing.PlanTable(t, o, source, free); err != nil {
			return o, &cli.RefusedError{Err: err}
		}
	}
	return o, nil
}

// makeDir makes the directory of the tables, but none above it.
func (s *solver) makeDir() error {
	if _, err := checkDir(*s.dir); err != nil {
		return err
	}
	return durable.Mkdir(*s.dir, 0o777)
}

// checkGrundy refuses what does not go with --grundy.
func (s *solver) checkGrundy() error {
	switch {
	case !s.grundy:
		return nil
	case s.steps:
		return cli.Usagef("--steps and --grundy make different tables; leave one of them out")
	case s.after != "":
		return cli.Usagef("--grundy finds the nimbers of a whole board; leave --after out")
	case s.keep.word == keepResult || s.keep.word == keepOpening:
		return cli.Usagef("--grundy needs the table; leave --keep out")
	}
	return nil
}
