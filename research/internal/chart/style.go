package chart

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Style is the colour, and for a line the dashes and points as well, that one
// thing has in all plots. Their number repeats after the last one.
type Style int

// ByPlace gives lines and bars the styles in the order in which they come.
const ByPlace Style = 0

// The colours are those of Okabe and Ito, which people of any colour vision tell
// apart; the yellow one is too pale for a line and is not in turn.
const (
	Blue Style = iota + 1
	Vermilion
	Green
	Purple
	Orange
	Sky
	Black
	Yellow
)

// The styles of the outcomes.
const (
	Win  = Blue
	Draw = Yellow
	Lose = Vermilion
)

// turn is the number of styles that are given by place.
const turn = int(Black)

var colors = [...]color.RGBA{
	Blue:      {0x00, 0x72, 0xb2, 0xff},
	Vermilion: {0xd5, 0x5e, 0x00, 0xff},
	Green:     {0x00, 0x9e, 0x73, 0xff},
	Purple:    {0xcc, 0x79, 0xa7, 0xff},
	Orange:    {0xe6, 0x9f, 0x00, 0xff},
	Sky:       {0x56, 0xb4, 0xe9, 0xff},
	Black:     {0x00, 0x00, 0x00, 0xff},
	Yellow:    {0xf0, 0xe4, 0x42, 0xff},
}

// dashes and points have different lengths, so that lines beyond the last colour
// still differ.
var dashes = [...][]vg.Length{
	nil,
	{vg.Points(6), vg.Points(3)},
	{vg.Points(2), vg.Points(2)},
	{vg.Points(8), vg.Points(2), vg.Points(2), vg.Points(2)},
	{vg.Points(12), vg.Points(4)},
}

var points = [...]draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{},
	draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{},
	draw.CrossGlyph{}, draw.PlusGlyph{},
}

// at returns the style of the i-th line or bar.
func (s Style) at(i int) Style {
	if s == ByPlace {
		return Style(i + 1)
	}
	return s
}

// color returns the colour of a style that is not ByPlace.
func (s Style) color() color.Color {
	if s <= Yellow {
		return colors[s]
	}
	return colors[(int(s)-1)%turn+1]
}

func (s Style) line() draw.LineStyle {
	return draw.LineStyle{Color: s.color(), Width: vg.Points(1.5), Dashes: dashes[(int(s)-1)%len(dashes)]}
}

func (s Style) point() draw.GlyphStyle {
	return draw.GlyphStyle{Color: s.color(), Radius: vg.Points(2.8), Shape: points[(int(s)-1)%len(points)]}
}

// The sizes of a plot.
const (
	width     = 18 * vg.Centimeter
	height    = 11 * vg.Centimeter
	margin    = 3 * vg.Millimeter
	gap       = 4 * vg.Millimeter // between the plot and its legend
	titleSize = vg.Length(13)
	nameSize  = vg.Length(11)
	tickSize  = vg.Length(10)
)

var (
	gridColor  = color.Gray{0xdd}
	frameColor = color.Gray{0x44}
)

func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// dress gives a plot the style that all have.
func dress(p *plot.Plot) {
	p.Title.TextStyle.Font = sans(titleSize)
	p.Title.Padding = gap
	p.Legend.TextStyle.Font = sans(tickSize)
	p.Legend.ThumbnailWidth = 8 * vg.Millimeter
	p.Legend.Padding = vg.Millimeter
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font = sans(nameSize)
		a.Label.Padding = vg.Millimeter
		a.Tick.Label.Font = sans(tickSize)
		a.LineStyle.Color, a.Tick.LineStyle.Color = frameColor, frameColor
	}
}
