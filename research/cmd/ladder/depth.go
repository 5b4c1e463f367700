package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"backsolve/research/internal/chart"
)

// The depth of a ladder is the number of doublings of the time for a move from lowShareOf to
// highShareOf of the ceiling, the strength of a perfect player against another one.
const (
	ceiling                 = 50.0
	lowShareOf, highShareOf = 0.1, 0.9
)

// climbed is the ladder of one kind of agents on one board against the perfect player.
type climbed struct {
	board
	kind   string       // mcts, minimax or network
	points []matchPoint // by time
	grid   *fitted      // of those on the grid
}

// depthOf is a depth, and whether the ladder begins above or ends below the shares of the
// ceiling, so that the depth is more.
type depthOf struct {
	doublings      float64
	late, unclosed bool
	from, to       float64 // seconds
}

// climbs returns all ladders with times of three or more points, mcts first and the deepest first.
func (g *ladders) climbs() (all []climbed) {
	for _, l := range slices.Concat(g.Boards, g.others) {
		kinds := map[string][]matchPoint{}
		for _, p := range l.strength.Points {
			kind, _, _ := strings.Cut(p.Agent, ":")
			if p.Opponent == perfect.String() && p.SecondsPerMove > 0 && p.Iterations != 0 && slices.Contains(depthKinds, kind) {
				kinds[kind] = append(kinds[kind], p)
			}
		}
		for kind, points := range kinds {
			slices.SortFunc(points, func(a, b matchPoint) int { return effort(a.Agent) - effort(b.Agent) })
			for i := range points[1:] { // what is measured of short times may fall a little
				points[i+1].SecondsPerMove = max(points[i].SecondsPerMove, points[i+1].SecondsPerMove)
			}
			grid := slices.DeleteFunc(slices.Clone(points), func(p matchPoint) bool { return kind == depthKinds[0] && !inGrid(p.Iterations) })
			if len(grid) >= 3 {
				all = append(all, climbed{l.board, kind, points, fit(grid, fitSeed)})
			}
		}
	}
	slices.SortFunc(all, func(a, b climbed) int {
		if a.kind != b.kind {
			return slices.Index(depthKinds, a.kind) - slices.Index(depthKinds, b.kind)
		}
		return cmp.Or(cmp.Compare(b.grid.depth().doublings, a.grid.depth().doublings), strings.Compare(a.word(), b.word()))
	})
	return all
}

// effort is the number in the name of an agent: mcts:100, minimax:depth=4.
func effort(agent string) int {
	n, _ := strconv.Atoi(agent[strings.LastIndexAny(agent, ":=")+1:])
	return n
}

var depthKinds = []string{"mcts", "minimax", networkKind}

// inGrid reports whether iterations are on the grid that all boards have in common: 1, 2, 5, 10,
// 20, … Of other agents all points are.
func inGrid(iterations int) bool {
	for iterations >= 10 && iterations%10 == 0 {
		iterations /= 10
	}
	return iterations == 1 || iterations == 2 || iterations == 5
}

// depthIn returns the depth of strengths that never fall, of points by time. Between two
// points the strength is a line over the logarithm of time.
func depthIn(strengths []float64, points []matchPoint) (d depthOf) {
	reach := func(strength float64) float64 {
		i := slices.IndexFunc(strengths, func(s float64) bool { return s >= strength })
		switch i {
		case 0:
			return math.Log2(points[0].SecondsPerMove)
		case -1:
			return math.Log2(points[len(points)-1].SecondsPerMove)
		}
		a, b := math.Log2(points[i-1].SecondsPerMove), math.Log2(points[i].SecondsPerMove)
		return a + (b-a)*(strength-strengths[i-1])/(strengths[i]-strengths[i-1])
	}
	low, high := ceiling*lowShareOf, ceiling*highShareOf
	from, to := reach(low), reach(high)
	return depthOf{max(0, to-from), strengths[0] > low, strengths[len(strengths)-1] < high, math.Exp2(from), math.Exp2(to)}
}

// What is said of ladders that have no depth.
const (
	belowAll = "below 10 %"
	aboveAll = "above 90 % at once"
)

func (f *fitted) depth() depthOf { return depthIn(f.strength, f.points) }

