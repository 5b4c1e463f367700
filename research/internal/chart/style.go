package chart

import "fmt"

// Style is a colour and, for lines, dashes and points. Styles repeat after the last one.
type Style int

// ByPlace gives lines and bars the styles in order.
const ByPlace Style = 0

// The colours of Okabe and Ito can be distinguished with any colour vision. Yellow is too pale
// for lines and comes last.
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

// turn is the number of colours of ByPlace.
const turn = int(Black)

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

// color returns the colour of a style that is not ByPlace.
func (s Style) color() string {
	if s <= Yellow {
		return colors[s]
	}
	return colors[(int(s)-1)%turn+1]
}

// line returns the attributes of a line.
func (s Style) line() string {
	text := fmt.Sprintf(`fill="none" stroke="%s" stroke-width="1.5"`, s.color())
	if d := dashes[(int(s)-1)%len(dashes)]; d != "" {
		text += fmt.Sprintf(` stroke-dasharray="%s"`, d)
	}
	return text
}

// point returns the shape of a point, and its attributes.
func (s Style) point() (path, attributes string) {
	p := points[(int(s)-1)%len(points)]
	return p.path, fmt.Sprintf(p.attributes, s.color())
}

// bar returns the attributes of a bar.
func (s Style) bar() string {
	return fmt.Sprintf(`fill="%s" stroke="#444" stroke-width="0.3"`, s.color())
}
