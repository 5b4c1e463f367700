package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/research/internal/chart"
	"backsolve/research/internal/files"
)

// curves holds the command line of learn curves.
type curves struct {
	every   int
	states  int
	elo     []string
	beside  string
	out     string
	threads *int
	dir     *string
}

// The measures of curves, as published data name them.
const (
	policyCurve     = "policy_top1"
	randomCurve     = "policy_random"
	signCurve       = "sign_accuracy"
	policyLossCurve = "policy_loss"
	valueLossCurve  = "value_loss"
	inheritedCurve  = "elo" // by the published rule
	levelCurve      = "elo_level"
)

// curvePoint is the mean of a measure over trainings. X is the iteration, or of losses the number
// of the batch.
type curvePoint struct {
	Measure string  `json:"measure"`
	Size    int     `json:"size"`
	X       float64 `json:"x"`
	Seeds   int     `json:"seeds"`
	Mean    float64 `json:"mean"`
	Half    float64 `json:"half"` // of the 95 % interval, unknown of one training
}

func curvesCommand() *cobra.Command {
	c := &curves{}
	cmd := &cobra.Command{
		Use:   "curves DIR...",
		Short: "Draw the progress of trainings beside published data",
		Long: `Grade networks of trainings that differ in their seeds alone, and draw the means over the
seeds with 95 % intervals: the share of won states in which the network keeps the win,
that of the right signs, the losses, and ratings. Files named curves-N.* of board size N
in --out are replaced.`,
		Example: `  learn curves nim-5-1 nim-5-2 nim-5-3 --every 30 --out docs/reports/learning
  learn elo nim-5-1 --every 3 --sims 50 --json > elo-1.json
  learn curves nim-5-1 nim-5-2 --elo elo-1.json --elo elo-2.json --beside published.csv --out plots`,
		Args: cobra.MinimumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: c.run,
	}
	f := cmd.Flags()
	f.IntVar(&c.every, "every", 10, "grade the network of every Nth iteration")
	f.IntVar(&c.states, "states", 0, "number of random states that are graded, 0 for all that play can reach")
	f.StringSliceVar(&c.elo, "elo", nil, "`FILE` output of learn elo --json, to be drawn; one of each training, all with one --every")
	f.StringVar(&c.beside, "beside", "", "`FILE` published data: measure,heaps,iteration,value")
	f.StringVar(&c.out, "out", ".", "`DIR` directory of the plots and the table")
	for _, flag := range []string{"elo", "beside"} {
		cobra.CheckErr(cmd.MarkFlagFilename(flag))
	}
	cobra.CheckErr(cmd.MarkFlagDirname("out"))
	cli.NoCompletion(cmd, "every", "states")
	c.threads = threadsFlag(cmd)
	c.dir = cli.DirFlag(f)
	cli.Advanced(cmd, "threads")
	return cmd
}

func (c *curves) run(cmd *cobra.Command, dirs []string) error {
	if err := checkNumbers(number{"every", c.every, 1, 1_000_000}, number{"states", c.states, 0, maxStates}); err != nil {
		return err
	}
	points, size, err := c.measure(cmd.Context(), dirs)
	if err != nil {
		return err
	}
	ratings, err := ratingPoints(c.elo, size, c.every)
	if err != nil {
		return err
	}
	points = append(points, ratings...)
	published := map[string][]chart.Point{}
	if c.beside != "" {
		if published, err = readPublished(c.beside, size); err != nil {
			return err
		}
	}
	err = files.Write(c.path(size, "")+".csv", func(w io.Writer) error { return files.WriteCSV(w, points) })
	if err != nil {
		return err
	}
	return c.draw(cmd, size, points, published)
}

func (c *curves) path(size int, kind string) string {
	return filepath.Join(c.out, fmt.Sprintf("curves-%d%s", size, kind))
}