// text gives the depth with its bootstrap interval, of which an end that is not reached is
// left open.
func (f *fitted) text() string {
	d := f.depth()
	var again []float64
	open := 0
	for _, drawn := range f.drawn {
		r := depthIn(drawn, f.points)
		again = append(again, r.doublings)
		if r.unclosed {
			open++
		}
	}
	low, high := interval(again)
	text := oneDigit(d.doublings)
	switch {
	case f.strength[len(f.strength)-1] < ceiling*lowShareOf:
		return belowAll
	case f.strength[0] >= ceiling*highShareOf:
		return aboveAll
	case d.late || d.unclosed:
		text = "≥ " + text
	}
	if float64(open) > lowShare*float64(len(f.drawn)) {
		return fmt.Sprintf("%s (%.1f or more)", text, low)
	}
	return fmt.Sprintf("%s (%.1f–%.1f)", text, low, high)
}

// depth is the part of the page about depth.
type depth struct {
	Rows   [][]string // all ladders
	Shown  [][]string // those that have a depth, with fewer columns
	None   []string   // ladders below the shares of the ceiling
	AtOnce []string   // ladders above them
	Apart  string     // the most by which half of the points change a depth
	Plots  []string
}

func newDepth(all []climbed) depth {
	d := depth{
		Rows:  [][]string{{"board", "agent", "points", "weakest", "strongest", "doublings", "milliseconds at 10 %", "at 90 %", "every second point", "the other points", "all points measured"}},
		Shown: [][]string{{"board, agent", "strongest", "doublings"}},
	}
	apart := 0.0
	for _, c := range all {
		row := c.row()
		d.Rows = append(d.Rows, row)
		switch row[5] {
		case belowAll:
			d.None = append(d.None, row[0]+" ("+row[1]+")")
			continue
		case aboveAll:
			d.AtOnce = append(d.AtOnce, row[0]+" ("+row[1]+")")
			continue
		}
		if !strings.HasPrefix(row[5], "≥ 0.0") { // which says nothing
			d.Shown = append(d.Shown, []string{row[0] + ", " + row[1], row[4], row[5]})
		}
		for first := range 2 {
			if f := c.half(first); f != nil {
				apart = max(apart, math.Abs(f.depth().doublings-c.grid.depth().doublings))
			}
		}
	}
	d.Apart = oneDigit(apart)
	for _, game := range gamesOf(all) {
		d.Plots = append(d.Plots, "depth-"+game)
	}
	return d
}

// half fits every second point of the grid, nil if there is only one.
func (c *climbed) half(first int) *fitted {
	var some []matchPoint
	for i := first; i < len(c.grid.points); i += 2 {
		some = append(some, c.grid.points[i])
	}
	if len(some) < 2 {
		return nil
	}
	return fit(some, fitSeed)
}

func (c *climbed) row() []string {
	points, d := c.grid.points, c.grid.depth()
	half := func(first int) string {
		if f := c.half(first); f != nil {
			return f.text()
		}
		return "-"
	}
	reached := func(seconds float64, not bool) string {
		if not {
			return "-"
		}
		return milliseconds(seconds)
	}
	return []string{
		boardName(c.board), "`" + c.kind + "`", fmt.Sprint(len(points)), strengthText(points[0]), strengthText(points[len(points)-1]),
		c.grid.text(), reached(d.from, d.late), reached(d.to, d.unclosed), half(0), half(1), fit(c.points, fitSeed).text(),
	}
}

// milliseconds formats a time with two significant digits.
func milliseconds(seconds float64) string {
	ms := 1000 * seconds
	digits := max(0, 1-int(math.Floor(math.Log10(ms))))
	return fmt.Sprintf("%.*f", digits, ms)
}

// gamesOf returns the games of ladders of mcts, by name.
func gamesOf(all []climbed) (games []string) {
	for _, c := range all {
		if c.kind == depthKinds[0] {
			games = append(games, c.game)
		}
	}
	slices.Sort(games)
	return slices.Compact(games)
}

// plotDepths draws the ladders of each game over the time, with the intervals of the other pages.
func plotDepths(dir string, all []climbed) error {
	plot := &plotter{dir: dir}
	for _, game := range gamesOf(all) {
		var lines []chart.Line
		for _, c := range all {
			if c.game == game && c.kind == depthKinds[0] {
				lines = append(lines, c.line())
			}
		}
		slices.SortFunc(lines, func(a, b chart.Line) int { return strings.Compare(a.Name, b.Name) })
		frame := chart.Frame{Title: game + ": strength of mcts against optimal, over time", X: timeAxis, Y: strengthAxis}
		if err := plot.draw("depth-"+game, frame, lines); err != nil {
			return err
		}
	}
	return nil
}

func (c *climbed) line() chart.Line {
	l := chart.Line{Name: boardName(c.board)}
	for _, p := range c.grid.points {
		l.Points = append(l.Points, chart.Point{X: 1000 * p.SecondsPerMove, Y: p.Strength, Low: p.StrengthLow, High: p.StrengthHigh})
	}
	return l
}
