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
	// margin is by how much of 100 a rung is above the one below.
	margin = 5.0
	// confidence is the share of the further fits in which it must be.
	confidence = 0.95
	// plateauFactor is to how many times as many iterations a plateau must have been followed
	// against a player who may give something away.
	plateauFactor = 4
)

// climbed is the ladder of one board against one opponent.
type climbed struct {
	board
	opponent string
	fit      *fitted
	// rungs are the places of the rungs among the points, the foot of the ladder first.
	rungs []int
	// plateau is the place of the point with which the plateau begins.
	plateau int
}

// climbs returns all ladders that have two points at least: against the player without
// blunders, and of the boards without tables against their references; the deepest first.
func (g *ladders) climbs() (all []climbed) {
	add := func(b board, opponent string, points []matchPoint) {
		if len(points) >= 2 {
			all = append(all, newClimbed(b, opponent, points))
		}
	}
	for _, l := range g.boards {
		add(l.board, perfect.String(), l.climb(perfect))
	}
	for _, l := range g.references {
		add(l.board, l.opponent, l.ascent())
	}
	slices.SortStableFunc(all, deeper)
	return all
}

func newClimbed(b board, opponent string, points []matchPoint) climbed {
	f := fit(points, fitSeed)
	return climbed{board: b, opponent: opponent, fit: f, rungs: f.rungs(), plateau: plateauOf(values(f.strength))}
}

// deeper orders by the rungs, the most first, and where there are as many by how long one
// has to think for the last of them.
func deeper(a, b climbed) int {
	return cmp.Or(len(b.rungs)-len(a.rungs), cmp.Compare(b.fit.seconds[b.rungs[len(b.rungs)-1]], a.fit.seconds[a.rungs[len(a.rungs)-1]]))
}

func values(estimates []arena.Estimate) (all []float64) {
	for _, e := range estimates {
		all = append(all, e.Value)
	}
	return all
}

// above reports whether a point is above one before it by the margin, with confidence.
func (f *fitted) above(high, low int) bool {
	count := 0
	for _, d := range f.drawn {
		if d[high]-d[low] >= margin {
			count++
		}
	}
	return float64(count) >= confidence*float64(len(f.drawn))
}

// rungs returns the foot of the ladder, its first point, and then always the first point
// above the one before. There is no longer row of points each of which is above the one
// before: as no fit ever falls, what is above a point is above all before it.
func (f *fitted) rungs() []int {
	rungs := []int{0}
	for i := range f.points {
		if f.above(i, rungs[len(rungs)-1]) {
			rungs = append(rungs, i)
		}
	}
	return rungs
}

// rises is how often strengths that never fall rise by the margin.
func rises(strengths []float64) int {
	count, from := 0, strengths[0]
	for _, s := range strengths {
		if s-from >= margin {
			count, from = count+1, s
		}
	}
	return count
}

// plateauOf returns the place of the first of some strengths that never fall which is less
// than the margin below the last.
func plateauOf(strengths []float64) int {
	last := strengths[len(strengths)-1]
	return slices.IndexFunc(strengths, func(s float64) bool { return last-s < margin })
}

// settled reports whether a plateau that begins at a place is one. Against a player who gives
// nothing away it is where it comes close to 50, as the search finds what all positions are
// worth if it may go on for long enough; against others where it has been followed for long.
func (c *climbed) settled(at int, strengths []float64) bool {
	points, last := c.fit.points, len(c.fit.points)-1
	if c.isPerfect() {
		return strengths[last] > 50-margin
	}
	return points[last].Iterations >= plateauFactor*points[at].Iterations
}

// isPerfect reports whether the opponent never gives away what a position is worth, so
// that no agent has a strength above 50.
func (c *climbed) isPerfect() bool { return c.opponent == perfect.String() }

// begun reports whether a rung was climbed, or the foot is already at the top.
func (c *climbed) begun() bool {
	return len(c.rungs) > 1 || c.isPerfect() && c.fit.strength[0].Value > 50-margin
}

