package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"backsolve/game/games"
	"backsolve/player/arena"
	"backsolve/research/internal/chart"
)

const (
	// margin is the least difference of rungs, of 100.
	margin = 5.0
	// confidence is the share of the resampled fits in which it must hold.
	confidence = 0.95
	// plateauFactor is how many times the iterations must grow on the plateau against a player
	// that makes mistakes.
	plateauFactor = 4
)

// climbed is the ladder of one board against one opponent.
type climbed struct {
	board
	opponent string
	fit      *fitted
	rungs    []int // the points at the rungs, from the foot up
	plateau  int   // the first point on the plateau
}

// climbs returns all ladders of two or more points, the deepest first.
func (g *ladders) climbs() (all []climbed) {
	for _, l := range slices.Concat(g.Boards, g.references) {
		opponent := cmp.Or(l.opponent, perfect.String())
		if points := l.against(opponent); len(points) >= 2 {
			all = append(all, newClimbed(l.board, opponent, points))
		}
	}
	slices.SortStableFunc(all, deeper)
	return all
}

func newClimbed(b board, opponent string, points []matchPoint) climbed {
	f := fit(points, fitSeed)
	return climbed{board: b, opponent: opponent, fit: f, rungs: f.rungs(), plateau: plateauOf(values(f.strength))}
}

// deeper orders by the number of rungs and, of equal ones, by the time of the last rung.
func deeper(a, b climbed) int {
	return cmp.Or(len(b.rungs)-len(a.rungs), cmp.Compare(b.fit.seconds[b.rungs[len(b.rungs)-1]], a.fit.seconds[a.rungs[len(a.rungs)-1]]))
}

func values(estimates []arena.Estimate) (all []float64) {
	for _, e := range estimates {
		all = append(all, e.Value)
	}
	return all
}

// above reports whether a point is above an earlier one by the margin, with confidence.
func (f *fitted) above(high, low int) bool {
	count := 0
	for _, d := range f.drawn {
		if d[high]-d[low] >= margin {
			count++
		}
	}
	return float64(count) >= confidence*float64(len(f.drawn))
}

// rungs returns the first point, and then always the first point above the last rung. As no
// fit falls, no longer sequence of points exists in which each is above the one before.
func (f *fitted) rungs() []int {
	rungs := []int{0}
	for i := range f.points {
		if f.above(i, rungs[len(rungs)-1]) {
			rungs = append(rungs, i)
		}
	}
	return rungs
}

// rises counts how often strengths that never fall rise by the margin.
func rises(strengths []float64) int {
	count, from := 0, strengths[0]
	for _, s := range strengths {
		if s-from >= margin {
			count, from = count+1, s
		}
	}
	return count
}

// plateauOf returns the first of some strengths that is less than the margin below the last.
func plateauOf(strengths []float64) int {
	last := strengths[len(strengths)-1]
	return slices.IndexFunc(strengths, func(s float64) bool { return last-s < margin })
}

// levels reports whether the plateau that begins at a point counts. Against a perfect player
// it must be near 50, to which search converges; against others it must be long.
func (c *climbed) levels(at int, strengths []float64) bool {
	points, last := c.fit.points, len(c.fit.points)-1
	if c.isPerfect() {
		return strengths[last] > 50-margin
	}
	return points[last].Iterations >= plateauFactor*points[at].Iterations
}

// isPerfect reports whether the opponent is perfect, so that no agent exceeds 50.
func (c *climbed) isPerfect() bool { return c.opponent == perfect.String() }

// begun reports whether a rung was climbed, or the foot is already at the top.
func (c *climbed) begun() bool {
	return len(c.rungs) > 1 || c.isPerfect() && c.fit.strength[0].Value > 50-margin
}

// plateauText gives the iterations at which the plateau begins, with a 95 % interval.
func (c *climbed) plateauText() string {
	points := c.fit.points
	if !c.begun() {
		return "no rung yet"
	}
	beyond := len(points)
	place := func(strengths []float64) int {
		if at := plateauOf(strengths); c.levels(at, strengths) {
			return at
		}
		return beyond
	}
	text := func(at int) string {
		if at == beyond {
			return fmt.Sprintf("beyond %d", points[beyond-1].Iterations)
		}
		return fmt.Sprint(points[at].Iterations)
	}
	var again []float64
	for _, d := range c.fit.drawn {
		again = append(again, float64(place(d)))
	}
	low, high := interval(again)
	return fmt.Sprintf("%s (%s to %s)", text(place(values(c.fit.strength))), text(int(low)), text(int(high)))
}

// count gives the number of rungs above the foot; there may be more if the ladder still rises.
func (c *climbed) count() string {
	text := fmt.Sprint(len(c.rungs) - 1)
	if !c.begun() || !c.levels(c.plateau, values(c.fit.strength)) {
		text += " or more"
	}
	return text
}

