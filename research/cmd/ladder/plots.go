package main

import (
	"cmp"
	"path/filepath"
	"slices"

	"backsolve/player/arena"
	"backsolve/research/internal/chart"
)

// sample is a point of a curve.
type sample struct {
	iterations int     // noIterations if the agent has none
	seconds    float64 // of a move
	value      arena.Estimate
}

// curve becomes one line of a plot.
type curve struct {
	name    string
	samples []sample
}

// curveOf returns the curve of a value, without the points that lack it; none if all do.
func curveOf[P point](name string, points []P, value func(P) (arena.Estimate, bool)) (curves []curve) {
	for _, p := range points {
		if e, ok := value(p); ok {
			curves = add(curves, name, sample{p.iterations(), p.seconds(), e})
		}
	}
	return curves
}

// add adds a sample to the curve of a name.
func add(curves []curve, name string, s sample) []curve {
	i := slices.IndexFunc(curves, func(c curve) bool { return c.name == name })
	if i < 0 {
		i, curves = len(curves), append(curves, curve{name: name})
	}
	curves[i].samples = append(curves[i].samples, s)
	return curves
}

// plotter draws plots in a directory and remembers those over iterations.
type plotter struct {
	dir   string
	drawn []string
}

// both draws curves over iterations, to NAME.svg, and over time, to NAME-time.svg.
func (p *plotter) both(name, title string, y chart.Axis, curves []curve) error {
	if err := p.byIterations(name, title, y, curves); err != nil || len(curves) == 0 {
		return err
	}
	frame := chart.Frame{Title: title, X: timeAxis, Y: y}
	return p.draw(name+"-time", frame, lines(curves, bySeconds, func(s sample) []float64 { return []float64{1000 * s.seconds} }))
}

var timeAxis = chart.Axis{Name: "milliseconds of a move, on average", Log: true}

// byIterations draws nothing unless some agent has iterations, more than 0. Agents without
// any become horizontal lines.
func (p *plotter) byIterations(name, title string, y chart.Axis, curves []curve) error {
	least, most, ok := iterationsRange(curves)
	if !ok {
		return nil
	}
	p.drawn = append(p.drawn, name)
	frame := chart.Frame{Title: title, X: chart.Axis{Name: "iterations of a move", Log: true}, Y: y}
	return p.draw(name, frame, lines(curves, byIterations, func(s sample) []float64 {
		if s.iterations == noIterations {
			return []float64{least, most}
		}
		return []float64{float64(s.iterations)}
	}))
}

func (p *plotter) draw(name string, frame chart.Frame, lines []chart.Line) error {
	c, err := chart.Lines(frame, lines)
	if err != nil {
		return err
	}
	return c.Write(filepath.Join(p.dir, name))
}

// Times on a busy machine are not in the order of the iterations, so each axis has its own.
func byIterations(a, b sample) int { return cmp.Compare(a.iterations, b.iterations) }
func bySeconds(a, b sample) int    { return cmp.Compare(a.seconds, b.seconds) }

func lines(curves []curve, order func(a, b sample) int, places func(sample) []float64) []chart.Line {
	all := make([]chart.Line, len(curves))
	for i, c := range curves {
		all[i].Name = c.name
		slices.SortStableFunc(c.samples, order)
		for _, s := range c.samples {
			for _, x := range places(s) {
				all[i].Points = append(all[i].Points, chart.Point{X: x, Y: s.value.Value, Low: s.value.Low, High: s.value.High})
			}
		}
	}
	return all
}

// iterationsRange returns the least and the most iterations, false if there are none but 0.
func iterationsRange(curves []curve) (least, most float64, ok bool) {
	var all []int
	for _, c := range curves {
		for _, s := range c.samples {
			if s.iterations != noIterations {
				all = append(all, s.iterations)
			}
		}
	}
	if len(all) == 0 || slices.Max(all) == 0 {
		return 0, 0, false
	}
	return float64(slices.Min(all)), float64(slices.Max(all)), true
}
