package chart

import (
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"backsolve/research/internal/files"
)

// The sizes of a plot, in points.
const (
	width      = 510.0
	height     = 312.0
	margin     = 8.0
	gap        = 12.0 // between the plot and its legend
	titleSize  = 13.0
	nameSize   = 11.0
	tickSize   = 10.0
	charWidth  = 5.4 // about that of a character of tickSize
	longTick   = 8.0
	shortTick  = 4.0
	padding    = 5.0  // between an axis and the data of lines
	thumbWidth = 23.0 // of the legend
	rowHeight  = 12.0
	capWidth   = 5.0 // of the ends of error bars
)

const (
	gridLine  = `fill="none" stroke="#ddd" stroke-width="0.25"`
	frameLine = `fill="none" stroke="#444" stroke-width="0.5"`
	middle    = ` text-anchor="middle"`
	end       = ` text-anchor="end"`
)

// Write writes the chart to path.svg. It is an error if the chart cannot be drawn.
func (c *Chart) Write(path string) error {
	if c.err != nil {
		return fmt.Errorf("the plot %q cannot be drawn: %w", c.frame.Title, c.err)
	}
	return files.Write(path+".svg", c.writeSVG)
}

// writeSVG writes the chart as SVG, for fonts as wide as Liberation Sans.
func (c *Chart) writeSVG(w io.Writer) error {
	var names, labels int // the longest, in characters
	for _, l := range c.layers {
		names = max(names, utf8.RuneCountInString(l.Name))
	}
	for _, t := range c.y.ticks {
		labels = max(labels, utf8.RuneCountInString(t.label))
	}
	a := &area{
		left: margin + nameSize + 4 + charWidth*float64(labels) + 2 + longTick, right: width - 2*margin,
		top: margin + titleSize + gap, bottom: height - margin - nameSize - 4 - tickSize - longTick,
		x: c.x, y: c.y,
	}
	if names > 0 {
		a.right = width - margin - charWidth*float64(names) - 6 - thumbWidth - gap
	}
	fmt.Fprintf(&a.b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%gpt\" height=\"%gpt\" viewBox=\"0 0 %[1]g %g\" font-family=\"'Liberation Sans',Arial,Helvetica,sans-serif\" font-size=\"%g\">\n",
		width, height, tickSize)
	fmt.Fprintf(&a.b, "<path d=\"M0,0h%gv%gh-%[1]gz\" fill=\"#fff\"/>\n", width, height)
	a.axes(c.frame)
	for i := range c.layers {
		if l := &c.layers[i]; l.Style == ByPlace {
			l.Style = Style(i + 1)
		}
		a.layer(&c.layers[i])
	}
	row := a.top
	for _, l := range c.layers {
		if l.Name != "" {
			a.legend(&l, row)
			row += rowHeight
		}
	}
	a.b.WriteString("</svg>\n")
	_, err := io.WriteString(w, a.b.String())
	return err
}

type area struct {
	b                        strings.Builder
	left, right, top, bottom float64 // of the axes
	x, y                     *scale
}

// across and up convert places to coordinates.
func (a *area) across(place float64) float64 {
	return a.left + a.x.gap + (place-a.x.min)/(a.x.max-a.x.min)*(a.right-a.left-a.x.gap)
}

func (a *area) up(place float64) float64 {
	return a.bottom - a.y.gap - (place-a.y.min)/(a.y.max-a.y.min)*(a.bottom-a.y.gap-a.top)
}

