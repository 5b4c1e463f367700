package solving

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/game/custom"
	"backsolve/internal/machine"
	"backsolve/internal/probe"
	"backsolve/internal/probe/survey"
	"backsolve/internal/solve"
	"backsolve/retro/generic"
)

// gameSolver is a solve of a game that is defined by its positions, as the command line asks for it.
type gameSolver struct {
	dir      *string
	threads  cli.CountValue
	memory   cli.BytesValue
	progress *progress.Display
	format   *cli.Format
	plan     bool
	generic.Options
}

// LongGames says what solving does about games whose positions repeat.
var LongGames = fmt.Sprintf("if best play takes %s plies or more, solving refuses it at that ply, and --outcomes goes on without steps", cli.CountText(uint64(generic.MostPlies)))

// GameCommand returns the command that solves a game which is defined by its positions.
func GameCommand(g custom.Listed, of Program) *cobra.Command {
	s, info := &gameSolver{threads: cli.ThreadsValue()}, g.Info()
	example := "  " + of.Command + " " + info.Name
	cmd := &cobra.Command{
		Use: info.Name, Short: "Solve " + info.Title + " and write the table", GroupID: of.Group, Args: cli.Args(0),
		Long: fmt.Sprintf(`%s. %s

Solve the game and write the table %s. To resume an interrupted solve, run the same
command again. The table is the same, byte for byte, whatever the machine, --threads
and --memory, and whether the solve was interrupted.`, info.Title, info.Summary, probe.SparseFileName(info.Name)),
		Example:           example + "\n" + example + " --plan",
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return s.run(cmd, g) },
	}
	f := cmd.Flags()
	s.dir = cli.DirFlag(f)
	f.BoolVar(&s.Outcomes, "outcomes", false, fmt.Sprintf("leave out the steps to the end, which a game has no room for whose best play takes %s plies", cli.CountText(uint64(generic.MostPlies))))
	f.BoolVar(&s.Force, "force", false, "solve again even if the table exists, and discard an unfinished solve of other rules")
	f.BoolVar(&s.plan, "plan", false, "do not solve; estimate states, memory, disk and time from samples, in about 5 s")
	f.Var(&s.threads, "threads", fmt.Sprintf("number of threads, 1 to %d", cli.MaxThreads))
	f.Var(&s.memory, "memory", "memory limit, for example 8GiB (default three quarters of what is available); tiers with loops need 6 bytes a state, and take longer with less than they could use")
	s.format = cli.FormatFlags(cmd, cli.Text, cli.JSON)
	s.progress = progress.Flags(cmd)
	cli.NoCompletion(cmd, "threads", "memory")
	cli.Advanced(cmd, "threads", "memory", "progress", "quiet")
	cmd.SetFlagErrorFunc(ofBoards)
	return cmd
}

// ofBoards says why flags for boards do not fit a game that is defined by its positions.
func ofBoards(cmd *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return cmd.Root().FlagErrorFunc()(cmd, err)
	}
	why := ""
	switch name := unknown.GetSpecifiedName(); name {
	case "steps":
		why = "its table has the steps to the end unless --outcomes leaves them out; leave --steps out"
	case "grundy":
		why = "it has no tables with nimbers; leave --grundy out"
	case "packed":
		why = "its table is written unpacked; leave --packed out, and pack it then with: " + cli.Solver + " pack " + cmd.Name()
	case "after", "keep", "work":
		why = "its whole table is made; leave --" + name + " out"
	case "tasks-per-thread", "stripes", "down-to-class":
		why = "it has no classes of boards; leave --" + name + " out"
	default:
		return cmd.Root().FlagErrorFunc()(cmd, err)
	}
	return cli.Usagef("%s is a game that is defined by its positions: %s", cmd.Name(), why)
}

