package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/stat"

	"backsolve/cmd/cli"
	"backsolve/internal/player/zero"
	"backsolve/research/grade"
	"backsolve/research/internal/chart"
	"backsolve/research/internal/files"
	"backsolve/research/internal/interval"
	"backsolve/research/selfplay"
)

// curves draws the progress of trainings that differ only in their seeds.
type curves struct {
	*shared
	every     int // iterations between graded networks
	states    int // that are graded, 0 for all
	elo       []string
	published string // file of data, "" for none
	out       string
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
	batchNumber     = "batches" // by which losses are drawn
)

// curvePoint is a mean over trainings. X is the iteration, or of losses the number of the batch.
type curvePoint struct {
	Measure string  `json:"measure"`
	Size    int     `json:"size"`
	X       float64 `json:"x"`
	Seeds   int     `json:"seeds"`
	Mean    float64 `json:"mean"`
	Low     float64 `json:"low"` // of the 95 % interval, unknown of one training
	High    float64 `json:"high"`
}

func newCurvePoint(measure string, size int, x float64, values []float64) curvePoint {
	low, high := 0.0, 1.0
	if measure != policyCurve && measure != signCurve && measure != randomCurve {
		low, high = math.Inf(-1), math.Inf(1)
	}
	e := interval.Mean(values, low, high)
	if len(values) == 1 {
		e.Low, e.High = math.NaN(), math.NaN()
	}
	rounded := func(x float64) float64 { return math.Round(1e4*x) / 1e4 }
	return curvePoint{measure, size, x, len(values), rounded(e.Value), rounded(e.Low), rounded(e.High)}
}

// draw writes curves-N.csv and the plots of board size N.
func (c *curves) draw(cmd *cobra.Command, dirs []string) error {
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
	if c.published != "" {
		if published, err = readPublished(c.published, size); err != nil {
			return err
		}
	}
	path := filepath.Join(c.out, fmt.Sprintf("curves-%d", size))
	if err := files.Write(path+".csv", func(w io.Writer) error { return files.WriteCSV(w, points) }); err != nil {
		return err
	}
	for _, p := range curvePlots {
		lines := p.lines(points, published)
		if len(lines) == 0 {
			continue
		}
		if err := chart.Lines(chart.Frame{Title: fmt.Sprintf("%s, size %d", p.title, size), X: p.x, Y: p.y}, lines).Write(path + "-" + p.kind); err != nil {
			return err
		}
	}
	return nil
}

// found has the values of measures by iterations, one of each training.
type found map[string]map[int][]float64

func (f found) add(measure string, iteration int, value float64) {
	if f[measure] == nil {
		f[measure] = map[int][]float64{}
	}
	f[measure][iteration] = append(f[measure][iteration], value)
}

func (c *curves) measure(ctx context.Context, dirs []string) (points []curvePoint, size int, err error) {
	all := found{}
	for i, dir := range dirs {
		run, err := readDescription(filepath.Join(dir, runFile))
		if err == nil && i > 0 && run.Size != size {
			err = cli.Usagef("%s is of another board than %s; name trainings of one", dir, dirs[0])
		}
		if err == nil {
			err = c.add(ctx, dir, run, all)
		}
		if err != nil {
			return nil, 0, err
		}
		size = run.Size
	}
	for _, measure := range []string{policyCurve, randomCurve, signCurve, policyLossCurve, valueLossCurve} {
		for iteration := c.every; len(all[measure][iteration]) == len(dirs); iteration += c.every {
			x := float64(iteration)
			if measure == policyLossCurve || measure == valueLossCurve {
				x = math.Round(stat.Mean(all[batchNumber][iteration], nil))
			}
			points = append(points, newCurvePoint(measure, size, x, all[measure][iteration]))
		}
	}
	if len(points) == 0 {
		return nil, 0, fmt.Errorf("not all trainings have a network of iteration %d; train longer, or give another --every", c.every)
	}
	return points, size, nil
}

// ratingPoints returns the means of iterations that all files have, at most one of every few.
func ratingPoints(paths []string, size, every int) (points []curvePoint, err error) {
	all := found{}
	for _, path := range paths {
		var ratings []rating
		if err := files.ReadJSON(path, &ratings); err != nil {
			return nil, err
		}
		for _, r := range ratings {
			all.add(inheritedCurve, r.Iteration, r.InheritedEntered)
			all.add(levelCurve, r.Iteration, r.Entered)
		}
	}
	for _, measure := range []string{inheritedCurve, levelCurve} {
		last := 0
		for _, iteration := range slices.Sorted(maps.Keys(all[measure])) {
			if values := all[measure][iteration]; len(values) == len(paths) && iteration >= last+every {
				last = iteration
				points = append(points, newCurvePoint(measure, size, float64(iteration), values))
			}
		}
	}
	return points, nil
}