func (a *area) axes(f Frame) {
	var grid, marks path
	for _, t := range a.x.ticks {
		at, length := a.across(t.place), shortTick
		if t.label != "" {
			length = longTick
			a.text(at, a.bottom+longTick+tickSize, middle, t.label)
			if !a.x.discrete {
				grid.segment(at, a.bottom-a.y.gap, at, a.top)
			}
		}
		marks.segment(at, a.bottom, at, a.bottom+length)
	}
	for _, t := range a.y.ticks {
		at, length := a.up(t.place), shortTick
		if t.label != "" {
			length = longTick
			a.text(a.left-longTick-2, at+tickSize*0.35, end, t.label)
			grid.segment(a.left+a.x.gap, at, a.right, at)
		}
		marks.segment(a.left, at, a.left-length, at)
	}
	marks.segment(a.left, a.up(a.y.max), a.left, a.up(a.y.min))
	marks.segment(a.across(a.x.min), a.bottom, a.across(a.x.max), a.bottom)
	a.draw(&grid, gridLine)
	a.draw(&marks, frameLine)
	centre := (a.left + a.right) / 2
	a.text(centre, margin+titleSize, fmt.Sprintf(`%s font-size="%g"`, middle, titleSize), f.Title)
	a.text(centre, height-margin, fmt.Sprintf(`%s font-size="%g"`, middle, nameSize), f.X.Name)
	a.text(0, 0, fmt.Sprintf(`%s font-size="%g" transform="translate(%g,%s)rotate(-90)"`, middle, nameSize, margin+nameSize, tenth((a.top+a.bottom)/2)), f.Y.Name)
}

func (a *area) layer(l *layer) {
	var bars, line, ends, points path
	for _, b := range l.boxes {
		bars.box(a.across(b.left), a.up(a.y.place(b.low)), a.across(b.right), a.up(a.y.place(b.high)))
	}
	shape, attributes := l.Style.point()
	for i, p := range l.Points {
		x, y := a.across(a.x.place(p.X)), a.up(a.y.place(p.Y))
		if i == 0 {
			line.move(x, y)
		}
		line.line(x, y)
		points.mark(x, y, shape)
		if p.Low != p.High {
			low, high := a.up(a.y.place(p.Low)), a.up(a.y.place(p.High))
			ends.segment(x, low, x, high)
			ends.segment(x-capWidth/2, low, x+capWidth/2, low)
			ends.segment(x-capWidth/2, high, x+capWidth/2, high)
		}
	}
	a.draw(&bars, l.Style.bar())
	a.draw(&ends, fmt.Sprintf(`fill="none" stroke="%s" stroke-width="0.8"`, l.Style.color()))
	a.draw(&line, l.Style.line())
	a.draw(&points, attributes)
}

func (a *area) legend(l *layer, row float64) {
	left, centre := a.right+gap, row+rowHeight/2
	var thumb, point path
	if l.Points == nil {
		thumb.box(left, row+2, left+thumbWidth, row+rowHeight-1)
		a.draw(&thumb, l.Style.bar())
	} else {
		shape, attributes := l.Style.point()
		thumb.segment(left, centre, left+thumbWidth, centre)
		point.mark(left+thumbWidth/2, centre, shape)
		a.draw(&thumb, l.Style.line())
		a.draw(&point, attributes)
	}
	a.text(left+thumbWidth+4, centre+tickSize*0.35, "", l.Name)
}

func (a *area) draw(p *path, attributes string) {
	if p.b.Len() > 0 {
		fmt.Fprintf(&a.b, "<path d=\"%s\" %s/>\n", p.b.String(), attributes)
	}
}

func (a *area) text(x, y float64, attributes, text string) {
	if text != "" {
		fmt.Fprintf(&a.b, "<text x=\"%s\" y=\"%s\"%s>%s</text>\n", tenth(x), tenth(y), attributes, html.EscapeString(text))
	}
}

// path is a path of SVG. Coordinates have one decimal and, after the first, are relative.
type path struct {
	b    strings.Builder
	x, y int // in tenths
}

func (p *path) step(x, y float64) (dx, dy int) {
	dx, dy = tenths(x)-p.x, tenths(y)-p.y
	p.x, p.y = p.x+dx, p.y+dy
	return dx, dy
}

