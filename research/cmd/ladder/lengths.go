package main

import (
	"fmt"
	"math"
	"slices"

	"backsolve/internal/player/arena"
	"backsolve/research/internal/chart"
)

// fullIterations are those by whose length the others are divided, as published.
const fullIterations = 10_000

var shareAxis = chart.Axis{Name: fmt.Sprintf("plies, as a share of those with %d iterations", fullIterations), From: 0, To: 1}

// Losses returns the points of mcts that lost as the second player, ordered by iterations.
func (l *ladder) Losses() []matchPoint {
	return climbing(l.length, func(p matchPoint) bool { return p.Lost > 0 })
}

// shareOfFull divides the length of a point by that with fullIterations, if both are known.
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
	// The relative errors of independent numbers add as squares.
	half := share * math.Hypot((length.High-length.Value)/length.Value, (whole.High-whole.Value)/whole.Value)
	return arena.Estimate{Value: share, Low: share - half, High: share + half}, true
}

// Coarse returns the iterations of the table of lengths.
func (g *ladders) Coarse() []int { return coarse }

// LengthWith returns the length as the second player with a number of iterations, and its share.
func (l *ladder) LengthWith(iterations int) string {
	points := l.Losses()
	i := slices.IndexFunc(points, func(p matchPoint) bool { return p.Iterations == iterations })
	if i < 0 {
		return "-"
	}
	length, _ := points[i].length()
	text := estimateText(length, "%.1f")
	if share, ok := shareOfFull(points, points[i]); ok {
		text += fmt.Sprintf("; %.2f", share.Value)
	}
	return text
}

// TurnsWith returns the mean turns with a number of iterations, a draw counting as the limit.
func (l *ladder) TurnsWith(iterations int) string {
	if p := find(l.length, func(p matchPoint) bool { return p.Iterations == iterations }); p != nil {
		if e, ok := p.turns(l.length.Settings.TurnLimit); ok {
			return estimateText(e, "%.1f")
		}
	}
	return "-"
}