func (c *curves) add(ctx context.Context, dir string, run *selfplay.Run, to found) error {
	log, err := files.ReadLines[logged](filepath.Join(dir, logFile))
	if err != nil {
		return err
	}
	positions, batches := 0, 0
	for _, e := range log {
		if e.Positions > 0 {
			positions = e.Positions
		}
		if batches += run.Training.Steps; run.Training.Whole {
			batches += positions / run.Training.Batch
		}
		to.add(batchNumber, e.Iteration, float64(batches))
		to.add(policyLossCurve, e.Iteration, e.PolicyLoss)
		to.add(valueLossCurve, e.Iteration, e.ValueLoss)
	}
	networks, err := entrants(dir, c.every, 0)
	if err != nil || len(networks) == 0 {
		return err
	}
	env := newEnv(networks[0].rules, *c.dir, *c.threads)
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
		to.add(policyCurve, n.iteration, g.Policy)
		to.add(signCurve, n.iteration, g.Sign)
		to.add(randomCurve, n.iteration, g.Random)
	}
	return nil
}

func readPublished(path string, size int) (map[string][]chart.Point, error) {
	rows, err := files.ReadTable(path)
	if err != nil {
		return nil, err
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
				at.Low, at.High = q.Low, q.High
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

type rating struct {
	Iteration int     `json:"iteration"`
	Entered   float64 `json:"entered"` // after its games against earlier networks
	Final     float64 `json:"final"`
	// Inherited ratings are for networks that enter with their predecessor's rating, as published.
	InheritedEntered float64 `json:"inherited_entered"`
	InheritedFinal   float64 `json:"inherited_final"`
}

func eloCommand(s *shared) *cobra.Command {
	var every, simulations int
	cmd := &cobra.Command{
		Use:   "elo DIR",
		Short: "Rate the networks of a training by games",
		Long: `Play the networks of a training against each other: each plays one game on each side
against all earlier ones. K is 32 after more than 20 games, else 16, as published for
Nim. The same games are rated twice: each network enters with 1000 or, "inherited", with
the rating of its predecessor, and then K is 32 for both if either has 20 games. That is
the rule of the published program, which also searches and rates every iteration: --sims
50. Such ratings grow with the number of networks. Games start as in the training; no
tree is kept between moves.

To compare a network with other agents, use lab strength.`,
		Example: `  lab elo notakto-4x4
  lab elo notakto-4x4 --every 5 --sims 100`,
		Args:              cli.Args(1),
		ValidArgsFunction: completeDirs,
	}
	f := cmd.Flags()
	f.IntVar(&every, "every", 1, "use the network of every Nth iteration")
	f.IntVar(&simulations, "sims", 0, "number of simulations for each move, 0 for the networks alone")
	cli.JSONFlag(f)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := checkNumbers(number{"every", every, 1, 1_000_000}, number{"sims", simulations, 0, zero.MaxSimulations}); err != nil {
			return err
		}
		networks, err := entrants(args[0], every, simulations)
		if err != nil {
			return err
		}
		if len(networks) < 2 {
			return fmt.Errorf("%s has %s to rate, and the least number is 2; name the directory of a training, or another --every", args[0], cli.Plural(len(networks), "network"))
		}
		out, err := s.rate(cmd, networks)
		if err != nil {
			return err
		}
		return writeOut(cmd, "elo", out, tabwriter.AlignRight)
	}
	return cmd
}

type entrant struct {
	*network
	iteration, simulations int
	agent                  *zero.Agent
}

func newEntrant(n *network, iteration, simulations int) (entrant, error) {
	agent, err := zero.New(n.rules, n.Weights, simulations)
	return entrant{n, iteration, simulations, agent}, err
}

func entrants(dir string, every, simulations int) (all []entrant, err error) {
	for i := every; ; i += every {
		n, err := loadNetwork(filepath.Join(dir, weightsFile(i)))
		if errors.Is(err, fs.ErrNotExist) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		e, err := newEntrant(n, i, simulations)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
}

func (s *shared) rate(cmd *cobra.Command, networks []entrant) (all []rating, err error) {
	var players []grade.Mover
	for _, n := range networks {
		players = append(players, n.agent)
	}
	n := len(networks)
	p, stop := s.watch(cmd, "rating", fmt.Sprintf("%s %d", networks[0].Game, networks[0].Size), "pairs", 0, float64(n*(n-1)/2))
	level, inherited, err := grade.Tournament(cmd.Context(), networks[0].rules, networks[0].start, players, *s.threads, func(agent, pairs int) {
		p.Update(fmt.Sprintf("iteration %d", networks[agent].iteration), float64(pairs))
	})
	stop()
	if err != nil {
		return nil, err
	}
	for i, n := range networks {
		all = append(all, rating{n.iteration, level.Entered[i], level.Final[i], inherited.Entered[i], inherited.Final[i]})
	}
	return all, nil
}
