// Package solving is the command that solves a board, which several programs have.
package solving

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"runtime"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/game/games"
	"backsolve/game/othello"
	"backsolve/internal/machine"
	"backsolve/internal/probe"
	"backsolve/internal/solve"
	"backsolve/partition"
	"backsolve/retro/generic"
)

type solver struct {
	solve.Options
	dir, after     string
	outcomes, plan bool
	threads        cli.CountValue
	memory         cli.BytesValue
	sharing        Sharing // nil where this process solves alone
}

// Sharing is solve.Sharing with the flags that control it.
type Sharing interface {
	solve.Sharing
	// Register adds flags to a command that solves, and returns their names. It is called before other methods.
	Register(cmd *cobra.Command) []string
	// Check refuses a job that cannot be shared. The error is a *cli.UsageError.
	Check(j *solve.Job) error
	// Stopped reports whether another process has stopped the solve. What is solved is kept.
	Stopped(err error) bool
}

const (
	packedFull    = "full"
	packedArchive = "archive"
)

// Help says how to resume a solve, and what it writes.
const Help = `To resume an interrupted solve, run the same command again. Ctrl-C, a signal or a
kill costs at most the current class, a power failure at most five more seconds of
work. After Ctrl-C a class that is already solved is still written; a second Ctrl-C
ends the program at once. The table is the same, byte for byte, whatever the machine,
--threads and --memory, and whether the solve was interrupted.`

// Command returns a command that solves the board which its arguments name, by several processes with a sharing. Without
// arguments it prints its help. Commands below it have --dir, --json, --progress and --quiet, too.
func Command(name string, sharing Sharing) *cobra.Command {
	cmd := &cobra.Command{Use: name + " BOARD"}
	cli.DirFlag(cmd.PersistentFlags())
	cli.JSONFlag(cmd.PersistentFlags())
	progress.Flags(cmd, cmd.PersistentFlags())
	s, packed := &solver{sharing: sharing, threads: cli.ThreadsValue()}, cli.NewChoice("", packedFull, packedArchive)
	cmd.ValidArgsFunction = cli.CompleteBoard(cli.SolvableSizes)
	cmd.Args = cobra.ArbitraryArgs // a board, which run reads
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		s.Packed, s.Archive = packed.String() != "", packed.String() == packedArchive
		return s.run(cmd, args)
	}
	f := cmd.Flags()
	f.BoolVar(&s.Engine.Steps, "steps", false, "also compute the steps to the end")
	f.BoolVar(&s.Engine.Nimbers, "grundy", false, "compute nimbers instead, for Notakto: Grundy values, if completing a line is illegal and a player without a move loses")
	packed.Register(cmd, "packed", "`[=archive]` write the table packed, as by tbsolve pack or pack --archive, without needing disk space for the unpacked table")
	f.Lookup("packed").NoOptDefVal = packedFull
	f.Var(&s.threads, "threads", fmt.Sprintf("number of threads, 1 to %d", cli.MaxThreads))
	f.Var(&s.memory, "memory", "memory limit, for example 8GiB (default three quarters of what is available); less may take longer")
	f.BoolVar(&s.Force, "force", false, "solve again even if the table exists, and discard an unfinished solve with other options")
	f.BoolVar(&s.plan, "plan", false, "do not solve; print the states, memory, disk space and time of the solve, on another machine if this one has less than --memory")
	f.IntVar(&s.Engine.DownTo, "down-to-class", 0, "stop after the class with N marked cells; the same command without the flag continues")
	f.StringVar(&s.after, "after", "", "`MOVES` solve the game after these moves, for example c3 or a1,c3; Notakto")
	f.Func("keep", "`WORD` what to keep: table, result, or opening[=BYTES], the result and a table of the emptiest classes, at most 6GiB by default "+
		"(default table; with --after result if the table does not fit); Notakto", s.setKeep)
	advanced := []string{"threads", "memory", "down-to-class", "grundy", "after", "keep"}
	if sharing != nil {
		advanced = append(advanced, sharing.Register(cmd)...)
	} else {
		f.BoolVar(&s.outcomes, "outcomes", false, fmt.Sprintf("leave out the steps, for a game by its positions whose best play takes %s plies or more", cli.CountText(generic.MostPlies)))
		advanced = append(advanced, "outcomes")
	}
	cli.Advanced(cmd, advanced...)
	return cmd
}