// plateauText says with how many iterations the plateau begins, and between which numbers
// that is in 95 % of the further fits.
func (c *climbed) plateauText() string {
	points := c.fit.points
	if !c.begun() {
		return "no rung yet"
	}
	beyond := len(points)
	place := func(strengths []float64) int {
		if at := plateauOf(strengths); c.settled(at, strengths) {
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

// count is the number of rungs above the foot, with a sign that there may be more where the
// ladder still rises at its end.
func (c *climbed) count() string {
	text := fmt.Sprint(len(c.rungs) - 1)
	if !c.begun() || !c.settled(c.plateau, values(c.fit.strength)) {
		text += " or more"
	}
	return text
}

// depth is what the page says about the depth of the games.
type depth struct {
	Margin, Confidence, Plateau, Resamples string
	// Rows are all ladders, Shown the columns that the page has of those with a rung, and
	// None the ladders without one.
	Rows, Shown [][]string
	None        []string
	// Plots are the ladders of each game as they were fitted, without a suffix.
	Plots []string
}

func (g *ladders) depth(all []climbed) depth {
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
		d.Plots = append(d.Plots, fitPlot(game))
	}
	return d
}

func (c *climbed) row() []string {
	last := len(c.fit.points) - 1
	var steps []string
	for _, i := range c.rungs[1:] {
		steps = append(steps, fmt.Sprintf("%d (%s)", c.fit.points[i].Iterations, milliseconds(c.fit.seconds[i])))
	}
	if steps == nil {
		steps = []string{"-"}
	}
	again := make([]float64, len(c.fit.drawn))
	for k, d := range c.fit.drawn {
		again[k] = float64(rises(d))
	}
	low, high := interval(again)
	return []string{
		boardName(c.board), "`" + c.opponent + "`", fmt.Sprint(last + 1),
		fmt.Sprintf("%s with %d", estimateText(c.fit.strength[last], "%.1f"), c.fit.points[last].Iterations),
		c.plateauText(), c.count(), strings.Join(steps, ", "), fmt.Sprintf("%d (%.0f to %.0f)", rises(values(c.fit.strength)), low, high),
	}
}

// milliseconds writes a time with two digits that count.
func milliseconds(seconds float64) string {
	ms := 1000 * seconds
	digits := max(0, 1-int(math.Floor(math.Log10(ms))))
	return fmt.Sprintf("%.*f", digits, ms)
}

// gamesOf are the games of some ladders, by name.
func gamesOf(all []climbed) (games []string) {
	for _, c := range all {
		games = append(games, c.game)
	}
	slices.Sort(games)
	return slices.Compact(games)
}

func fitPlot(game string) string { return "fit-" + game }

// depthPlot is the plot that orders the games.
const depthPlot = "depth"

// plotDepths draws the ladders as they were fitted, a plot for each game, and the one of
// all rungs.
func plotDepths(dir string, all []climbed) error {
	milli := chart.Axis{Name: "milliseconds of a move, on average", Log: true}
	for _, game := range gamesOf(all) {
		var lines []chart.Line
		for _, c := range all {
			if c.game == game {
				lines = append(lines, c.line())
			}
		}
		slices.SortFunc(lines, func(a, b chart.Line) int { return strings.Compare(a.Name, b.Name) })
		frame := chart.Frame{Title: game + ": strength as it was fitted", X: milli, Y: strengthAxis}
		if err := write(dir+"/"+fitPlot(game), frame, lines); err != nil {
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
	return write(dir+"/"+depthPlot, chart.Frame{Title: "Rungs that can be told apart", X: milli, Y: chart.Axis{Name: "rung", From: 0, To: 1}}, lines)
}

// line is the ladder as it was fitted, with its intervals.
func (c *climbed) line() chart.Line {
	l := chart.Line{Name: c.name()}
	for i, e := range c.fit.strength {
		l.Points = append(l.Points, chart.Point{X: 1000 * c.fit.seconds[i], Y: e.Value, Low: e.Low, High: e.High})
	}
	return l
}

// name is the board, and the opponent where that is not the perfect player.
func (c *climbed) name() string {
	if c.isPerfect() {
		return boardName(c.board)
	}
	return boardName(c.board) + ", " + c.opponent
}

// shortName is the same in fewer letters, as the legend of the plot of all boards takes room
// from the plot.
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

// ascent returns the points of mcts against the reference by their iterations.
func (l *ladder) ascent() []matchPoint {
	return climbing(l.strength, func(p matchPoint) bool { return p.Opponent == l.opponent })
}
