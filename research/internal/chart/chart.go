// Package chart draws plots as SVG: lines with error bars, stacked bars and bars side by side.
// The same numbers give the same bytes.
package chart

import "slices"

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

// box is a bar in coordinates of the axes.
type box struct{ left, right, low, high float64 }

// scales sets the scale of the y axis, unless that of the x axis has failed.
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

// Grouped draws bars side by side, none for 0. The x axis is linear.
func Grouped(f Frame, places []int, groups []Bars) *Chart { return bars(f, places, groups, false) }

// barWidth is the width of the bars of a place, which has the width 1.
const barWidth = 0.84

// bars draws a box for each value.
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
		c.y.flush = true
	}
	return c
}