func (s *gameSolver) run(cmd *cobra.Command, rules custom.Listed) error {
	if err := cli.LocalDir(*s.dir); err != nil {
		return err
	}
	s.Threads = s.threads.Count
	g := &solve.Game{Dir: *s.dir, Rules: rules, Options: s.Options, Limit: MemoryLimit(s.memory, machine.AvailableMemory())}
	kind := "table"
	if s.plan {
		kind = "plan"
	}
	p := progress.New(kind, g.Name())
	stop := s.progress.Show(cmd, p)
	if s.plan {
		plan, err := g.Plan(cmd.Context(), followGame(p, new(int64)))
		stop()
		if err != nil {
			return err
		}
		return s.printPlan(cmd, plan)
	}
	began, expected := time.Now(), int64(0)
	g.Expect = func(states int64) { expected = states }
	if !s.progress.Off() {
		g.Progress = followGame(p, &expected)
	}
	t, solved, err := g.Solve(cmd.Context())
	stop()
	if err != nil {
		return s.explain(err)
	}
	defer t.Close()
	sum, err := survey.Summarize(cmd.Context(), t)
	if err != nil {
		return err
	}
	how := "solved before; --force solves it again"
	if solved {
		how = "in " + time.Since(began).Round(time.Millisecond).String()
	}
	return cli.Print(cmd, s.format, sum, func(w io.Writer, sum *survey.Stats) error {
		_, err := fmt.Fprintf(w, "%s: the start is %s; %s, %s, %s\n", sum.Game, cli.ValueText(sum.Start.Outcome, sum.Start.Steps),
			cli.CountOf(sum.Stored, "state", "states"), cli.BytesText(sum.Bytes), how)
		return err
	})
}

// explain adds to an error what the command line can do about it.
func (s *gameSolver) explain(err error) error {
	switch {
	case errors.As(err, new(*solve.Refusal)):
		return &cli.RefusedError{Err: err}
	case errors.Is(err, probe.ErrOtherBoard), errors.Is(err, generic.ErrWork):
		return fmt.Errorf("%w; --force does so", err)
	case errors.Is(err, generic.ErrTooLong):
		return fmt.Errorf("%w; --outcomes leaves out the steps and goes on from here", err)
	}
	return err
}

// printPlan prints a plan. The error is its obstacle unless printing fails.
func (s *gameSolver) printPlan(cmd *cobra.Command, p *solve.Plan) error {
	return s.explain(printPlan(cmd, s.format, p, writeGamePlan))
}

// writeGamePlan writes a plan for people.
func writeGamePlan(w io.Writer, p *solve.Plan) error {
	rows, bound := cli.NewRows(w), "at most "
	rows.Add("solve", "%s", p.What)
	if there := TableText(&p.Table); there != "" {
		rows.Add("there already", "%s", there)
	}
	switch states, low := cli.CountText(p.States), cli.CountText(p.Low); {
	case p.Low == 0:
		bound = ""
		rows.Add("states", "%s, counted", states)
	case p.States == 0:
		bound = "at least "
		rows.Add("states", "cannot be told, but at least %s: too few positions can be looked at in the time and memory of a plan", low)
	case p.High == 0:
		bound = "at least "
		rows.Add("states", "about %s, with 95 %% probability at least %s; an upper bound cannot be told from the samples", states, low)
	default:
		rows.Add("states", "about %s, with 95 %% probability %s to %s", states, low, cli.CountText(p.High))
	}
	if p.Counted < p.Tiers {
		rows.Add("method", "%d of %s counted, the others estimated from %s samples", p.Counted, cli.Plural(p.Tiers, "tier"), cli.CountText(uint64(p.Samples)))
	}
	if p.AnyLength {
		rows.Add("plies", "any number; %s", LongGames)
	}
	addNeeds(rows, p, bound)
	rows.Add("time", "about %s of processor time for %s", roughly(p.Seconds), cli.CountOf(max(p.States, p.Low), "state", "states"))
	addPossible(rows, p)
	return rows.Flush()
}

// followGame shows the progress of a solve, or of an estimate. Each state is found, gets its value,
// and is written: it counts three times. Until all are found, there are about as many as expected.
func followGame(p *progress.Progress, expected *int64) func(generic.Progress) {
	begun, states := false, 0.0
	work := func(states float64) func(done float64) float64 {
		return func(done float64) float64 {
			const writing = 0.3 // of the time to find as many
			solved := min(done, 2*states)
			return solved + writing*(done-solved)
		}
	}
	return func(now generic.Progress) {
		done := float64(now.Done)
		if states == 0 {
			states = float64(*expected)
		}
		if now.States > 0 {
			states = float64(now.States)
			done += states
		}
		if now.Phase == generic.Writing {
			done += states
		}
		if !begun {
			p.Begin("states", done, 3*states)
			begun = true
		}
		p.Weigh(work(states))
		p.Grow(3 * states)
		p.Update(fmt.Sprintf("%s, tier %d of %d", now.Phase, now.Tier+1, now.Tiers), done)
	}
}
