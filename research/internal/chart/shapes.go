package chart

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// fill draws a rectangle with a thin edge.
func fill(c *draw.Canvas, s Style, left, right, low, high vg.Length) {
	corners := []vg.Point{{X: left, Y: low}, {X: right, Y: low}, {X: right, Y: high}, {X: left, Y: high}, {X: left, Y: low}}
	c.FillPolygon(s.color(), corners)
	c.StrokeLines(draw.LineStyle{Color: frameColor, Width: vg.Points(0.3)}, corners)
}

// errorBar is the range of a value, as the axes have it.
type errorBar struct{ x, low, high float64 }

// errorBars are those of a line.
type errorBars struct {
	style draw.LineStyle
	bars  []errorBar
}

// capWidth is how long the ends of an error bar are.
const capWidth = 5 * vg.Length(1)

// Plot draws the error bars.
func (e *errorBars) Plot(c draw.Canvas, p *plot.Plot) {
	style := e.style
	style.Width = vg.Points(0.8)
	x, y := p.Transforms(&c)
	for _, b := range e.bars {
		at, low, high := x(b.x), y(b.low), y(b.high)
		c.StrokeLine2(style, at, low, at, high)
		c.StrokeLine2(style, at-capWidth/2, low, at+capWidth/2, low)
		c.StrokeLine2(style, at-capWidth/2, high, at+capWidth/2, high)
	}
}
