package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/internal/probe"
	"backsolve/internal/probe/survey"
	"backsolve/partition"
	"backsolve/research/internal/chart"
	"backsolve/research/internal/files"
	"backsolve/tablebase"
)

type surveying struct {
	*shared
	after  *string
	out    string
	parts  []string
	exact  bool
	sample uint64
	seed   uint64
}

const (
	// mostExact is the most stored states that are all visited unasked.
	mostExact = 50_000_000
	// usualSample is the number of states drawn unless another one is asked for.
	usualSample = 2_000_000
	mostSample  = 1 << 40
)

func surveyCommand(s *shared) *cobra.Command {
	o := &surveying{shared: s}
	cmd := &cobra.Command{
		Use:   "survey BOARD",
		Short: "Write numbers and plots of the table of a game",
		Long: `Write the numbers of a table to a directory as CSV and draw them as SVG. The parts are:

  outcomes  wins, losses and draws by marks
  steps     states by steps to the end
  moves     the share of legal moves that are right: how forgiving the game is
  single    states with a single winning move

The parts moves and single visit every state. In tables of more than 50 million stored
states they visit a random sample of each class, and margins are of 95 %. The files do
not depend on the number of threads. Parts that need steps are omitted for a table
without steps.

` + cli.TableHelp + cli.WebHelp,
		Example: `  lab survey quixo 4
  lab survey quixo 4 --parts outcomes,steps
  lab survey notakto 5 --after c3 --out survey
  lab survey tables/notakto-6x6.tb --sample 10000000 --parts moves,single`,
		Args:              cli.BoardArgs(0, 0),
		ValidArgsFunction: cli.CompleteBoard(cli.TableSizes(s.dir)),
		RunE:              o.run,
	}
	f := cmd.Flags()
	o.after = cli.AfterFlag(cmd)
	f.StringVarP(&o.out, "out", "o", "", "`DIR` directory of the files (default survey/GAME-NxN)")
	f.StringSliceVar(&o.parts, "parts", partNames(), "`LIST` parts of the survey")
	f.BoolVar(&o.exact, "exact", false, "visit every state, whatever the size of the table")
	f.Uint64Var(&o.sample, "sample", 0, "visit about N random states instead of all")
	seedFlag(cmd, &o.seed)
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("parts", cobra.FixedCompletions(partNames(), cobra.ShellCompDirectiveNoFileComp)))
	cli.Advanced(cmd, "exact", "sample")
	return cmd
}

func partNames() (names []string) {
	for _, p := range parts {
		names = append(names, p.name)
	}
	return names
}

func (o *surveying) run(cmd *cobra.Command, args []string) error {
	wanted, err := o.wantedParts()
	if err != nil {
		return err
	}
	switch {
	case o.exact && o.sample > 0:
		return cli.Usagef("--exact visits every state and --sample only some; give one of them")
	case o.sample > mostSample:
		return cli.Usagef("--sample %d is more than can be drawn; give %d at most, or --exact for every state", o.sample, uint64(mostSample))
	}
	board, _, err := cli.Board(cmd, args, *o.after)
	if err != nil {
		return err
	}
	table, err := board.OpenTable(cmd.Context(), *o.dir)
	if partition.HasNone(err) {
		return &cli.UsageError{Err: err}
	}
	if err != nil {
		return err
	}
	defer table.Close()
	shown := progress.New("table", table.Board())
	walk := o.walk(table, shown)
	if cmd.Flags().Changed("seed") && walk.Sample == 0 {
		return cli.Usagef("--seed chooses the states of a sample, but every state of %s is visited; leave it out or give --sample, too", table.Board())
	}
	if o.out == "" {
		name := strings.TrimSuffix(filepath.Base(table.Stored().Path()), tablebase.PackedSuffix)
		o.out = filepath.Join("survey", strings.TrimSuffix(name, filepath.Ext(name)))
	}
	if err := files.Writable(o.out); err != nil {
		return err
	}
	stop := shown.Show(cmd)
	r, err := newSurvey(cmd.Context(), table, wanted, walk)
	stop()
	if err != nil {
		return err
	}
	if len(r.parts) == 0 {
		return cli.Usagef("%s has no steps to the end, without which nothing can be said of %s; solve it again with --steps, or ask for other parts", table.Board(), strings.Join(r.left, " and "))
	}
	if err := r.write(cmd.Context(), o.out); err != nil {
		return err
	}
	if r.findings != nil {
		if err := cli.WriteGrid(cmd.OutOrStdout(), 0, r.summary()); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), o.out)
	return err
}

func (o *surveying) wantedParts() (wanted []part, err error) {
	for _, name := range o.parts {
		if !slices.Contains(partNames(), name) {
			return nil, cli.Usagef("%.40q is not a part of a survey; the parts are %s", name, strings.Join(partNames(), ", "))
		}
	}
	wanted = slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return !slices.Contains(o.parts, p.name) })
	if len(wanted) == 0 {
		err = cli.Usagef("no part of the survey is asked for; the parts are %s", strings.Join(partNames(), ", "))
	}
	return wanted, err
}

func (o *surveying) walk(t *probe.Table, shown *progress.Progress) survey.WalkOptions {
	var stored uint64
	for _, c := range t.Stored().Classes() {
		stored += uint64(c.Blocks) << uint(c.IndexBits)
	}
	sample := o.sample
	if sample == 0 && !o.exact && stored > mostExact {
		sample = usualSample
	}
	walk := survey.WalkOptions{Seed: o.seed, Threads: *o.threads, Progress: shown.Event}
	if strata := uint64(len(survey.Strata(t))); sample > 0 {
		walk.Sample = (sample + strata - 1) / strata
	}
	return walk
}

type part struct {
	name  string
	walks bool // needs the walk through the table
	steps bool // needs the steps to the end
	fill  func(*tableSurvey)
}

var parts = []part{
	{name: "outcomes", fill: (*tableSurvey).outcomes},
	{name: "steps", steps: true, fill: (*tableSurvey).steps},
	{name: "moves", walks: true, fill: (*tableSurvey).right},
	{name: "single", walks: true, fill: (*tableSurvey).single},
}

type tableSurvey struct {
	stats    *survey.Stats
	findings findings // nil if no part needs it
	byMarks  []group
	whole    group
	parts    []part
	left     []string              // parts that need steps, which the table lacks
	rows     map[string][][]string // by the names of their files
	plots    map[string]*chart.Chart
}

func newSurvey(ctx context.Context, t *probe.Table, wanted []part, o survey.WalkOptions) (*tableSurvey, error) {
	stats, err := survey.Summarize(ctx, t)
	if err != nil {
		return nil, err
	}
	strata := survey.Strata(t)
	r := &tableSurvey{stats: stats, byMarks: byMarks(strata), whole: whole(strata), rows: map[string][][]string{}, plots: map[string]*chart.Chart{}}
	for _, p := range wanted {
		if p.steps && !stats.HasSteps {
			r.left = append(r.left, p.name)
			continue
		}
		r.parts = append(r.parts, p)
	}
	if slices.ContainsFunc(r.parts, func(p part) bool { return p.walks }) {
		r.findings, err = newFindings(ctx, t, o)
	}
	return r, err
}

func (r *tableSurvey) write(ctx context.Context, dir string) error {
	for _, part := range r.parts {
		part.fill(r)
	}
	for name, plot := range r.plots {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := plot.Write(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	for name, rows := range r.rows {
		if err := files.WriteTable(filepath.Join(dir, name+".csv"), rows); err != nil {
			return err
		}
	}
	return nil
}
