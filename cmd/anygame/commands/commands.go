// Package commands has the commands for games that are defined by their positions.
package commands

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"backsolve"
	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/cmd/querying"
	"backsolve/cmd/verifying"
	"backsolve/game/custom"
	"backsolve/game/nearest"
	"backsolve/internal/durable"
	"backsolve/probe"
	"backsolve/retro/generic"
	"backsolve/tablebase"
)

// commands are the commands for some games.
type commands struct {
	program string
	games   []custom.Listed
}

// New returns a command that has those for the games below it. name is what users type for it.
func New(name string, games ...custom.Listed) *cobra.Command {
	root := &cobra.Command{
		Use:   name[strings.LastIndex(name, " ")+1:],
		Short: "Solve and look up games that are defined by their positions",
		Long: `Solve and look up games that are defined in Go by their positions; list shows
them. Commands about a table take its file in place of the game. Positions have the notation
of the game; startpos is the start position.`,
		Example: fmt.Sprintf("  %[1]s list\n  %[1]s solve %[2]s\n  %[1]s query %[2]s startpos --line", name, games[0].Info().Name),
	}
	c := commands{name, games}
	cli.OwnGames = Names(games...)
	root.AddCommand(c.list(), c.check(), c.solve(), c.info(), c.query(), c.verify(), c.export(), c.pack(), c.unpack())
	return root
}

// Status returns the exit status for an error of these commands.
func Status(err error) int {
	switch {
	case errors.As(err, new(*verifying.WrongError)):
		return cli.StatusFailed // a failed check, not an unusable table
	case errors.Is(err, backsolve.ErrUnreached), errors.As(err, new(*noTableError)):
		return cli.StatusNoTable
	case errors.Is(err, generic.ErrMemory):
		return cli.StatusRefused
	case errors.As(err, new(*custom.Fault)) && !tablebase.Unusable(err), errors.Is(err, generic.ErrRules):
		return cli.StatusRules
	}
	return querying.Status(err)
}

// Names returns the names of games.
func Names(games ...custom.Listed) (names []string) {
	for _, g := range games {
		names = append(names, g.Info().Name)
	}
	return names
}

// command returns a command about one game.
func (c *commands) command(use, short string, extra int, run func(cmd *cobra.Command, g custom.Listed, args []string) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: args(extra), Example: c.example(use),
		RunE: func(cmd *cobra.Command, args []string) error {
			g, err := c.find(cmd, args[0])
			if err != nil {
				return err
			}
			return run(cmd, g, args[1:])
		},
		ValidArgsFunction: c.complete,
	}
}

// args requires a game and at most so many arguments after it.
func args(extra int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < 1 || len(args)-1 > extra {
			return cli.WrongArgs(cmd)
		}
		return nil
	}
}

// example returns an example for a command.
func (c *commands) example(use string) string {
	word, _, _ := strings.Cut(use, " ")
	return fmt.Sprintf("  %s %s %s", c.program, word, c.games[0].Info().Name)
}

// find returns a game by its name.
func (c *commands) find(cmd *cobra.Command, name string) (custom.Listed, error) {
	for _, g := range c.games {
		if g.Info().Name == name {
			return g, nil
		}
	}
	meant := ""
	if near := nearest.Name(name, Names(c.games...)); near != "" {
		meant = "; did you mean " + near + "?"
	}
	return nil, cli.Usagef("there is no game %.40q here; %s list shows those that are%s", name, cmd.Parent().CommandPath(), meant)
}

// complete completes the name of a game.
func (c *commands) complete(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	if len(args) == 0 {
		names = Names(c.games...)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func (c *commands) list() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the games and their start positions", Args: cli.Args(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, g := range c.games {
				fmt.Fprintf(cmd.OutOrStdout(), "%-24s %s\n", g.Info().Name, g.Example())
			}
			return nil
		},
	}
}

func (c *commands) check() *cobra.Command {
	var games int
	var seed uint64
	cmd := c.command("check GAME", "Check the rules of a game with random games", 0, func(cmd *cobra.Command, g custom.Listed, _ []string) error {
		if err := g.Check(games, seed); err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s broke no rule of the contract\n", g.Info().Name, cli.Plural(games, "random game"))
		if generic.MayLoop(g.Numbers()) {
			fmt.Fprintf(cmd.OutOrStdout(), "its games may be of any length; %s\n", longGames)
		}
		return nil
	})
	cmd.Flags().IntVar(&games, "games", 1000, "number of random games")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the games")
	return cmd
}

