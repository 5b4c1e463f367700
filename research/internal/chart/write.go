package chart

import (
	"bytes"
	"io"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"backsolve/research/internal/files"
)

// Write writes the chart to path.svg, under another name first.
func (c *Chart) Write(path string) error { return files.Write(path+".svg", c.WriteSVG) }

// WriteSVG writes the chart as SVG. Its text is set in Liberation Sans or, where
// that is not at hand, in a font of the same widths.
func (c *Chart) WriteSVG(w io.Writer) error {
	canvas := vgsvg.New(width, height)
	c.draw(draw.New(canvas))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	_, err := w.Write(Shrink(bytes.ReplaceAll(b.Bytes(),
		[]byte("font-family:Liberation Sans;"),
		[]byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))))
	return err
}

// draw draws the plot with its legend on the right.
func (c *Chart) draw(canvas draw.Canvas) {
	canvas.SetColor(c.plot.BackgroundColor)
	canvas.Fill(canvas.Rectangle.Path())
	canvas = draw.Crop(canvas, margin, -margin, margin, -margin)
	if c.named {
		size := c.legend.Rectangle(canvas).Size()
		c.legend.Draw(draw.Crop(canvas, canvas.Max.X-canvas.Min.X-size.X, 0, 0, -titleSize-gap))
		canvas = draw.Crop(canvas, 0, -size.X-gap, 0, 0)
	}
	c.plot.Draw(canvas)
}
