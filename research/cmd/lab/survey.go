package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/game"
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
		o.out = filepath.Join("survey", tableName(table))
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

func (o *surveying) open(cmd *cobra.Command, args []string) (*probe.Table, error) {
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
	findings *findings // nil if no part needs it
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
	needed := false
	for _, p := range wanted {
		if p.steps && !stats.HasSteps {
			r.left = append(r.left, p.name)
			continue
		}
		r.parts = append(r.parts, p)
		needed = needed || p.walks
	}
	if needed {
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

// cells returns the value and the margin for a sheet, empty if unknown.
func (e estimate) cells() []string {
	if !e.known() {
		return []string{"", ""}
	}
	return []string{fmt.Sprintf("%.6f", e.value), fmt.Sprintf("%.6f", e.margin)}
}

// percent formats a share with its margin, if it has one.
func (e estimate) percent() string {
	switch {
	case !e.known():
		return "-"
	case e.margin == 0:
		return fmt.Sprintf("%.1f", 100*e.value)
	}
	digits := max(1, -int(math.Floor(math.Log10(100*e.margin))))
	return fmt.Sprintf("%.1f ± %.*f", 100*e.value, digits, 100*e.margin)
}

func (r *tableSurvey) outcomes() {
	rows := [][]string{{"marks", "states", "wins", "losses", "draws", "terminal_wins", "terminal_losses"}}
	places := make([]int, len(r.byMarks))
	for i, one := range r.byMarks {
		c := one.Counts
		places[i] = one.number
		rows = append(rows, []string{strconv.Itoa(one.number), fmt.Sprint(c.States), fmt.Sprint(c.Wins), fmt.Sprint(c.Losses), fmt.Sprint(c.Draws), fmt.Sprint(c.TerminalWins), fmt.Sprint(c.TerminalLosses)})
	}
	r.rows["outcomes-by-marks"] = rows
	r.plots["outcomes-by-marks"] = chart.Stacked(chart.Frame{
		Title: "Outcomes by marks, " + r.stats.Board, X: marksAxis, Y: chart.Axis{Name: "Share of the states (%)", To: 100},
	}, places, outcomeBars(r.byMarks))
}

var marksAxis = chart.Axis{Name: "Marked cells"}

// outcomeBars returns the percentages of the outcomes that occur.
func outcomeBars(groups []group) (bars []chart.Bars) {
	for _, bar := range []struct {
		name  string
		style chart.Style
		of    func(c survey.Counts) uint64
	}{
		{"win, game over", chart.Sky, func(c survey.Counts) uint64 { return c.TerminalWins }},
		{"win", chart.Win, func(c survey.Counts) uint64 { return open(c, game.Win) }},
		{"draw", chart.Draw, func(c survey.Counts) uint64 { return c.Draws }},
		{"lose", chart.Lose, func(c survey.Counts) uint64 { return open(c, game.Lose) }},
		{"lose, game over", chart.Orange, func(c survey.Counts) uint64 { return c.TerminalLosses }},
	} {
		values := make([]float64, len(groups))
		for i, g := range groups {
			values[i] = 100 * float64(bar.of(g.Counts)) / float64(max(1, g.States))
		}
		if slices.Max(values) > 0 {
			bars = append(bars, chart.Bars{Name: bar.name, Style: bar.style, Values: values})
		}
	}
	return bars
}

func (r *tableSurvey) steps() {
	var places []int
	win, lose := chart.Bars{Name: "win", Style: chart.Win}, chart.Bars{Name: "lose", Style: chart.Lose}
	rows := [][]string{{"steps", "wins", "losses"}}
	for _, step := range r.stats.Steps {
		places, win.Values, lose.Values = append(places, step.Steps), append(win.Values, float64(step.Wins)), append(lose.Values, float64(step.Losses))
		rows = append(rows, []string{strconv.Itoa(step.Steps), fmt.Sprint(step.Wins), fmt.Sprint(step.Losses)})
	}
	r.rows["steps"] = rows
	r.plots["steps"] = chart.Grouped(chart.Frame{
		Title: "Steps to the end, " + r.stats.Board, X: chart.Axis{Name: "Steps (plies)"}, Y: chart.Axis{Name: "States", Log: true},
	}, places, []chart.Bars{win, lose})
}

// The shares of legal moves that are right, and 1 if just one is.
func lenient(c choice) float64     { return float64(c.lenient) / float64(c.legal) }
func strictShare(c choice) float64 { return float64(c.strict) / float64(c.legal) }

func single(c choice) float64 {
	if c.lenient == 1 {
		return 1
	}
	return 0
}

var outcomes = []game.Outcome{game.Win, game.Draw, game.Lose}

// summary returns what is printed: the chance that a random move is right, in percent.
func (r *tableSurvey) summary() [][]string {
	rows := [][]string{{"open states", "number", "lenient", "strict", "one right move"}}
	for _, m := range r.moves(r.whole) {
		rows = append(rows, []string{m.outcome.String(), fmt.Sprint(m.states), m.lenient.percent(), m.strict.percent(), m.single.percent()})
	}
	return rows
}

type moves struct {
	group
	outcome                 game.Outcome
	states                  uint64
	legal, right            estimate // moves
	lenient, strict, single estimate // shares
}

func (r *tableSurvey) moves(groups ...group) (all []moves) {
	for _, g := range groups {
		for _, outcome := range outcomes {
			mean := func(f func(choice) float64) estimate { return r.findings.mean(g, outcome, f) }
			m := moves{
				group: g, outcome: outcome, states: open(g.Counts, outcome),
				legal:   mean(func(c choice) float64 { return float64(c.legal) }),
				right:   mean(func(c choice) float64 { return float64(c.lenient) }),
				lenient: mean(lenient), strict: mean(strictShare), single: mean(single),
			}
			if outcome == game.Lose && m.lenient.known() {
				m.right, m.lenient, m.single = m.legal, estimate{value: 1}, unknown // every move is right
			}
			if !r.stats.HasSteps {
				m.strict = unknown
			}
			if m.states > 0 {
				all = append(all, m)
			}
		}
	}
	return all
}

func (m *moves) cells(group string, steps bool) []string {
	cells := []string{group, m.outcome.String(), fmt.Sprint(m.states), m.legal.cells()[0], m.right.cells()[0]}
	cells = append(cells, m.lenient.cells()...)
	if steps {
		cells = append(cells, m.strict.cells()...)
	}
	return append(cells, m.single.cells()...)
}

func (r *tableSurvey) right() {
	header := []string{"marks", "outcome", "states", "legal_moves", "right_moves", "lenient_share", "lenient_margin"}
	if r.stats.HasSteps {
		header = append(header, "strict_share", "strict_margin")
	}
	rows := [][]string{append(header, "single_share", "single_margin")}
	all := r.moves(r.byMarks...)
	for _, m := range all {
		rows = append(rows, m.cells(strconv.Itoa(m.number), r.stats.HasSteps))
	}
	for _, m := range r.moves(r.whole) {
		rows = append(rows, m.cells("all", r.stats.HasSteps))
	}
	r.rows["moves-by-marks"] = rows
	lenient, strict := func(m moves) estimate { return m.lenient }, func(m moves) estimate { return m.strict }
	r.shares("moves-by-marks", "Share of right moves by marks, "+r.stats.Board, "Mean share of the legal moves (%)", all, []shareLine{
		{"won, lenient", chart.Win, game.Win, lenient}, {"won, strict", chart.Sky, game.Win, strict},
		{"drawn", chart.Green, game.Draw, lenient}, {"lost, strict", chart.Lose, game.Lose, strict},
	})
}

type shareLine struct {
	name    string
	style   chart.Style
	outcome game.Outcome
	of      func(moves) estimate
}

// shares adds a plot by marks of the lines that have points, if there are any.
func (r *tableSurvey) shares(name, title, y string, rows []moves, lines []shareLine) {
	var drawn []chart.Line
	for _, l := range lines {
		line := chart.Line{Name: l.name, Style: l.style}
		for _, row := range rows {
			if e := l.of(row); row.outcome == l.outcome && e.known() {
				p := chart.Point{X: float64(row.number), Y: 100 * e.value}
				p.Low, p.High = max(0, p.Y-100*e.margin), min(100, p.Y+100*e.margin)
				line.Points = append(line.Points, p)
			}
		}
		if line.Points != nil {
			drawn = append(drawn, line)
		}
	}
	if drawn != nil {
		r.plots[name] = chart.Lines(chart.Frame{Title: title, X: marksAxis, Y: chart.Axis{Name: y, To: 100}}, drawn)
	}
}

func (r *tableSurvey) single() {
	if open(r.stats.Total, game.Win) == 0 {
		return
	}
	rows := [][]string{{"marks", "won_states", "single", "single_margin", "share", "share_margin"}}
	var won []moves
	for _, m := range r.moves(r.byMarks...) {
		if m.outcome == game.Win {
			won = append(won, m)
			total := r.findings.total(m.group, game.Win, single)
			rows = append(rows, slices.Concat([]string{strconv.Itoa(m.number), fmt.Sprint(m.states)}, total.cells(), m.single.cells()))
		}
	}
	r.rows["single-by-marks"] = rows
	r.shares("single-by-marks", "Won states with one winning move by marks, "+r.stats.Board, "Share of the won states that are not over (%)", won,
		[]shareLine{{"", chart.ByPlace, game.Win, func(m moves) estimate { return m.single }}})
	if r.stats.HasSteps {
		r.singleBySteps()
	}
}

// knownShare is the largest margin of shares that are plotted.
const knownShare = 0.1

// singleBySteps plots shares with small margins, if these are at least half.
func (r *tableSurvey) singleBySteps() {
	rows := [][]string{{"steps", "won_states", "single", "single_margin", "share", "share_margin"}}
	var places []int
	one, more := chart.Bars{Name: "one move", Style: chart.Vermilion}, chart.Bars{Name: "more", Style: chart.Sky}
	for _, step := range r.stats.Steps {
		if step.Steps == 0 || step.Wins == 0 {
			continue // over, or none
		}
		total := r.findings.total(r.whole, game.Win, func(c choice) float64 {
			if c.steps == step.Steps {
				return 1
			}
			return 0
		})
		wins := float64(step.Wins)
		share := estimate{total.value / wins, total.margin / wins}
		rows = append(rows, slices.Concat([]string{strconv.Itoa(step.Steps), fmt.Sprint(step.Wins)}, total.cells(), share.cells()))
		if share.margin <= knownShare {
			places = append(places, step.Steps)
			one.Values, more.Values = append(one.Values, 100*min(1, share.value)), append(more.Values, 100*max(0, 1-share.value))
		}
	}
	r.rows["single-by-steps"] = rows
	if len(places) > 0 && 2*len(places) >= len(rows)-1 {
		r.plots["single-by-steps"] = chart.Stacked(chart.Frame{
			Title: "Won states with one winning move by steps, " + r.stats.Board, X: chart.Axis{Name: "Steps (plies)"}, Y: chart.Axis{Name: "Share of the won states (%)", To: 100},
		}, places, []chart.Bars{one, more})
	}
}
