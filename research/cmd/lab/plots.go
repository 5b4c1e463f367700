package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"backsolve/internal/player"
	"backsolve/internal/player/arena"
	"backsolve/research/internal/chart"
)

// sample is a point of a curve.
type sample struct {
	agent      string
	iterations int     // noIterations if the agent has none
	seconds    float64 // of a move
	value      arena.Estimate
}

// curve becomes one line of a plot.
type curve struct {
	name    string
	samples []sample
}

// curvesOf returns the curves of points: of mcts, and of each agent without iterations. of
// returns the name of a point's curve and its value, false if it has none.
func curvesOf[P point](points []P, of func(P) (name string, value arena.Estimate, ok bool)) (curves []curve) {
	for _, p := range points {
		name, value, ok := of(p)
		if !ok {
			continue
		}
		s := p.sample()
		s.value = value
		if s.iterations == noIterations {
			name = s.agent + ", " + name
		}
		i := slices.IndexFunc(curves, func(c curve) bool { return c.name == name })
		if i < 0 {
			i, curves = len(curves), append(curves, curve{name: name})
		}
		curves[i].samples = append(curves[i].samples, s)
	}
	return curves
}

// plot is a plot over iterations or time.
type plot struct {
	file, title string
	axis        chart.Axis
	curves      []curve
}

// plotter draws plots in a directory.
type plotter struct{ dir string }

// byTime draws the points with times to NAME-time.svg.
func (d *plotter) byTime(p plot) error {
	for i := range p.curves {
		p.curves[i].samples = slices.DeleteFunc(p.curves[i].samples, func(s sample) bool { return s.seconds == 0 })
	}
	p.curves = slices.DeleteFunc(p.curves, func(c curve) bool { return len(c.samples) == 0 })
	if len(p.curves) == 0 {
		return nil
	}
	return d.draw(p.file+"-time", chart.Frame{Title: p.title, X: timeAxis, Y: p.axis}, lines(p.curves, bySeconds, func(s sample) []float64 { return []float64{1000 * s.seconds} }))
}

var timeAxis = chart.Axis{Name: "milliseconds of a move", Log: true}

// byIterations draws nothing unless some agent has iterations, more than 0. Agents without
// any become horizontal lines.
func (d *plotter) byIterations(p plot) error {
	least, most := iterationsRange(p.curves)
	if most <= 0 {
		return nil
	}
	frame := chart.Frame{Title: p.title, X: chart.Axis{Name: "iterations of a move", Log: true}, Y: p.axis}
	return d.draw(p.file, frame, lines(p.curves, byIterations, func(s sample) []float64 {
		if s.iterations == noIterations {
			return []float64{float64(least), float64(most)}
		}
		return []float64{float64(s.iterations)}
	}))
}

func (d *plotter) draw(name string, frame chart.Frame, lines []chart.Line) error {
	return chart.Lines(frame, lines).Write(filepath.Join(d.dir, name))
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

// iterationsRange returns the least and the most iterations, noIterations if there are none.
func iterationsRange(curves []curve) (least, most int) {
	least, most = noIterations, noIterations
	for _, c := range curves {
		for _, s := range c.samples {
			if least == noIterations || s.iterations != noIterations && s.iterations < least {
				least = s.iterations
			}
			most = max(most, s.iterations)
		}
	}
	return least, most
}

var (
	// strengthAxis shows what a perfect agent reaches.
	strengthAxis = chart.Axis{Name: "strength: score for 100 games", From: 0, To: 50}
	lengthAxis   = chart.Axis{Name: "plies of a lost game, on average"}
	accuracyAxis = chart.Axis{Name: "right moves in %", To: 100}
)

// draw draws what was measured of one board.
func draw(dir string, p planned) error { return p.draw(&plotter{dir}) }

func (st *store[P]) draw(d *plotter) error {
	var plots []plot
	s := st.Settings
	switch points := any(st.Points).(type) {
	case []accuracyPoint:
		plots = []plot{s.plot("", "right moves in random positions", accuracyAxis, accuracyCurves("", points))}
	case []matchPoint:
		if s.Measure == lengthMeasure {
			plots = []plot{s.plot("", "length of the games lost to a perfect player", lengthAxis, lengthCurves("against ", points))}
			break
		}
		for _, policy := range bothPolicies {
			plots = append(plots, strengthPlot(s, points, policy))
		}
	}
	for _, p := range plots {
		if err := errors.Join(d.byIterations(p), d.byTime(p)); err != nil {
			return err
		}
	}
	return nil
}

// plot returns a plot of the points.
func (s settings) plot(suffix, title string, axis chart.Axis, curves []curve) plot {
	return plot{s.file() + suffix, fmt.Sprintf("%s %d×%[2]d: %s", s.Game, s.Size, title), axis, curves}
}

// strengthPlot plots points against a policy, a curve for each probability of a blunder.
func strengthPlot(s settings, points []matchPoint, policy player.Policy) plot {
	agent := func(p matchPoint) string {
		if p.Iterations == noIterations {
			return p.Agent
		}
		return "" // mcts comes first
	}
	points = slices.Clone(points)
	slices.SortStableFunc(points, func(a, b matchPoint) int {
		return cmp.Or(cmp.Compare(agent(a), agent(b)), cmp.Compare(a.Opponent, b.Opponent))
	})
	return s.plot("-"+string(policy), fmt.Sprintf("strength against %s with probability p of a blunder", policy), strengthAxis,
		curvesOf(points, func(p matchPoint) (string, arena.Estimate, bool) {
			s, err := parseStrength(p.Opponent)
			return "p = " + floatText(s.Blunder), p.strength(), err == nil && s.Policy == policy
		}))
}

// lengthCurves returns a curve of a value for each opponent.
func lengthCurves(prefix string, points []matchPoint) []curve {
	return curvesOf(points, func(p matchPoint) (string, arena.Estimate, bool) {
		e, ok := p.length()
		return prefix + p.Opponent, e, ok
	})
}

// accuracyCurves returns the curves of both accuracies.
func accuracyCurves(prefix string, points []accuracyPoint) []curve {
	lenient := curvesOf(points, func(p accuracyPoint) (string, arena.Estimate, bool) {
		return prefix + "lenient", inPercent(p.lenient()), true
	})
	return append(lenient, curvesOf(points, func(p accuracyPoint) (string, arena.Estimate, bool) {
		e, ok := p.strict()
		return prefix + "strict", inPercent(e), ok
	})...)
}
