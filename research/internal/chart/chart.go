// Package chart draws plots as SVG: lines with error bars, stacked bars and bars side by side.
// The same numbers give the same bytes.
package chart

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Frame is the title and the axes of a plot.
type Frame struct {
	Title string
	X, Y  Axis
}

// Axis is an axis of a plot. It shows all data.
type Axis struct {
	Name string // with the unit
	// Log makes the axis logarithmic, with a place for 0 at its beginning, none for negative values.
	Log      bool
	From, To float64 // shown besides the data, unless both are 0
}

// Point is a point of a line, with an error bar if Low and High differ: Low ≤ Y ≤ High.
type Point struct {
	X, Y, Low, High float64
}

// Line joins points in their order.
type Line struct {
	Name   string // in the legend, unless empty
	Style  Style
	Points []Point
}

// Bars have a value of 0 or more for each place on the x axis.
type Bars struct {
	Name   string // in the legend, unless empty
	Style  Style
	Values []float64
}

// Chart is a plot to be written.
type Chart struct {
	frame  Frame
	err    error // why it cannot be drawn
	x, y   *scale
	layers []layer
}

type layer struct {
	Line
	boxes []box
}

// box is a bar in coordinates of the axes.
type box struct{ left, right, low, high float64 }

// scales sets the scale of the y axis, unless the scale of the x axis has failed.
func (c *Chart) scales(x *scale, err error, ys []float64) *Chart {
	if c.x, c.err = x, err; err == nil {
		c.y, c.err = newScale(c.frame.Y, ys)
	}
	return c
}

// Lines draws lines with points. Values that have no place on an axis are errors.
func Lines(f Frame, lines []Line) *Chart {
	c := &Chart{frame: f}
	var xs, ys []float64
	for _, l := range lines {
		c.layers = append(c.layers, layer{Line: l})
		for _, p := range l.Points {
			xs, ys = append(xs, p.X), append(ys, p.Y)
			for _, end := range []float64{p.Low, p.High} {
				if p.Low != p.High && (end > 0 || !f.Y.Log) {
					ys = append(ys, end)
				}
			}
		}
	}
	x, err := newScale(f.X, xs)
	return c.scales(x, err, ys)
}

// Stacked draws bars on top of each other, the first at the bottom. Both axes are linear.
func Stacked(f Frame, places []int, stack []Bars) *Chart { return bars(f, places, stack, true) }

// Grouped draws bars side by side, and no bar for 0. The x axis is linear.
func Grouped(f Frame, places []int, groups []Bars) *Chart { return bars(f, places, groups, false) }

// barWidth is the width of the bars of a place, which has the width 1.
const barWidth = 0.84

func bars(f Frame, places []int, all []Bars, stacked bool) *Chart {
	c := &Chart{frame: f}
	left, width, below := -barWidth/2, barWidth, make([]float64, len(places))
	if !stacked {
		width /= float64(len(all))
	}
	var heights []float64
	for i, t := range all {
		l := layer{Line: Line{Name: t.Name, Style: t.Style}}
		for j, v := range t.Values {
			if v == 0 {
				continue
			}
			b := box{left + float64(places[j]), left + width + float64(places[j]), below[j], below[j] + v}
			if stacked {
				below[j] = b.high
			}
			l.boxes, heights = append(l.boxes, b), append(heights, b.high)
		}
		if !stacked {
			left = -barWidth/2 + float64(i+1)*width
		}
		c.layers = append(c.layers, l)
	}
	if !f.Y.Log {
		heights = append(heights, 0)
	} else if len(heights) > 0 {
		heights = append(heights, slices.Min(heights)/2) // gives the least bar a height
	}
	x, err := newPlaces(f.X, places)
	if c.scales(x, err, heights); c.y != nil {
		c.y.gap = 0
	}
	return c
}

// scale is an axis in places: values, or decimal logarithms on a logarithmic axis.
type scale struct {
	min, max float64
	log      bool
	discrete bool    // whole numbers
	gap      float64 // between the other axis and the data
	ticks    []tick
}

// tick is a mark on an axis, small without a label.
type tick struct {
	place float64
	label string
}

