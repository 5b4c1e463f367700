// Package chart draws the plots of the programs under tools, all in one style:
// lines with error bars, stacked bars and bars side by side, written as SVG. What is
// drawn from the same numbers has the same bytes.
package chart

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// Frame is what stands around a plot.
type Frame struct {
	Title string
	X, Y  Axis
}

// Axis is one axis of a plot. It shows all of the data.
type Axis struct {
	// Name says what is measured, with the unit.
	Name string
	// Log makes the axis logarithmic. Values below 0 cannot be drawn then; a 0
	// has a place of its own before the least other value, marked as 0.
	Log bool
	// From and To are values that the axis shows besides the data, unless both
	// are 0.
	From, To float64
	// Names stand at the places 0, 1, … of bars instead of their numbers.
	Names []string
}

// Point is a point of a line. Where Low and High differ they are the ends of its
// error bar, Low ≤ Y ≤ High.
type Point struct {
	X, Y, Low, High float64
}

// Line is the points of one thing, joined in their order.
type Line struct {
	// Name stands in the legend, unless it is empty.
	Name   string
	Style  Style
	Points []Point
}

// Bars are the values of one thing, one for each place on the x axis, 0 or more.
type Bars struct {
	// Name stands in the legend, unless it is empty.
	Name   string
	Style  Style
	Values []float64
}

// Chart is a plot that is ready to be written.
type Chart struct {
	plot   *plot.Plot
	legend plot.Legend // the plot's own would lie over its data
	named  bool        // the legend has an entry
}

// Lines draws lines with points. The error says what cannot be drawn.
func Lines(f Frame, lines []Line) (*Chart, error) {
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
	if err := errors.Join(errX, errY); err != nil {
		return nil, f.fail(err)
	}
	c := newChart(f, x, y)
	for i, l := range lines {
		if err := c.addLine(l, l.Style.at(i), x, y); err != nil {
			return nil, f.fail(err)
		}
	}
	return c, nil
}

// Stacked draws bars upon each other, the first thing at the bottom, over the
// places on the x axis. The y axis is not logarithmic: lengths are to be compared.
func Stacked(f Frame, places []int, parts []Bars) (*Chart, error) {
	if f.Y.Log {
		return nil, f.fail(errors.New("stacked bars cannot be compared on a logarithmic axis"))
	}
	below := make([]float64, len(places))
	return bars(f, places, parts, func(part, place int, value float64) box {
		b := box{left: -barWidth / 2, right: barWidth / 2, low: below[place], high: below[place] + value}
		below[place] = b.high
		return b
	})
}

// Grouped draws bars side by side at each place on the x axis. No bar is drawn
// for a 0.
func Grouped(f Frame, places []int, groups []Bars) (*Chart, error) {
	each := barWidth / float64(len(groups))
	return bars(f, places, groups, func(group, place int, value float64) box {
		left := -barWidth/2 + float64(group)*each
		return box{left: left, right: left + each, high: value}
	})
}

// barWidth is the share of a place that its bars take.
const barWidth = 0.84

// bars draws a box for each value, as shape places it around 0.
func bars(f Frame, places []int, things []Bars, shape func(thing, place int, value float64) box) (*Chart, error) {
	if f.X.Log {
		return nil, f.fail(errors.New("the places of bars cannot be on a logarithmic axis"))
	}
	layers := make([]*boxes, len(things))
	heights := []float64{0}
	if f.Y.Log {
		heights = nil
	}
	for i, t := range things {
		if len(t.Values) != len(places) {
			return nil, f.fail(fmt.Errorf("%q has %d values for %d places", t.Name, len(t.Values), len(places)))
		}
		layers[i] = &boxes{style: t.Style.at(i)}
		for j, v := range t.Values {
			if v < 0 {
				return nil, f.fail(fmt.Errorf("%q has a bar of %g", t.Name, v))
			}
			if v > 0 {
				b := shape(i, j, v)
				b.left, b.right = b.left+float64(places[j]), b.right+float64(places[j])
				layers[i].boxes = append(layers[i].boxes, b)
				heights = append(heights, b.high)
			}
		}
	}
	x, errX := newPlaces(f.X, places)
	if f.Y.Log && len(heights) > 0 {
		heights = append(heights, slices.Min(heights)/2) // so that the least bar has a height
	}
	y, errY := newScale(f.Y, heights)
	if err := errors.Join(errX, errY); err != nil {
		return nil, f.fail(err)
	}
	y.flush = true
	c := newChart(f, x, y)
	for i, t := range things {
		for j := range layers[i].boxes {
			b := &layers[i].boxes[j]
			b.low, b.high = y.place(b.low), y.place(b.high)
		}
		c.add(t.Name, layers[i])
	}
	return c, nil
}

func (f Frame) fail(err error) error {
	return fmt.Errorf("the plot %q cannot be drawn: %w", f.Title, err)
}

func newChart(f Frame, x, y *scale) *Chart {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = f.Title, f.X.Name, f.Y.Name
	dress(p)
	x.set(&p.X)
	y.set(&p.Y)
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = gridColor, gridColor
	if x.discrete {
		grid.Vertical.Color = nil
	}
	p.Add(grid)
	c := &Chart{plot: p, legend: p.Legend}
	c.legend.Top, c.legend.Left = true, true
	return c
}

// thing is something that is drawn and shown in the legend.
type thing interface {
	plot.Plotter
	plot.Thumbnailer
}

// add draws a thing above those that are there.
func (c *Chart) add(name string, things ...thing) {
	thumbnails := make([]plot.Thumbnailer, len(things))
	for i, t := range things {
		// Through Add, gonum would widen the axes.
		c.plot.Add(fixed{t})
		thumbnails[i] = t
	}
	if name != "" {
		c.legend.Add(name, thumbnails...)
		c.named = true
	}
}

// fixed hides all of a plotter but that it draws, so that the axes stay as they are.
type fixed struct{ plot.Plotter }

func (c *Chart) addLine(l Line, style Style, x, y *scale) error {
	points := make(plotter.XYs, len(l.Points))
	var ends errorBars
	ends.style = style.line()
	ends.style.Dashes = nil
	for i, p := range l.Points {
		points[i] = plotter.XY{X: x.place(p.X), Y: y.place(p.Y)}
		if p.Low != p.High {
			ends.bars = append(ends.bars, errorBar{points[i].X, y.place(p.Low), y.place(p.High)})
		}
	}
	line, dots, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	line.LineStyle, dots.GlyphStyle = style.line(), style.point()
	c.plot.Add(fixed{&ends})
	c.add(l.Name, line, dots)
	return nil
}

// box is a bar: where it lies on the axes.
type box struct{ left, right, low, high float64 }

// boxes are the bars of one thing.
type boxes struct {
	style Style
	boxes []box
}

// Plot draws the bars from the axis on.
func (b *boxes) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, box := range b.boxes {
		fill(&c, b.style, x(box.left), x(box.right), y(box.low), y(box.high))
	}
}

// Thumbnail draws a bar for the legend.
func (b *boxes) Thumbnail(c *draw.Canvas) {
	fill(c, b.style, c.Min.X, c.Max.X, c.Min.Y, c.Max.Y)
}