// depth is the part of the page about depth.
type depth struct {
	Margin, Confidence, Plateau, Resamples string
	Rows                                   [][]string // all ladders
	Shown                                  [][]string // those with a rung, fewer columns
	None                                   []string   // those without
	Plots                                  []string   // the fits of each game
}

func newDepth(all []climbed) depth {
	d := depth{
		Margin: fmt.Sprint(margin), Confidence: fmt.Sprintf("%.0f %%", 100*confidence), Plateau: fmt.Sprint(plateauFactor), Resamples: fmt.Sprint(resamples),
		Rows: [][]string{{"board", "opponent", "points", "strength at the most iterations", "plateau from", "rungs", "rungs at iterations (milliseconds a move)", "rises"}},
	}
	d.Shown = [][]string{{"board", "opponent", "rungs", "strength", "iterations"}}
	for _, c := range all {
		row, last := c.row(), len(c.fit.points)-1
		d.Rows = append(d.Rows, row)
		if c.begun() {
			d.Shown = append(d.Shown, []string{row[0], row[1], row[5], oneDigit(c.fit.strength[last].Value), fmt.Sprint(c.fit.points[last].Iterations)})
		} else {
			d.None = append(d.None, c.name())
		}
	}
	for _, game := range gamesOf(all) {
		d.Plots = append(d.Plots, "fit-"+game)
	}
	return d
}

func (c *climbed) row() []string {
	last := len(c.fit.points) - 1
	var steps []string
	for _, i := range c.rungs[1:] {
		steps = append(steps, fmt.Sprintf("%d (%s)", c.fit.points[i].Iterations, milliseconds(c.fit.seconds[i])))
	}
	again := make([]float64, len(c.fit.drawn))
	for k, d := range c.fit.drawn {
		again[k] = float64(rises(d))
	}
	low, high := interval(again)
	return []string{
		boardName(c.board), "`" + c.opponent + "`", fmt.Sprint(last + 1),
		fmt.Sprintf("%s with %d", estimateText(c.fit.strength[last], "%.1f"), c.fit.points[last].Iterations),
		c.plateauText(), c.count(), cmp.Or(strings.Join(steps, ", "), "-"), fmt.Sprintf("%d (%.0f to %.0f)", rises(values(c.fit.strength)), low, high),
	}
}

// milliseconds formats a time with two significant digits.
func milliseconds(seconds float64) string {
	ms := 1000 * seconds
	digits := max(0, 1-int(math.Floor(math.Log10(ms))))
	return fmt.Sprintf("%.*f", digits, ms)
}

// gamesOf returns the games of ladders, by name.
func gamesOf(all []climbed) (games []string) {
	for _, c := range all {
		games = append(games, c.game)
	}
	slices.Sort(games)
	return slices.Compact(games)
}

// plotDepths draws the fits of each game, and the rungs of all.
func plotDepths(dir string, all []climbed) error {
	plot := &plotter{dir: dir}
	for _, game := range gamesOf(all) {
		var lines []chart.Line
		for _, c := range all {
			if c.game == game {
				lines = append(lines, c.line())
			}
		}
		slices.SortFunc(lines, func(a, b chart.Line) int { return strings.Compare(a.Name, b.Name) })
		frame := chart.Frame{Title: game + ": strength as it was fitted", X: timeAxis, Y: strengthAxis}
		if err := plot.draw("fit-"+game, frame, lines); err != nil {
			return err
		}
	}
	if len(all) == 0 {
		return nil
	}
	var lines []chart.Line
	for place, c := range all {
		l := chart.Line{Name: fmt.Sprintf("%d. %s: %s", place+1, c.shortName(), strings.ReplaceAll(c.count(), " or more", "+"))}
		for rung, i := range c.rungs {
			l.Points = append(l.Points, chart.Point{X: 1000 * c.fit.seconds[i], Y: float64(rung)})
		}
		lines = append(lines, l)
	}
	return plot.draw("depth", chart.Frame{Title: "Rungs that can be told apart", X: timeAxis, Y: chart.Axis{Name: "rung", From: 0, To: 1}}, lines)
}

// line returns the fit with its intervals.
func (c *climbed) line() chart.Line {
	l := chart.Line{Name: c.name()}
	for i, e := range c.fit.strength {
		l.Points = append(l.Points, chart.Point{X: 1000 * c.fit.seconds[i], Y: e.Value, Low: e.Low, High: e.High})
	}
	return l
}

// name returns the board, and the opponent if it is not perfect.
func (c *climbed) name() string {
	if c.isPerfect() {
		return boardName(c.board)
	}
	return boardName(c.board) + ", " + c.opponent
}

// shortName is for the legend of the plot of all boards, which is narrow.
func (c *climbed) shortName() string {
	name := c.word()
	if g, err := games.Lookup(c.game); err == nil {
		name = g.New(c.size).Info().String()
	}
	if !c.isPerfect() {
		name += ", " + c.opponent
	}
	return name
}
