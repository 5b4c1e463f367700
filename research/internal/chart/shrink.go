package chart

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

var (
	element  = regexp.MustCompile(`<path d="([^"]*)"\s*(?:style="([^"]*)")?\s*/>\n`)
	styled   = regexp.MustCompile(`\s+style="([^"]*)"`)
	number   = regexp.MustCompile(`\d+\.\d\d+`)
	placed   = regexp.MustCompile(` [xy]="[\d.-]+"`)
	polyline = regexp.MustCompile(`^M[\d.-]+,[\d.-]+(?:L[\d.-]+,[\d.-]+)+Z?$`)
	point    = regexp.MustCompile(`([\d.-]+),([\d.-]+)`)
	disc     = regexp.MustCompile(`^M([\d.-]+),([\d.-]+)A([\d.]+),[\d.]+ 0 1 1 [\d.,-]+A[^A]*Z$`)
)

// Shrink returns an SVG file of vgsvg that looks the same and has about a fifth of the
// bytes: coordinates have one decimal and are relative, shapes of the same style that
// follow each other are one path, discs are round dots of a stroke, and styles stand once,
// as classes.
func Shrink(svg []byte) []byte {
	var out bytes.Buffer
	last := 0
	var run []shape
	flush := func() {
		writeRuns(&out, run)
		run = run[:0]
	}
	for _, at := range element.FindAllSubmatchIndex(svg, -1) {
		if at[0] > last { // something else comes before
			flush()
			out.Write(elsewhere(svg[last:at[0]]))
		}
		last = at[1]
		s := shape{d: string(svg[at[2]:at[3]]), style: "fill:#000000"}
		if at[4] >= 0 {
			s.style = string(svg[at[4]:at[5]])
		}
		s.shorten()
		if n := len(run); n > 0 && run[n-1].outlines(&s) {
			run[n-1].style += strings.TrimPrefix(s.style, "fill:none")
		} else {
			run = append(run, s)
		}
	}
	flush()
	out.Write(elsewhere(svg[last:]))
	return classes(out.Bytes())
}

// writeRuns writes shapes that follow each other, as one path where they join.
func writeRuns(out *bytes.Buffer, shapes []shape) {
	for i := range shapes {
		if i == 0 || !shapes[i-1].joins(&shapes[i]) {
			out.WriteString(`<path d="`)
		}
		out.WriteString(shapes[i].d)
		if i == len(shapes)-1 || !shapes[i].joins(&shapes[i+1]) {
			fmt.Fprintf(out, "\" style=\"%s\"/>\n", shapes[i].style)
		}
	}
}

// shape is a path.
type shape struct {
	d, style string
	turns    string // the signs of the steps of a polyline
	plain    bool   // a polyline
}

// hollow says that the shape is not filled.
func (s *shape) hollow() bool { return strings.HasPrefix(s.style, "fill:none") }

// outlines reports whether another shape is the outline of this one.
func (s *shape) outlines(o *shape) bool {
	return s.plain && o.plain && !s.hollow() && o.hollow() && !strings.Contains(s.style, "stroke") && s.d == o.d
}

// joins reports whether another shape can be of one path with this one: shapes that are
// filled may overlap, and leave no hole only where they run the same way round.
func (s *shape) joins(o *shape) bool {
	return s.style == o.style && (s.hollow() || s.plain && o.plain && s.turns == o.turns)
}

// tenths returns a coordinate in tenths.
func tenths(text string) int {
	f, _ := strconv.ParseFloat(text, 64)
	return int(math.Round(10 * f))
}

// decimal writes tenths.
func decimal(n int) string { return strconv.FormatFloat(float64(n)/10, 'f', -1, 64) }

// rounded rounds a number to one decimal.
func rounded(text []byte) []byte { return []byte(decimal(tenths(string(text)))) }

// elsewhere rounds the places of text, and leaves the text itself as it is.
func elsewhere(svg []byte) []byte {
	return placed.ReplaceAllFunc(svg, func(attribute []byte) []byte { return number.ReplaceAllFunc(attribute, rounded) })
}

// shorten writes the path in a shorter way.
func (s *shape) shorten() {
	if m := disc.FindStringSubmatch(s.d); m != nil {
		x, _ := strconv.ParseFloat(m[1], 64)
		radius, _ := strconv.ParseFloat(m[3], 64)
		if color, filled := strings.CutPrefix(s.style, "fill:#"); filled {
			s.d = fmt.Sprintf("M%s,%sh0", decimal(int(math.Round(10*(x-radius)))), decimal(tenths(m[2])))
			s.style = fmt.Sprintf("fill:none;stroke:#%s;stroke-width:%g;stroke-linecap:round", color, 2*radius)
			return
		}
		s.d = fmt.Sprintf("M%s,%[2]sa%[3]g,%[3]g 0 1 1-%[4]g,0a%[3]g,%[3]g 0 1 1 %[4]g,0z", decimal(tenths(m[1])), decimal(tenths(m[2])), radius, 2*radius)
		return
	}
	if !polyline.MatchString(s.d) {
		s.d = string(number.ReplaceAllFunc([]byte(s.d), rounded))
		return
	}
	s.plain = true
	points := point.FindAllStringSubmatch(s.d, -1)
	closed := strings.HasSuffix(s.d, "Z")
	if n := len(points) - 1; n > 2 && points[n][0] == points[0][0] {
		points, closed = points[:n], true
	}
	var b, turns strings.Builder
	var x, y int
	for i, m := range points {
		dx, dy := tenths(m[1])-x, tenths(m[2])-y
		x, y = x+dx, y+dy
		switch {
		case i == 0:
			fmt.Fprintf(&b, "M%s,%s", decimal(x), decimal(y))
			continue
		case dx == 0 && dy == 0:
			continue // not to be seen
		case dy == 0:
			b.WriteString("h" + decimal(dx))
		case dx == 0:
			b.WriteString("v" + decimal(dy))
		default:
			fmt.Fprintf(&b, "l%s,%s", decimal(dx), decimal(dy))
		}
		turns.WriteString(sign(dx) + sign(dy))
	}
	if turns.Len() == 0 {
		b.WriteString("h0")
	}
	if closed {
		b.WriteString("z")
	}
	s.d, s.turns = b.String(), turns.String()
}

func sign(n int) string {
	switch {
	case n < 0:
		return "-"
	case n > 0:
		return "+"
	}
	return "0"
}

// classes gives each style a name, under which it stands once, and says once that text is
// not upside down.
func classes(svg []byte) []byte {
	const upright = ` transform="scale(1, -1)"`
	names := map[string]string{}
	rules := "text{transform:scale(1,-1)}\n"
	svg = bytes.ReplaceAll(svg, []byte(upright), nil)
	svg = bytes.ReplaceAll(svg, []byte("font-variant:normal;font-weight:normal;font-style:normal;"), nil)
	svg = styled.ReplaceAllFunc(svg, func(attribute []byte) []byte {
		style := string(styled.FindSubmatch(attribute)[1])
		if names[style] == "" {
			names[style] = string(rune('a'+len(names)%26)) + strings.Repeat("a", len(names)/26)
			rules += fmt.Sprintf(".%s{%s}\n", names[style], style)
		}
		return fmt.Appendf(nil, ` class="%s"`, names[style])
	})
	return bytes.Replace(svg, []byte("<g "), []byte("<style>\n"+rules+"</style>\n<g "), 1)
}