// measure returns the points of trainings, and the size of their board.
func (c *curves) measure(ctx context.Context, dirs []string) (points []curvePoint, size int, err error) {
	found := map[string]map[int][]float64{} // of measures, by iterations
	batches := map[int][]float64{}
	for i, dir := range dirs {
		t, err := c.of(ctx, dir)
		if err != nil {
			return nil, 0, err
		}
		if i > 0 && t.size != size {
			return nil, 0, cli.Usagef("%s is of another board than %s; name trainings of one", dir, dirs[0])
		}
		size = t.size
		for measure, values := range t.values {
			if found[measure] == nil {
				found[measure] = map[int][]float64{}
			}
			for iteration, value := range values {
				found[measure][iteration] = append(found[measure][iteration], value)
			}
		}
		for iteration, number := range t.batches {
			batches[iteration] = append(batches[iteration], number)
		}
	}
	for _, measure := range []string{policyCurve, randomCurve, signCurve, policyLossCurve, valueLossCurve} {
		for iteration := c.every; len(found[measure][iteration]) == len(dirs); iteration += c.every {
			x, values := float64(iteration), found[measure][iteration]
			if measure == policyLossCurve || measure == valueLossCurve {
				x = math.Round(stat.Mean(batches[iteration], nil))
			}
			mean, half := meanAndHalf(values)
			points = append(points, curvePoint{measure, size, x, len(values), mean, half})
		}
	}
	if len(points) == 0 {
		return nil, 0, fmt.Errorf("not all trainings have a network of iteration %d; train longer, or give another --every", c.every)
	}
	return points, size, nil
}

// ratingPoints returns the mean ratings of the iterations that all files have, at most one for every
// so many.
func ratingPoints(paths []string, size, every int) (points []curvePoint, err error) {
	found := map[string]map[int][]float64{inheritedCurve: {}, levelCurve: {}}
	for _, path := range paths {
		var ratings []rating
		if err := files.ReadJSON(path, &ratings); err != nil {
			return nil, err
		}
		for _, r := range ratings {
			found[inheritedCurve][r.Iteration] = append(found[inheritedCurve][r.Iteration], r.InheritedEntered)
			found[levelCurve][r.Iteration] = append(found[levelCurve][r.Iteration], r.Entered)
		}
	}
	for _, measure := range []string{inheritedCurve, levelCurve} {
		last := 0
		for _, iteration := range slices.Sorted(maps.Keys(found[measure])) {
			if values := found[measure][iteration]; len(values) == len(paths) && iteration >= last+every {
				last = iteration
				mean, half := meanAndHalf(values)
				points = append(points, curvePoint{measure, size, float64(iteration), len(values), mean, half})
			}
		}
	}
	return points, nil
}

// progressed is the measures of a training by iterations, and the batches it learned from by then.
type progressed struct {
	size    int
	values  map[string]map[int]float64
	batches map[int]float64
}

func (p *progressed) add(measure string, iteration int, value float64) {
	if p.values[measure] == nil {
		p.values[measure] = map[int]float64{}
	}
	p.values[measure][iteration] = value
}

// of measures a training.
func (c *curves) of(ctx context.Context, dir string) (*progressed, error) {
	log, err := readLog(filepath.Join(dir, logFile))
	if err != nil {
		return nil, err
	}
	run, err := readDescription(filepath.Join(dir, runFile))
	if err != nil {
		return nil, err
	}
	p := &progressed{size: run.Size, values: map[string]map[int]float64{}, batches: map[int]float64{}}
	positions, batches := 0, 0
	for _, e := range log {
		if e.Positions > 0 {
			positions = e.Positions
		}
		if batches += run.Training.Steps; run.Training.Whole {
			batches += positions / run.Training.Batch
		}
		p.batches[e.Iteration] = float64(batches)
		p.add(policyLossCurve, e.Iteration, e.PolicyLoss)
		p.add(valueLossCurve, e.Iteration, e.ValueLoss)
	}
	rules, err := parseBoard(run.Game, run.Size)
	if err != nil {
		return nil, err
	}
	return p, c.grade(ctx, dir, rules, p)
}

