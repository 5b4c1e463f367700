package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/game"
	"backsolve/learn/grade"
	"backsolve/player/agents"
	"backsolve/probe"
	"backsolve/tablebase"
)

// grading is a grading as it is asked for on the command line.
type grading struct {
	states  int
	seed    uint64
	parts   *cli.Choice
	threads *int
	dir     *string
	format  *cli.Format
	display *progress.Display
}

// The parts of a grading.
const (
	bothParts    = "both"
	expertPart   = "expert"
	championPart = "champion"
)

func gradeCommand() *cobra.Command {
	g := &grading{parts: cli.NewChoice(bothParts, expertPart, championPart)}
	cmd := &cobra.Command{
		Use:   "grade GAME N AGENT",
		Short: "Measure an agent by the exact values of all states",
		Long: `Measures an agent of any kind by the table of a board, in two ways.

expert: in which share of the states that are not over its move keeps the value, and
with a table that has steps, in which it also wins as soon or loses as late as can be
(strict); beside it what a random mover would reach, exactly. Of an agent with a
network, too: in which share the move that the network alone would make keeps the
value (policy), and in which the sign of its value is right. Shares of the won states
stand apart, as in a lost one no move does harm.

champion: from the start position, playing the side that wins under best play (both
sides where nobody does), does it get what it can against every opponent? All replies
are tried, and states met once. Where somebody beats it, the shortest game is shown.

Every move is asked of a new player with the same seed, so that it depends on the
position only.

Agents:
` + agents.Help() + "\n" + cli.StatusHelp,
		Example: `  learn grade notakto 4 zero:weights=notakto-4x4/0040.weights,sims=100
  learn grade notakto 5 zero:weights=notakto-5x5/0040.weights,sims=0 --states 10000 --measure expert
  learn grade tictactoe 3 mcts:1000 --dir tables --json`,
		Args: words(3, "a game, the size of its board and an agent"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 2 {
				return agents.Complete(), cobra.ShellCompDirectiveNoSpace
			}
			return cli.CompleteTable(*g.dir, args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: g.run,
	}
	f := cmd.Flags()
	f.IntVar(&g.states, "states", 0, "`number` of states for expert, drawn from all that are not over; 0 for each that play can reach")
	g.parts.Register(cmd, "measure", "what is measured: expert, champion or both")
	f.Uint64Var(&g.seed, "seed", 1, "what the states and the chance of the agent come from")
	for _, name := range []string{"states", "seed"} {
		cobra.CheckErr(cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions))
	}
	g.threads = threadsFlag(cmd)
	g.dir = cli.DirFlag(f)
	g.format = cli.FormatFlags(cmd, cli.Text, cli.JSON)
	g.display = progress.Flags(cmd)
	cli.Advanced(cmd, "seed", "threads", "progress", "quiet")
	return cmd
}

// maxStates bounds --states.
const maxStates = 100_000_000

func (g *grading) run(cmd *cobra.Command, args []string) error {
	if err := checkNumber("threads", *g.threads, 1, maxThreads); err != nil {
		return err
	}
	if err := checkNumber("states", g.states, 0, maxStates); err != nil {
		return err
	}
	if err := cli.LocalDir(*g.dir); err != nil {
		return err
	}
	rules, err := parseBoard(args[0], args[1])
	if err != nil {
		return err
	}
	env := &agents.Env{Rules: rules, Dir: *g.dir}
	defer env.Close()
	agent, err := agents.Parse(cmd.Context(), args[2], env)
	if err != nil {
		return asUsage(err)
	}
	defer agent.Close()
	answers, err := env.Answers(cmd.Context(), true)
	if err != nil {
		return err
	}
	s := &grade.Subject{Rules: rules, Answers: answers, Agent: agent, Seed: g.seed, Threads: *g.threads}
	out := result{Game: rules.Info().Name, Size: rules.Info().Size, Agent: agent.Name(), Seed: g.seed}
	if g.parts.String() != championPart {
		if err := g.expert(cmd, s, &out); err != nil {
			return err
		}
	}
	if g.parts.String() != expertPart {
		if err := g.champion(cmd, s, &out); err != nil {
			return err
		}
	}
	if g.format.Word() == cli.JSON {
		return writeJSON(cmd.OutOrStdout(), &out)
	}
	return out.write(cmd.OutOrStdout())
}

// asUsage makes an error for an agent that cannot be made one of the command line, unless
// it is about a table.
func asUsage(err error) error {
	var missing *probe.MissingError
	var table *tablebase.Error
	if errors.As(err, &missing) || errors.As(err, &table) {
		return err
	}
	return &cli.UsageError{Err: err}
}

func (g *grading) expert(cmd *cobra.Command, s *grade.Subject, out *result) error {
	p := progress.New("grading", out.Agent)
	stop := g.display.Show(cmd, p)
	defer stop()
	begun := false
	x, err := s.Expert(cmd.Context(), g.states, func(done, total int) {
		if !begun {
			p.Begin("states", 0, float64(total))
			begun = true
		}
		p.Tell("expert", float64(done))
	})
	if err != nil {
		return err
	}
	e := &expertResult{Whole: x.Whole, All: newShares(x, x.All), Won: newShares(x, x.Won)}
	for _, marks := range slices.Sorted(maps.Keys(x.AllBy)) {
		e.ByMarks = append(e.ByMarks, byMarks{marks, newShares(x, x.AllBy[marks]), newShares(x, x.WonBy[marks])})
	}
	out.Expert = e
	return nil
}

func (g *grading) champion(cmd *cobra.Command, s *grade.Subject, out *result) error {
	sides, err := s.Sides()
	if err != nil {
		return err
	}
	for _, side := range sides {
		w, err := s.Champion(cmd.Context(), side, nil)
		if err != nil {
			return err
		}
		out.Champion = append(out.Champion, newWalk(s.Rules, w))
	}
	return nil
}

// result is what a grading prints.
type result struct {
	Game     string        `json:"game"`
	Size     int           `json:"size"`
	Agent    string        `json:"agent"`
	Seed     uint64        `json:"seed"`
	Expert   *expertResult `json:"expert,omitempty"`
	Champion []walkResult  `json:"champion,omitempty"`
}

type expertResult struct {
	// Whole says that these are all states that play can reach.
	Whole   bool      `json:"whole"`
	All     *shares   `json:"all"`
	Won     *shares   `json:"won"`
	ByMarks []byMarks `json:"by_marks"`
}

type byMarks struct {
	Marks int     `json:"marks"`
	All   *shares `json:"all"`
	Won   *shares `json:"won"` // null where none is won
}

// shares are from 0 to 1, null where they are not known.
type shares struct {
	States       int      `json:"states"`
	Keep         float64  `json:"keep"`
	Random       float64  `json:"random"`
	Strict       *float64 `json:"strict"`
	RandomStrict *float64 `json:"random_strict"`
	Policy       *float64 `json:"policy"`
	Sign         *float64 `json:"sign"`
}

func newShares(x *grade.Expertise, s *grade.Shares) *shares {
	if s == nil || s.States == 0 {
		return nil
	}
	keep, strict := s.Random()
	r := &shares{States: s.States, Keep: shareOf(s.Keep, s.States), Random: keep}
	if x.HasSteps {
		kept := shareOf(s.Strict, s.States)
		r.Strict, r.RandomStrict = &kept, &strict
	}
	if x.Estimate {
		policy, sign := shareOf(s.Policy, s.States), shareOf(s.Sign, s.Signed)
		r.Policy = &policy
		if s.Signed > 0 {
			r.Sign = &sign
		}
	}
	return r
}

type walkResult struct {
	Side     string   `json:"side"`
	Worth    string   `json:"worth"`
	Champion bool     `json:"champion"`
	States   int      `json:"states"`
	Kept     int      `json:"kept"`
	Wrong    int      `json:"wrong"`
	Line     []string `json:"line"`
}

func newWalk(rules game.Rules, w *grade.Walk) walkResult {
	r := walkResult{Side: w.Side.String(), Worth: w.Worth.String(), Champion: w.Champion, States: w.States, Kept: w.Kept, Wrong: w.Wrong, Line: []string{}}
	for _, m := range w.Line {
		r.Line = append(r.Line, rules.FormatMove(m))
	}
	return r
}

// write writes the result for people.
func (r *result) write(to io.Writer) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(to, "%s %d, %s, seed %d\n", r.Game, r.Size, r.Agent, r.Seed)
	if e := r.Expert; e != nil {
		of := "drawn states"
		if e.Whole {
			of = "all states that play can reach"
		}
		fmt.Fprintf(to, "\nexpert, of %s, in percent:\n\n", of)
		fmt.Fprintln(w, "marks\tstates\tkeep\trandom\tstrict\trandom\tpolicy\tsign\twon\tkeep\trandom\tpolicy\t")
		for _, b := range e.ByMarks {
			row(w, fmt.Sprint(b.Marks), b.All, b.Won)
		}
		row(w, "all", e.All, e.Won)
		if err := w.Flush(); err != nil {
			return err
		}
	}
	for _, c := range r.Champion {
		fmt.Fprintln(to)
		c.write(to)
	}
	return nil
}