func (c *commands) solve() *cobra.Command {
	var o backsolve.GameOptions
	threads, memory := cli.ThreadsValue(), cli.BytesValue(0)
	var dir *string
	var display *progress.Display
	var asJSON, plan bool
	cmd := c.command("solve GAME", "Solve a game and write its table, or resume an interrupted solve", 0, func(cmd *cobra.Command, g custom.Listed, _ []string) error {
		if plan {
			return writePlan(cmd, g, display, asJSON)
		}
		if err := cli.LocalDir(*dir); err != nil {
			return err
		}
		if err := durable.Mkdir(*dir, 0o777); err != nil {
			return &cli.RefusedError{Err: err}
		}
		old, err := probe.FindSparse(cmd.Context(), *dir, g)
		before := err == nil && !o.Force
		if err == nil {
			old.Close()
		}
		began := time.Now()
		p := progress.New("table", g.Info().Name)
		o.Threads, o.Memory = threads.Count, int64(memory)
		stop := display.Show(cmd, p)
		if !display.Off() {
			o.Progress = follow(p, estimated(cmd, g))
		}
		t, err := backsolve.SolveListed(cmd.Context(), *dir, g, o)
		stop()
		if err != nil {
			return withFlag(err)
		}
		defer t.Close()
		if before {
			return summary(cmd, t, "solved before; --force solves it again", asJSON)
		}
		return summary(cmd, t, "in "+time.Since(began).Round(time.Millisecond).String(), asJSON)
	})
	dir = cli.DirFlag(cmd.Flags())
	display = progress.Flags(cmd)
	cmd.Flags().Var(&threads, "threads", fmt.Sprintf("number of threads, 1 to %d", cli.MaxThreads))
	cmd.Flags().Var(&memory, "memory", "memory limit, for example 8GiB; tiers with loops need 6 bytes a state")
	cmd.Flags().BoolVar(&o.Force, "force", false, "solve again even if the table exists, and discard an unfinished solve of other rules")
	cmd.Flags().BoolVar(&o.Outcomes, "outcomes", false, fmt.Sprintf("leave out the steps to the end, for games whose best play takes %s plies or more", cli.CountText(uint64(generic.MostPlies))))
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the summary as JSON, as info does")
	cmd.Flags().BoolVar(&plan, "plan", false, "estimate states, memory, disk and time from samples, in about 5 s; solve nothing")
	cmd.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		for _, g := range c.games {
			if info := g.Info(); slices.Contains(args, info.Name) {
				cmd.Long = fmt.Sprintf("%s. %s\n\n%s.", info.Title, info.Summary, cmd.Short)
			}
		}
		cmd.Root().HelpFunc()(cmd, args)
	})
	return cmd
}

// withFlag adds to the error of a solve the flag that helps.
func withFlag(err error) error {
	switch {
	case errors.Is(err, probe.ErrOtherBoard), errors.Is(err, generic.ErrWork):
		return fmt.Errorf("%w; --force does so", err)
	case errors.Is(err, generic.ErrTooLong):
		return fmt.Errorf("%w; --outcomes leaves out the steps and goes on from here", err)
	}
	return err
}

// longGames says what solving does about games whose positions repeat.
var longGames = fmt.Sprintf("if best play takes %s plies or more, solve stops at that ply, and solve --outcomes goes on without steps", cli.CountText(uint64(generic.MostPlies)))

// follow shows the progress of a solve, or of an estimate. Each state counts three times: when it is
// found, gets its value, and is written. Until all are found, their estimated number is used.
func follow(p *progress.Progress, estimated int64) func(generic.Progress) {
	begun, states := false, float64(estimated)
	work := func(states float64) func(done float64) float64 {
		return func(done float64) float64 {
			const writing = 0.3 // of the time to find as many
			solved := min(done, 2*states)
			return solved + writing*(done-solved)
		}
	}
	return func(now generic.Progress) {
		done := float64(now.Done)
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

// estimated returns about how many states there are, 0 if two seconds are too short to tell.
func estimated(cmd *cobra.Command, g custom.Listed) int64 {
	plan, err := generic.Estimate(cmd.Context(), g.Numbers(), generic.PlanOptions{Time: 2 * time.Second})
	if err != nil || plan.High == 0 || plan.High > 2*plan.Low {
		return 0 // the solve says why, or finds out
	}
	return plan.States
}
