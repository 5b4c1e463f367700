package main

import (
	"fmt"
	"math"
	"slices"

	"backsolve/player/agents"
	"backsolve/player/arena"
	"backsolve/research/internal/chart"
)

// heldMeasure is what the series in which the agents reply in all games are called.
const heldMeasure = "length"

// fullIterations are those by whose length the others are divided, as they were published.
const fullIterations = 10_000

// lengths adds the matches in which mcts replies to a player who never blunders, and wins
// as soon as can be where the table knows how.
func (p *planner) lengths(b board, env *agents.Env, steps bool) error {
	st, err := openFor[matchPoint](p, b, env, heldMeasure)
	if err != nil {
		return err
	}
	opponent := perfect
	if steps {
		opponent = quick
	}
	m := &matches{env, st, p.threads.Count}
	for _, c := range p.climbers(b, p.iterations.numbers, false) {
		p.add(m.job(c, opponent.String()))
	}
	return nil
}

// holding returns the points of mcts that has lost as the second player, by its
// iterations.
func (l *ladder) holding() []matchPoint {
	return climbing(l.length, func(p matchPoint) bool { return p.Lost > 0 })
}

// shareOfFull returns which share the length of a point is of that with fullIterations,
// false where that is not known.
func shareOfFull(points []matchPoint, p matchPoint) (arena.Estimate, bool) {
	i := slices.IndexFunc(points, func(q matchPoint) bool { return q.Iterations == fullIterations && q.Opponent == p.Opponent })
	if i < 0 {
		return arena.Estimate{}, false
	}
	whole, known := points[i].length()
	length, lost := p.length()
	if !known || !lost {
		return arena.Estimate{}, false
	}
	share := length.Value / whole.Value
	if p.Iterations == fullIterations {
		return arena.Estimate{Value: share, Low: share, High: share}, true
	}
	// Relative errors of independent numbers add as their squares.
	half := share * math.Hypot((length.High-length.Value)/length.Value, (whole.High-whole.Value)/whole.Value)
	return arena.Estimate{Value: share, Low: share - half, High: share + half}, true
}

// heldCurves returns the lines of the boards of a game: plies, and shares of those with
// fullIterations.
func (g *ladders) heldCurves(game string) (plies, shares curveSet) {
	for _, l := range g.of(game) {
		points := l.holding()
		for _, p := range points {
			name := l.sizeText() + ", " + p.Opponent
			length, _ := p.length()
			plies.add(name, sample{p.Iterations, p.SecondsPerMove, length})
			if share, ok := shareOfFull(points, p); ok {
				shares.add(name, sample{p.Iterations, p.SecondsPerMove, share})
			}
		}
	}
	return plies, shares
}

// The axis of shares, and what the plots are called.
var heldShareAxis = chart.Axis{Name: fmt.Sprintf("plies, as a share of those with %d iterations", fullIterations), From: 0, To: 1}

func heldPlot(game string) string      { return "held-" + game }
func heldSharePlot(game string) string { return "held-share-" + game }

// plotHeld draws the plots of a game whose points are of more than one number of
// iterations.
func (g *ladders) plotHeld(dir, game string) error {
	plies, shares := g.heldCurves(game)
	title := game + ": length of the games lost as the second player"
	for _, p := range []struct {
		name   string
		axis   chart.Axis
		curves curveSet
	}{{heldPlot(game), lengthAxis, plies}, {heldSharePlot(game), heldShareAxis, shares}} {
		if !climbs(p.curves) {
			continue
		}
		if err := plot(dir+"/"+p.name, title, p.axis, p.curves); err != nil {
			return err
		}
	}
	return nil
}

// climbs reports whether there is something to draw against iterations.
func climbs(curves curveSet) bool {
	_, _, ok := iterationsRange(curves)
	return ok
}

// held is the part of the page about the second player.
type held struct {
	Full  int // iterations
	Rows  [][]string
	Plots []string
}

// held returns the lengths with the iterations that are coarse, each with its share.
func (g *ladders) held() held {
	h := held{Full: fullIterations, Rows: [][]string{{"board", "opponent"}}}
	for _, n := range coarse {
		h.Rows[0] = append(h.Rows[0], fmt.Sprintf("%d iterations", n))
	}
	for _, l := range g.boards {
		points := l.holding()
		if len(points) == 0 {
			continue
		}
		row := []string{boardName(l.board), "`" + points[0].Opponent + "`"}
		for _, n := range coarse {
			cell := "-"
			if i := slices.IndexFunc(points, func(p matchPoint) bool { return p.Iterations == n }); i >= 0 {
				length, _ := points[i].length()
				cell = estimateText(length, "%.1f")
				if share, ok := shareOfFull(points, points[i]); ok {
					cell += fmt.Sprintf("; %.2f", share.Value)
				}
			}
			row = append(row, cell)
		}
		h.Rows = append(h.Rows, row)
	}
	for _, game := range g.games() {
		plies, shares := g.heldCurves(game)
		if climbs(plies) {
			h.Plots = append(h.Plots, heldPlot(game))
		}
		if climbs(shares) {
			h.Plots = append(h.Plots, heldSharePlot(game))
		}
	}
	return h
}