// row writes a line of the table of shares.
func row(w io.Writer, name string, all, won *shares) {
	fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t", name, all.States, percent(&all.Keep), percent(&all.Random),
		percent(all.Strict), percent(all.RandomStrict), percent(all.Policy), percent(all.Sign))
	if won == nil {
		fmt.Fprintln(w, "0\t-\t-\t-\t")
		return
	}
	fmt.Fprintf(w, "%d\t%s\t%s\t%s\t\n", won.States, percent(&won.Keep), percent(&won.Random), percent(won.Policy))
}

func percent(share *float64) string {
	if share == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f", 100**share)
}

func (c *walkResult) write(w io.Writer) {
	verdict := "yes: no opponent gets more than that"
	if !c.Champion {
		verdict = "no"
	}
	fmt.Fprintf(w, "champion as %s, to whom the start is worth a %s: %s\n", c.Side, noun(c.Worth), verdict)
	fmt.Fprintf(w, "  %s in which it was to move; in %d the value was kept so far, in %d of these the move gives it away\n", counted(c.States, "state"), c.Kept, c.Wrong)
	if !c.Champion {
		fmt.Fprintf(w, "  the shortest game that beats it: %s\n", strings.Join(c.Line, " "))
	}
}

// noun is the noun of an outcome.
func noun(outcome string) string {
	if outcome == game.Lose.String() {
		return "loss"
	}
	return outcome
}