const mostTicks = 10

func newScale(a Axis, values []float64) (*scale, error) {
	if a.From != a.To {
		values = append(slices.Clip(values), a.From, a.To)
	}
	low, high, positive := math.Inf(1), math.Inf(-1), math.Inf(1) // positive is the least above 0
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) || a.Log && v < 0 {
			return nil, fmt.Errorf("the axis %q has no place for %g", a.Name, v)
		}
		low, high = min(low, v), max(high, v)
		if v > 0 {
			positive = min(positive, v)
		}
	}
	switch {
	case len(values) == 0:
		return nil, fmt.Errorf("the axis %q has no values", a.Name)
	case a.Log && high == 0:
		return nil, fmt.Errorf("the axis %q has no values above 0 for its logarithms", a.Name)
	case a.Log:
		return newLogScale(positive, high, low == 0), nil
	case low == high:
		low, high = low-0.5, high+0.5
	}
	return &scale{min: low, max: high, gap: padding, ticks: evenTicks(low, high, niceStep((high-low)/mostTicks))}, nil
}

func newPlaces(a Axis, places []int) (*scale, error) {
	if len(places) == 0 {
		return nil, fmt.Errorf("the axis %q has no places", a.Name)
	}
	least, most := float64(slices.Min(places)), float64(slices.Max(places))
	// Fewer bars are not drawn wider.
	const fewPlaces = 6
	margin := 0.5 + max(0, fewPlaces-1-(most-least))/2
	s := &scale{min: least - margin, max: most + margin, discrete: true}
	const mostPlaces = 26
	s.ticks = evenTicks(least, most, max(1, niceStep((most-least)/mostPlaces)))
	return s, nil
}

func newLogScale(low, high float64, zero bool) *scale {
	if low == high {
		low, high = low/2, high*2
	}
	s := &scale{min: math.Log10(low), max: math.Log10(high), gap: padding, log: true, ticks: decades(low, high)}
	if zero { // half a decade away, or a tenth of the axis if that is more
		s.min -= max(0.5, (s.max-s.min)/10)
		s.ticks = append(s.ticks, tick{s.min, "0"})
	}
	return s
}

// place returns the place of a value; on a logarithmic axis, values below the smallest share the place of 0.
func (s *scale) place(v float64) float64 {
	if s.log {
		return max(s.min, math.Log10(max(v, 0)))
	}
	return v
}

// niceStep returns the least 1, 2 or 5 times a power of ten that is not below a length.
func niceStep(length float64) float64 {
	power := math.Pow10(int(math.Floor(math.Log10(length))))
	for _, factor := range []float64{1, 2, 5} {
		if factor*power >= length*(1-1e-9) {
			return factor * power
		}
	}
	return 10 * power
}

func evenTicks(low, high, step float64) (ticks []tick) {
	const slack = 1e-9
	for i := int(math.Ceil(low/step - slack)); float64(i) <= high/step+slack; i++ {
		v := float64(i) * step
		ticks = append(ticks, tick{min(max(v, low), high), label(v, step)})
	}
	return ticks
}

// decades returns ticks at the powers of ten with small ones between, of few powers with labels.
func decades(low, high float64) (ticks []tick) {
	first, last := int(math.Floor(math.Log10(low))), int(math.Ceil(math.Log10(high)))
	every := (last-first)/mostTicks + 1
	for power := first; power <= last; power++ {
		for digit := 1.0; digit < 10; digit++ {
			v := digit * math.Pow10(power)
			if v < low || v > high {
				continue
			}
			t := tick{place: math.Log10(v)}
			if digit == 1 && power%every == 0 || high < 100*low && (digit == 2 || digit == 5) {
				t.label = label(v, v)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// label formats a multiple of a step: 0.25, 1000, 20k.
func label(v, step float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if abs := math.Abs(v); abs >= 1e4 && abs >= unit.size { // without rounding errors
			return strconv.FormatFloat(math.Round(v/unit.size*1e6)/1e6, 'f', -1, 64) + unit.name
		}
	}
	digits := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	return strconv.FormatFloat(v, 'f', digits, 64)
}
