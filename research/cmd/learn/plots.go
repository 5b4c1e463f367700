package main

import (
	"bytes"
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"backsolve/research/internal/chart"
)

// curve is a line of a plot.
type curve struct {
	name   string
	points plotter.XYs
}

// colors are those of Okabe and Ito, which people of any colour vision tell apart, and
// which all plots here have.
var colors = []color.Color{
	color.RGBA{0x00, 0x72, 0xb2, 0xff}, color.RGBA{0xd5, 0x5e, 0x00, 0xff}, color.RGBA{0x00, 0x9e, 0x73, 0xff},
	color.RGBA{0xcc, 0x79, 0xa7, 0xff}, color.RGBA{0xe6, 0x9f, 0x00, 0xff}, color.RGBA{0x56, 0xb4, 0xe9, 0xff}, color.Black,
}

// dashes tell lines of the same colour apart.
var dashes = [][]vg.Length{nil, {vg.Points(6), vg.Points(3)}, {vg.Points(2), vg.Points(2)}}

// The sizes of a picture; the gap is that between the plot and its legend.
const (
	pictureWidth  = 22 * vg.Centimeter
	pictureHeight = 12 * vg.Centimeter
	margin        = 3 * vg.Millimeter
	gap           = 4 * vg.Millimeter
)

// picture is a plot over a number of games, of a logarithmic axis.
type picture struct {
	title, y string
	// low and high are what the axis shows besides the data, where they differ.
	low, high float64
	curves    []curve
}

// write draws the picture as SVG. From the same numbers come the same bytes.
func (p *picture) write(path string) error {
	drawn := plot.New()
	drawn.Title.Text, drawn.X.Label.Text, drawn.Y.Label.Text = p.title, "games that were learned from", p.y
	drawn.X.Scale, drawn.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{0xdd}, color.Gray{0xdd}
	drawn.Add(grid)
	legend := plot.NewLegend() // the plot's own would lie over its data
	legend.Top, legend.Left = true, true
	legend.ThumbnailWidth, legend.Padding = 8*vg.Millimeter, vg.Millimeter
	for i, c := range p.curves {
		line, dots, err := plotter.NewLinePoints(c.points)
		if err != nil {
			return fmt.Errorf("the plot %q cannot be drawn: %w", p.title, err)
		}
		line.Color, line.Width, line.Dashes = colors[i%len(colors)], vg.Points(1.5), dashes[i/len(colors)%len(dashes)]
		dots.Color, dots.Shape, dots.Radius = line.Color, draw.CircleGlyph{}, vg.Points(2)
		drawn.Add(line, dots)
		legend.Add(c.name, line, dots)
	}
	if p.low != p.high {
		drawn.Y.Min, drawn.Y.Max = min(p.low, drawn.Y.Min), max(p.high, drawn.Y.Max)
	}
	for _, style := range []*font.Font{&drawn.Title.TextStyle.Font, &drawn.X.Label.TextStyle.Font, &drawn.Y.Label.TextStyle.Font, &drawn.X.Tick.Label.Font, &drawn.Y.Tick.Label.Font, &legend.TextStyle.Font} {
		style.Typeface, style.Variant = "Liberation", "Sans"
	}
	canvas := vgsvg.New(pictureWidth, pictureHeight)
	area := draw.Crop(draw.New(canvas), margin, -margin, margin, -margin)
	names := legend.Rectangle(area).Size().X
	legend.Draw(draw.Crop(area, area.Max.X-area.Min.X-names, 0, 0, -2*gap))
	drawn.Draw(draw.Crop(area, 0, -names-gap, 0, 0))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	return writeFile(path, chart.Shrink(bytes.ReplaceAll(b.Bytes(),
		[]byte("font-family:Liberation Sans;"), []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))))
}