func (s *solver) setKeep(text string) error {
	word, size, sized := strings.Cut(text, "=")
	s.Keep, s.OpeningBytes = solve.Keep(word), cli.StandardOpening
	if s.Keep != solve.KeepTable && !s.outOfCore() || sized && s.Keep != solve.KeepOpening {
		return fmt.Errorf("give table, result, opening, or opening with a size, as in opening=2GiB")
	}
	if sized {
		n, err := humanize.ParseBytes(size)
		if err != nil || n > math.MaxInt64 {
			return fmt.Errorf("give the size as in opening=2GiB, opening=500MB or opening=800000000")
		}
		s.OpeningBytes = int64(n)
	}
	return nil
}

func (s *solver) outOfCore() bool { return s.Keep == solve.KeepResult || s.Keep == solve.KeepOpening }

func (s *solver) run(cmd *cobra.Command, args []string) error {
	s.dir = cli.Dir(cmd)
	if cli.IsTableFile(args[0]) {
		return cli.Usagef("%s is a file; to solve a board, give a game and its size: %s", args[0], cli.Solver+" quixo 4")
	}
	board, others, err := cli.Board(cmd, args, "")
	switch {
	case err != nil:
		return err
	case len(others) > 0:
		return cli.WrongArgs(cmd)
	}
	listed, single := board.Rules().(custom.Listed)
	proven := board.Info().Name == othello.Game.Name
	if err := board.Unsolvable(); err != nil && !proven {
		if errors.Is(err, partition.ErrTooLarge) {
			err = fmt.Errorf("%w; its table would take up to %s", err, humanize.BigIBytes(partition.TableBytes(board.Info())))
		}
		return &cli.UsageError{Err: err}
	}
	if s.sharing != nil && (single || proven) {
		return cli.Usagef("%v is solved by one process; type: tbsolve %s", board, strings.Join(args, " "))
	}
	refused, run := boardRefuses(board.Info().Name), func() error { return s.runBoard(cmd, board.Grid()) }
	switch {
	case single:
		refused, run = gameRefuses, func() error { return s.runGame(cmd, listed) }
	case proven:
		refused, run = othelloRefuses, func() error { return s.prove(cmd, board.Grid()) }
	}
	if err := refuseFlags(cmd, board, refused); err != nil {
		return err
	}
	if err := cli.LocalDir(s.dir); err != nil {
		return err
	}
	return run()
}

func refuseFlags(cmd *cobra.Command, board *probe.Board, reasons map[string]string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if why, refused := reasons[f.Name]; refused && err == nil {
			err = cli.Usagef("%s; leave --%s out", strings.NewReplacer("BOARD", board.String(), "GAME", games.Word(board.Info().Name), "SOLVER", cli.Solver).Replace(why), f.Name)
		}
	})
	return err
}

func boardRefuses(name string) map[string]string {
	reasons := map[string]string{"outcomes": "tables of GAME have no steps unless --steps is given"}
	if !partition.GoesOn(name) {
		reasons["after"] = "GAME has no tables after given moves"
		reasons["keep"] = "the table of GAME is always kept"
	}
	return reasons
}

func (s *solver) runBoard(cmd *cobra.Command, rules game.Grid) error {
	j, err := s.newJob(rules)
	if err != nil {
		return err
	}
	if s.plan {
		p := j.Plan()
		p.Err = s.explain(p.Err, rules)
		return printPlan(cmd, p)
	}
	if j.Limit.Bytes > 0 {
		machine.LimitHeap(j.Limit.Bytes)
	}
	runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), j.Processors()))
	p, stop := progress.Begin(cmd, "table", j.Name())
	j.Engine.Progress, j.Logf = follow(p, j), p.Log
	j.Notify = func(notice any) { s.notify(cmd, notice) }
	report, err := j.Solve(cmd.Context())
	stop()
	if report != nil {
		err = errors.Join(cli.Print(cmd, report, writeReport), err)
	}
	return s.explain(err, rules)
}

