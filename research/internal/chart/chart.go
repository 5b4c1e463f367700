// Package chart draws plots as SVG: lines with error bars, stacked bars and bars side by side.
// The same numbers give the same bytes.
package chart

import (
	"errors"
	"fmt"
	"slices"
)

// Frame is the title and the axes of a plot.
type Frame struct {
	Title string
	X, Y  Axis
}

// Axis is an axis of a plot. It shows all data.
type Axis struct {
	Name string // with the unit
	// Log makes the axis logarithmic. Negative values are errors; 0 has a place of its own
	// before the least other value.
	Log bool
	// From and To are shown besides the data, unless both are 0.
	From, To float64
}

// Point is a point of a line. If Low and High differ, they are the ends of its error bar, Low ≤
// Y ≤ High.
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

// layer is a line with its points, or bars.
type layer struct {
	Line
	boxes []box
}

// layerOf returns the i-th layer, without bars.
func layerOf(i int, l Line) layer {
	if l.Style == ByPlace {
		l.Style = Style(i + 1)
	}
	return layer{Line: l}
}

// Lines draws lines with points. Values that have no place on an axis are errors.
func Lines(f Frame, lines []Line) *Chart {
	var xs, ys []float64
	for _, l := range lines {
		for _, p := range l.Points {
			xs, ys = append(xs, p.X), append(ys, p.Y)
			for _, end := range []float64{p.Low, p.High} {
				if p.Low != p.High && (end > 0 || !f.Y.Log) {
					ys = append(ys, end)
				}
			}
		}
	}
	x, errX := newScale(f.X, xs)
	y, errY := newScale(f.Y, ys)
	c := &Chart{frame: f, x: x, y: y, err: errors.Join(errX, errY)}
	for i, l := range lines {
		c.layers = append(c.layers, layerOf(i, l))
	}
	return c
}

// Stacked draws bars on top of each other, the first at the bottom. The y axis must be linear.
func Stacked(f Frame, places []int, stack []Bars) *Chart {
	if f.Y.Log {
		return &Chart{frame: f, err: errors.New("stacked bars cannot be compared on a logarithmic axis")}
	}
	return bars(f, places, stack, true)
}

// Grouped draws bars side by side, none for 0.
func Grouped(f Frame, places []int, groups []Bars) *Chart {
	return bars(f, places, groups, false)
}

// barWidth is the width of the bars of a place, which has the width 1.
const barWidth = 0.84

// bars draws a box for each value.
func bars(f Frame, places []int, all []Bars, stacked bool) *Chart {
	c := &Chart{frame: f}
	if f.X.Log {
		c.err = errors.New("the places of bars cannot be on a logarithmic axis")
		return c
	}
	var heights []float64
	if !f.Y.Log {
		heights = append(heights, 0)
	}
	below := make([]float64, len(places))
	for i, t := range all {
		if len(t.Values) != len(places) {
			c.err = fmt.Errorf("%q has %d values for %d places", t.Name, len(t.Values), len(places))
			return c
		}
		left, width := 0.0, barWidth
		if !stacked {
			width /= float64(len(all))
			left = float64(i) * width
		}
		l := layerOf(i, Line{Name: t.Name, Style: t.Style})
		for j, v := range t.Values {
			if v < 0 {
				c.err = fmt.Errorf("%q has a bar of %g", t.Name, v)
				return c
			}
			if v == 0 {
				continue
			}
			from := -barWidth/2 + left
			b := box{left: from + float64(places[j]), right: from + width + float64(places[j]), low: below[j], high: below[j] + v}
			if stacked {
				below[j] = b.high
			}
			l.boxes, heights = append(l.boxes, b), append(heights, b.high)
		}
		c.layers = append(c.layers, l)
	}
	if f.Y.Log && len(heights) > 0 {
		heights = append(heights, slices.Min(heights)/2) // gives the least bar a height
	}
	var errX, errY error
	c.x, errX = newPlaces(f.X, places)
	c.y, errY = newScale(f.Y, heights)
	if c.err = errors.Join(errX, errY); c.err == nil {
		c.y.flush = true
	}
	return c
}

// box is a bar in coordinates of the axes.
type box struct{ left, right, low, high float64 }
