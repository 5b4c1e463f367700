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

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/research/internal/chart"
	"backsolve/research/internal/files"
	"backsolve/research/internal/interval"
)

// curves draws the progress of trainings that differ in their seeds alone.
type curves struct {
	*shared
	every  int // iterations between graded networks
	states int // that are graded, 0 for all
	elo    []string
	beside string
	out    string
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
	return curvePoint{measure, size, x, len(values), e.Value, e.Low, e.High}
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
	if c.beside != "" {
		if published, err = readPublished(c.beside, size); err != nil {
			return err
		}
	}
	err = files.Write(c.path(size, "")+".csv", func(w io.Writer) error { return files.WriteCSV(w, points) })
	if err != nil {
		return err
	}
	for _, p := range curvePlots {
		lines := p.lines(points, published)
		if len(lines) == 0 {
			continue
		}
		if err := chart.Lines(chart.Frame{Title: fmt.Sprintf("%s, size %d", p.title, size), X: p.x, Y: p.y}, lines).Write(c.path(size, "-"+p.kind)); err != nil {
			return err
		}
	}
	return nil
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
			points = append(points, newCurvePoint(measure, size, x, values))
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
				points = append(points, newCurvePoint(measure, size, float64(iteration), values))
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