// newJob returns the job that the flags describe. The error is a *cli.UsageError.
func (s *solver) newJob(rules game.Grid) (*solve.Job, error) {
	var taken uint64
	var moves []string
	if s.after != "" {
		var err error
		if taken, moves, err = game.ParseAfter(rules, s.after); err != nil {
			return nil, cli.Usagef("--after %s: %w", s.after, err)
		}
	}
	if err := s.check(rules.Info(), moves); err != nil {
		return nil, err
	}
	o := s.Options
	o.Engine.Threads, o.Limit, o.Sharing = s.threads.Count, s.limit(), s.sharing
	j, err := solve.New(s.dir, rules, taken, moves, o)
	switch {
	case err != nil:
		return nil, &cli.UsageError{Err: err}
	case o.Archive && !o.Engine.Steps:
		return nil, cli.Usagef("--packed=%s leaves out the steps of won states, so it needs --steps; give --steps, or --packed alone", packedArchive)
	case o.Packed && j.OutOfCore:
		return nil, cli.Usagef("--packed is for solves that keep the table; leave it out, or pack the opening table afterwards")
	case s.sharing != nil:
		return j, s.sharing.Check(j)
	}
	return j, nil
}

// check refuses flags that do not go together, on a board after moves.
func (s *solver) check(board game.Info, moves []string) error {
	grundy := s.Engine.Nimbers
	switch {
	case grundy && s.Engine.Steps:
		return cli.Usagef("--steps and --grundy make different tables; leave one of them out")
	case grundy && s.after != "":
		return cli.Usagef("--grundy finds the nimbers of a whole board; leave --after out")
	case grundy && !partition.HasNimbers(board.Name, board.Size):
		return cli.Usagef("%v has no tables with nimbers; leave --grundy out", board)
	case grundy && s.outOfCore():
		return cli.Usagef("--grundy needs the table; leave --keep out")
	case len(moves) > solve.MaxTableMoves && s.Keep != solve.KeepResult:
		return cli.Usagef("a table can begin after %d moves at most; give fewer, or --keep result", solve.MaxTableMoves)
	case s.outOfCore() && (s.Engine.Steps || s.Engine.DownTo > 0):
		return cli.Usagef("--steps and --down-to-class need the table; leave them out or give --keep table")
	}
	return nil
}

// limit returns the limit of memory. A plan may be for a machine that has more than this one.
func (s *solver) limit() solve.Limit {
	if total := machine.TotalMemory(); s.plan && total != machine.Unknown && int64(s.memory) > total {
		return solve.Limit{Bytes: int64(s.memory), Source: "that is what --memory allows", Available: int64(s.memory), Elsewhere: true}
	}
	return MemoryLimit(s.memory, machine.AvailableMemory())
}

// MemoryLimit returns the limit of a solve: what was allowed, by default three quarters of what is available, but never more
// than that. What control groups withhold from this process is not available.
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

func (s *solver) notify(cmd *cobra.Command, notice any) {
	stderr := cmd.ErrOrStderr()
	switch n := notice.(type) {
	case solve.Dropped:
		fmt.Fprintln(stderr, "warning:", n)
	case solve.Resumed:
		if !progress.Off(cmd) {
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

// explain adds to an interruption that it cost little, unless the directory is gone, and to a refusal
// what can be done here; rules are nil for a game that is defined by its positions.
func (s *solver) explain(err error, rules game.Grid) error {
	switch {
	case errors.As(err, new(*solve.Refusal)):
		refused := &cli.RefusedError{Err: err}
		if s.sharing == nil && rules != nil {
			refused.Others = s.others(rules, err)
		}
		return refused
	case rules == nil && (errors.Is(err, probe.ErrOtherBoard) || errors.Is(err, generic.ErrWork)):
		return fmt.Errorf("%w; --force does so", err)
	case errors.Is(err, generic.ErrTooLong):
		return fmt.Errorf("%w; --outcomes leaves out the steps and goes on from here", err)
	case rules == nil || !errors.As(err, new(*cli.Interrupted)) && (err == nil || s.sharing == nil || !s.sharing.Stopped(err)):
		return err
	}
	if _, gone := os.Stat(s.dir); errors.Is(gone, fs.ErrNotExist) {
		return fmt.Errorf("%w; the directory %s was removed meanwhile, and what was solved with it", err, s.dir)
	}
	return fmt.Errorf("%w; the finished classes are kept: run the same command again to resume after them", err)
}

// printPlan prints a plan. The error is why it is not possible, unless printing fails.
func printPlan(cmd *cobra.Command, p *solve.Plan) error {
	if p.Err != nil {
		p.Why, p.Remedy = p.Err.Error(), cli.Remedy(p.Err)
	}
	if p.Table.Err != nil {
		p.Table.Reason = cli.Sentence(p.Table.Err)
	}
	if err := cli.Print(cmd, p, writePlan); err != nil {
		return err
	}
	return p.Err
}
