package main

import (
	"cmp"
	"slices"

	"backsolve/player/arena"
	"backsolve/research/internal/chart"
)

// sample is a point of a curve: an agent with the iterations and the seconds that it
// takes for a move, and what was found of it.
type sample struct {
	iterations int // noIterations where the agent has none
	seconds    float64
	found      arena.Estimate
}

// curve is what is drawn as one line.
type curve struct {
	name    string
	samples []sample
}

// curveSet is curves in the order in which their names came up.
type curveSet []curve

// add adds a sample to the curve of a name.
func (cs *curveSet) add(name string, s sample) {
	i := slices.IndexFunc(*cs, func(c curve) bool { return c.name == name })
	if i < 0 {
		i = len(*cs)
		*cs = append(*cs, curve{name: name})
	}
	(*cs)[i].samples = append((*cs)[i].samples, s)
}

// plot draws curves against the iterations of a move, to path.svg, and against its
// time, to path-time.svg.
func plot(path, title string, y chart.Axis, curves []curve) error {
	if err := plotByIterations(path, title, y, curves); err != nil {
		return err
	}
	return plotByTime(path+"-time", title, y, curves)
}

// plotByTime draws curves against the thinking time. Where there are none it draws
// nothing.
func plotByTime(path, title string, y chart.Axis, curves []curve) error {
	if len(curves) == 0 {
		return nil
	}
	frame := chart.Frame{Title: title, X: chart.Axis{Name: "milliseconds of a move, on average", Log: true}, Y: y}
	return write(path, frame, lines(curves, bySeconds, func(s sample) []float64 { return []float64{1000 * s.seconds} }))
}

// plotByIterations draws curves against the iterations of a move. An agent without
// iterations is a level from the least to the most of them. Where no agent has any
// but 0 it draws nothing.
func plotByIterations(path, title string, y chart.Axis, curves []curve) error {
	least, most, ok := iterationsRange(curves)
	if !ok {
		return nil
	}
	frame := chart.Frame{Title: title, X: chart.Axis{Name: "iterations of a move", Log: true}, Y: y}
	return write(path, frame, lines(curves, byIterations, func(s sample) []float64 {
		if s.iterations == noIterations {
			return []float64{least, most}
		}
		return []float64{float64(s.iterations)}
	}))
}

func write(path string, frame chart.Frame, lines []chart.Line) error {
	c, err := chart.Lines(frame, lines)
	if err != nil {
		return err
	}
	return c.Write(path)
}

// The orders of samples. Times are what they are on a machine with other work: in the
// order of the iterations a line would go to and fro.
func byIterations(a, b sample) int { return cmp.Compare(a.iterations, b.iterations) }
func bySeconds(a, b sample) int    { return cmp.Compare(a.seconds, b.seconds) }

// lines returns the lines of curves, with each sample at the given places.
func lines(curves []curve, order func(a, b sample) int, places func(sample) []float64) []chart.Line {
	all := make([]chart.Line, len(curves))
	for i, c := range curves {
		all[i].Name = c.name
		slices.SortStableFunc(c.samples, order)
		for _, s := range c.samples {
			for _, x := range places(s) {
				all[i].Points = append(all[i].Points, chart.Point{X: x, Y: s.found.Value, Low: s.found.Low, High: s.found.High})
			}
		}
	}
	return all
}

// iterationsRange returns the least and the most iterations, false where no agent has
// any but 0.
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