// grade grades the networks of a training.
func (c *curves) grade(ctx context.Context, dir string, rules game.Rules, p *progressed) error {
	networks, err := entrants(dir, c.every, 0)
	if err != nil {
		return err
	}
	env := newEnv(rules, *c.dir, *c.threads)
	defer env.Close()
	subject, err := newSubject(ctx, env, false, *c.threads)
	if err != nil {
		return err
	}
	for _, n := range networks {
		subject.From = n.start
		g, err := gradeAlone(ctx, subject, n.Weights, c.states)
		if err != nil {
			return err
		}
		p.add(policyCurve, n.iteration, g.Policy)
		p.add(signCurve, n.iteration, g.Sign)
		p.add(randomCurve, n.iteration, g.Random)
	}
	return nil
}

// readPublished reads the points of a board by their measures.
func readPublished(path string, size int) (map[string][]chart.Point, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	points := map[string][]chart.Point{}
	for _, row := range rows {
		if row[1] != strconv.Itoa(size) {
			continue
		}
		x, errX := strconv.ParseFloat(row[2], 64)
		y, errY := strconv.ParseFloat(row[3], 64)
		if errX != nil || errY != nil {
			return nil, fmt.Errorf("%s: %q has no numbers; give measure,heaps,iteration,value", path, row)
		}
		points[row[0]] = append(points[row[0]], chart.Point{X: x, Y: y})
	}
	return points, nil
}

// curvePlot is a plot of some measures, each with its name.
type curvePlot struct {
	kind, title string
	x, y        chart.Axis
	measures    [][2]string
}

var curvePlots = []curvePlot{
	{"shares", "Networks without search", chart.Axis{Name: "iteration"}, chart.Axis{Name: "share of states", To: 1},
		[][2]string{{signCurve, "right sign"}, {policyCurve, "keeps the win"}, {randomCurve, "random mover keeps it"}}},
	{"losses", "Losses", chart.Axis{Name: "batch"}, chart.Axis{Name: "loss"}, [][2]string{{policyLossCurve, "policy"}, {valueLossCurve, "value"}}},
	{"elo", "Ratings as networks enter", chart.Axis{Name: "iteration"}, chart.Axis{Name: "rating"},
		[][2]string{{inheritedCurve, "entering at the predecessor's"}, {levelCurve, "entering at 1000"}}},
}

// lines returns the lines of a plot, none if nothing of it was measured.
func (p *curvePlot) lines(points []curvePoint, published map[string][]chart.Point) (lines []chart.Line) {
	measured := false
	for _, m := range p.measures {
		var line []chart.Point
		seeds := 0
		for _, q := range points {
			if q.Measure != m[0] {
				continue
			}
			at := chart.Point{X: q.X, Y: q.Mean}
			if seeds = q.Seeds; seeds > 1 {
				at.Low, at.High = q.Mean-q.Half, q.Mean+q.Half
				if p.y.To > 0 { // of shares, Student's t ends beyond what there can be
					at.Low, at.High = max(at.Low, 0), min(at.High, p.y.To)
				}
			}
			line = append(line, at)
		}
		if len(line) > 0 {
			measured = true
			lines = append(lines, chart.Line{Name: m[1] + ", " + cli.Plural(seeds, "training"), Points: line})
		}
		if line := published[m[0]]; len(line) > 0 && m[0] != randomCurve {
			lines = append(lines, chart.Line{Name: m[1] + ", published", Points: line})
		}
	}
	if !measured {
		return nil
	}
	return lines
}

// draw draws the plots.
func (c *curves) draw(cmd *cobra.Command, size int, points []curvePoint, published map[string][]chart.Point) error {
	for _, p := range curvePlots {
		lines := p.lines(points, published)
		if len(lines) == 0 {
			continue
		}
		path := c.path(size, "-"+p.kind)
		if err := chart.Lines(chart.Frame{Title: fmt.Sprintf("%s, size %d", p.title, size), X: p.x, Y: p.y}, lines).Write(path); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s.svg is written\n", path); err != nil {
			return err
		}
	}
	return nil
}

// meanAndHalf returns a mean and half of its 95 % interval by Student's t, unknown of one value.
func meanAndHalf(values []float64) (mean, half float64) {
	if len(values) < 2 {
		return values[0], math.NaN()
	}
	n := float64(len(values))
	mean, deviation := stat.MeanStdDev(values, nil)
	return mean, distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975) * stat.StdErr(deviation, n)
}
