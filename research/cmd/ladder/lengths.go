package main

import (
	"fmt"
	"math"
	"slices"

	"backsolve/player/arena"
	"backsolve/research/internal/chart"
)

// fullIterations are those by whose length the others are divided, as published.
const fullIterations = 10_000

var shareAxis = chart.Axis{Name: fmt.Sprintf("plies, as a share of those with %d iterations", fullIterations), From: 0, To: 1}

// losses returns the points of mcts that lost as the second player, ordered by iterations.
func (l *ladder) losses() []matchPoint {
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

// Lengths returns the lengths as the second player at coarse iterations, with their shares.
func (g *ladders) Lengths() [][]string {
	rows := [][]string{{"board", "opponent"}}
	for _, n := range coarse {
		rows[0] = append(rows[0], fmt.Sprintf("%d iterations", n))
	}
	for _, l := range g.boards {
		points := l.losses()
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
		rows = append(rows, row)
	}
	return rows
}
