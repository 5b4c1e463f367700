// Command analyze writes a report on the table of a game: outcomes, lengths, right moves and
// lines, in plots and tables.
package main

import (
	"errors"
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
	"backsolve/research/internal/files"
	"backsolve/tablebase"
)

func main() { cli.Main(newCommand(), status) }

// status returns the exit status for an error.
func status(err error) int {
	if errors.Is(err, partition.ErrTooLarge) {
		return cli.StatusUsage
	}
	return cli.TableStatus(err)
}

const long = `Write a report on the table of a game to a directory: a page in Markdown, plots as SVG
and the numbers as CSV. Its parts are:

  outcomes  wins, losses and draws by marks
  steps     states by steps to the end
  moves     the share of legal moves that are right: how forgiving the game is
  single    states with a single winning move
  first     the first moves by value
  lines     best play from the longest win and the longest loss, with diagrams

The parts moves and single visit every state. In tables of more than 50 million stored
states they visit a random sample of each class, and the report gives the margin of
error. The files do not depend on the number of threads. Parts that need steps are
omitted for a table without steps.

` + cli.TableHelp + cli.WebHelp

const examples = `  analyze quixo 4
  analyze quixo 4 --parts outcomes,first
  analyze notakto 5 --after c3 --out report
  analyze tables/notakto-6x6.tb --sample 10000000 --parts moves,single`

// options are what the flags say.
type options struct {
	dir     *string
	after   *string
	out     string
	parts   []string
	exact   bool
	sample  uint64
	seed    uint64
	display *progress.Display
}

const (
	// mostExact is the most stored states that are all visited unasked.
	mostExact = 50_000_000
	// usualSample is the number of states that are drawn unless another one is
	// asked for, and mostSample the most.
	usualSample = 2_000_000
	mostSample  = 1 << 40
)

func newCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:     "analyze BOARD",
		Short:   "Write a report on the table of a game",
		Long:    long,
		Example: examples,
		Args:    cli.BoardArgs(0, 0),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	f := cmd.Flags()
	o.dir, o.after = cli.DirFlag(f), cli.AfterFlag(cmd)
	cmd.ValidArgsFunction = cli.CompleteBoard(cli.TableSizes(o.dir))
	f.StringVarP(&o.out, "out", "o", "", "`DIR` directory of the report (default analysis/GAME-NxN)")
	f.StringSliceVar(&o.parts, "parts", partNames(), "`LIST` parts of the report")
	f.BoolVar(&o.exact, "exact", false, "visit every state, whatever the size of the table")
	f.Uint64Var(&o.sample, "sample", 0, "visit about N random states instead of all")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the sample")
	o.display = progress.Flags(cmd)
	o.complete(cmd)
	cmd.AddCommand(atlasCommand(), benchCommand())
	cli.Advanced(cmd, "exact", "sample", "seed", "progress", "quiet")
	return cmd
}

// complete says what shells may complete after the flags.
func (o *options) complete(cmd *cobra.Command) {
	for name, complete := range map[string]cobra.CompletionFunc{
		"parts":  cobra.FixedCompletions(partNames(), cobra.ShellCompDirectiveNoFileComp),
		"sample": cobra.NoFileCompletions, "seed": cobra.NoFileCompletions,
	} {
		cobra.CheckErr(cmd.RegisterFlagCompletionFunc(name, complete))
	}
	cobra.CheckErr(cmd.MarkFlagDirname("out"))
}

func partNames() (names []string) {
	for _, p := range parts {
		names = append(names, p.name)
	}
	return names
}

func (o *options) run(cmd *cobra.Command, args []string) error {
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
	table, err := o.open(cmd, args)
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
		o.out = filepath.Join("analysis", tableName(table))
	}
	if err := files.Writable(o.out); err != nil {
		return err
	}
	stop := o.display.Show(cmd, shown)
	r, err := newReport(cmd.Context(), table, wanted, walk)
	stop()
	if err != nil {
		return err
	}
	if len(r.parts) == 0 {
		return cli.Usagef("%s has no steps to the end, without which nothing can be said of %s; solve it again with --steps, or ask for other parts", table.Board(), list(r.left))
	}
	if err := r.write(cmd.Context(), o.out); err != nil {
		return err
	}
	fmt.Fprintln(cmd.OutOrStdout(), filepath.Join(o.out, pageName))
	return nil
}

// wantedParts returns the parts that were asked for, in the order of the report.
func (o *options) wantedParts() (wanted []part, err error) {
	for _, name := range o.parts {
		if !slices.Contains(partNames(), name) {
			return nil, cli.Usagef("%.40q is no part of a report; the parts are %s", name, list(partNames()))
		}
	}
	for _, p := range parts {
		if slices.Contains(o.parts, p.name) {
			wanted = append(wanted, p)
		}
	}
	if len(wanted) == 0 {
		return nil, cli.Usagef("no part of the report is asked for; the parts are %s", list(partNames()))
	}
	return wanted, nil
}

// open opens the table that the arguments name.
func (o *options) open(cmd *cobra.Command, args []string) (*probe.Table, error) {
	board, _, err := cli.Board(cmd, args, *o.after)
	if err != nil {
		return nil, err
	}
	t, err := board.OpenTable(cmd.Context(), *o.dir)
	if partition.HasNone(err) {
		return nil, &cli.UsageError{Err: err}
	}
	return t, err
}

// tableName returns the name of a table's file without what tells its format.
func tableName(t *probe.Table) string {
	name := strings.TrimSuffix(filepath.Base(t.Stored().Path()), tablebase.PackedSuffix)
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// walk says which states are visited.
func (o *options) walk(t *probe.Table, shown *progress.Progress) survey.WalkOptions {
	var stored uint64
	for _, c := range t.Stored().Classes() {
		stored += uint64(c.Blocks) << uint(c.IndexBits)
	}
	sample := o.sample
	if sample == 0 && !o.exact && stored > mostExact {
		sample = usualSample
	}
	walk := survey.WalkOptions{Seed: o.seed, Progress: shown.Event}
	if strata := uint64(len(survey.Strata(t))); sample > 0 {
		walk.Sample = (sample + strata - 1) / strata
	}
	return walk
}
