package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"backsolve/internal/player"
	"backsolve/internal/player/arena"
	"backsolve/research/internal/chart"
)

type sample struct {
	agent      string
	iterations int     // noIterations if the agent has none
	seconds    float64 // of a move
	value      arena.Estimate
}

type curve struct {
	name    string
	samples []sample
}

// curvesOf returns the curves of points: of mcts, and of each agent without iterations. value
// returns the name of a point's curve and its value, false if it has none.
func curvesOf[P point](points []P, value func(P) (name string, value arena.Estimate, ok bool)) (curves []curve) {
	for _, p := range points {
		name, value, ok := value(p)
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

type plot struct {
	file, title string
	axis        chart.Axis
	curves      []curve
}

const timeName = "milliseconds of a move"

func (p plot) byTime(dir string) error {
	return p.draw(dir, "-time", timeName, func(s sample) []float64 {
		if s.seconds == 0 {
			return nil
		}
		return []float64{1000 * s.seconds}
	})
}

// byIterations draws agents without iterations as horizontal lines, and nothing if no agent has some.
func (p plot) byIterations(dir string) error {
	var all []int
	for _, c := range p.curves {
		for _, s := range c.samples {
			if s.iterations != noIterations {
				all = append(all, s.iterations)
			}
		}
	}
	if len(all) == 0 || slices.Max(all) == 0 {
		return nil
	}
	return p.draw(dir, "", "iterations of a move", func(s sample) []float64 {
		if s.iterations == noIterations {
			return []float64{float64(slices.Min(all)), float64(slices.Max(all))}
		}
		return []float64{float64(s.iterations)}
	})
}

// draw draws the samples at their places, if there are any. Times on a busy machine are not in the
// order of the iterations, so each axis has its own.
func (p plot) draw(dir, suffix, x string, places func(sample) []float64) error {
	var lines []chart.Line
	for _, c := range p.curves {
		l := chart.Line{Name: c.name}
		for _, s := range c.samples {
			for _, x := range places(s) {
				l.Points = append(l.Points, chart.Point{X: x, Y: s.value.Value, Low: s.value.Low, High: s.value.High})
			}
		}
		slices.SortStableFunc(l.Points, func(a, b chart.Point) int { return cmp.Compare(a.X, b.X) })
		if l.Points != nil {
			lines = append(lines, l)
		}
	}
	if lines == nil {
		return nil
	}
	return chart.Lines(chart.Frame{Title: p.title, X: chart.Axis{Name: x, Log: true}, Y: p.axis}, lines).Write(filepath.Join(dir, p.file+suffix))
}

var (
	// strengthAxis shows what a perfect agent reaches.
	strengthAxis = chart.Axis{Name: "strength: score for 100 games", From: 0, To: 50}
	lengthAxis   = chart.Axis{Name: "plies of a lost game, on average"}
	accuracyAxis = chart.Axis{Name: "right moves in %", To: 100}
)

func (st *store[P]) draw(dir string) error {
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
		if err := errors.Join(p.byIterations(dir), p.byTime(dir)); err != nil {
			return err
		}
	}
	return nil
}

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
			name, text, _ := strings.Cut(p.Opponent, ":blunder=")
			blunder, err := strconv.ParseFloat(cmp.Or(text, "0"), 64)
			return "p = " + strconv.FormatFloat(blunder, 'g', -1, 64), p.strength(), err == nil && name == string(policy)
		}))
}

func lengthCurves(prefix string, points []matchPoint) []curve {
	return curvesOf(points, func(p matchPoint) (string, arena.Estimate, bool) {
		e, ok := p.length()
		return prefix + p.Opponent, e, ok
	})
}

func accuracyCurves(prefix string, points []accuracyPoint) []curve {
	lenient := curvesOf(points, func(p accuracyPoint) (string, arena.Estimate, bool) {
		return prefix + "lenient", inPercent(p.lenient()), true
	})
	return append(lenient, curvesOf(points, func(p accuracyPoint) (string, arena.Estimate, bool) {
		e, ok := p.strict()
		return prefix + "strict", inPercent(e), ok
	})...)
}