func (p *path) move(x, y float64) {
	command := "m"
	if p.b.Len() == 0 {
		command = "M"
	}
	dx, dy := p.step(x, y)
	fmt.Fprintf(&p.b, "%s%s,%s", command, decimal(dx), decimal(dy))
}

func (p *path) mark(x, y float64, shape string) {
	fmt.Fprintf(&p.b, "M%s,%s%s", tenth(x), tenth(y), shape)
}

func (p *path) line(x, y float64) {
	switch dx, dy := p.step(x, y); {
	case dx == 0 && dy == 0: // invisible
	case dy == 0:
		p.b.WriteString("h" + decimal(dx))
	case dx == 0:
		p.b.WriteString("v" + decimal(dy))
	default:
		fmt.Fprintf(&p.b, "l%s,%s", decimal(dx), decimal(dy))
	}
}

func (p *path) segment(x, y, toX, toY float64) {
	p.move(x, y)
	p.line(toX, toY)
}

func (p *path) box(left, bottom, right, top float64) {
	p.segment(left, bottom, right, bottom)
	p.line(right, top)
	p.line(left, top)
	p.b.WriteByte('z')
	p.step(left, bottom) // the start of the closed path
}

func tenths(v float64) int { return int(math.Round(10 * v)) }

func decimal(tenths int) string { return strconv.FormatFloat(float64(tenths)/10, 'f', -1, 64) }

func tenth(v float64) string { return decimal(tenths(v)) }

// Style is a colour and, for lines, dashes and points. Styles repeat after the last one.
type Style int

// ByPlace gives lines and bars the styles in order.
const ByPlace Style = 0

// The colours of Okabe and Ito, for any colour vision. Yellow is too pale for lines and comes last.
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

var colors = [...]string{
	Blue: "#0072b2", Vermilion: "#d55e00", Green: "#009e73", Purple: "#cc79a7",
	Orange: "#e69f00", Sky: "#56b4e9", Black: "#000", Yellow: "#f0e442",
}

// dashes and points have different lengths, so lines beyond the last colour still differ.
var dashes = [...]string{"", "6,3", "2,2", "8,2,2,2", "12,4"}

// The attributes of points: the round end of a stroke, filled, or lines.
const (
	dot    = `fill="none" stroke="%s" stroke-width="5.6" stroke-linecap="round"`
	filled = `fill="%s"`
	hollow = `fill="none" stroke="%s" stroke-width="0.5"`
)

// points are paths from the centres of points, with their attributes.
var points = [...]struct{ path, attributes string }{
	{"h0", dot}, {"m-2.4-2.4h4.8v4.8h-4.8z", filled}, {"m0-3.5l3,5.2h-6z", filled},
	{"m2.8,0a2.8,2.8 0 1 1-5.6,0a2.8,2.8 0 1 1 5.6,0z", hollow}, {"m-2.4-2.4h4.8v4.8h-4.8z", hollow}, {"m0-3.5l3,5.2h-6z", hollow},
	{"m-2-2l4,4m0-4l-4,4", hollow}, {"m-2.8,0h5.6m-2.8-2.8v5.6", hollow},
}

func (s Style) color() string {
	if s <= Yellow {
		return colors[s]
	}
	return colors[(int(s)-1)%int(Black)+1]
}

func (s Style) line() string {
	text := fmt.Sprintf(`fill="none" stroke="%s" stroke-width="1.5"`, s.color())
	if d := dashes[(int(s)-1)%len(dashes)]; d != "" {
		text += fmt.Sprintf(` stroke-dasharray="%s"`, d)
	}
	return text
}

func (s Style) point() (path, attributes string) {
	p := points[(int(s)-1)%len(points)]
	return p.path, fmt.Sprintf(p.attributes, s.color())
}

func (s Style) bar() string {
	return fmt.Sprintf(`fill="%s" stroke="#444" stroke-width="0.3"`, s.color())
}
