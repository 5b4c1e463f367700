package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"backsolve/player/arena"
)

// fitted is a ladder as a whole. An agent with more iterations is taken to be no weaker,
// and to need no less time: of all sequences of strengths that never fall, and of times,
// these are the closest to what was measured.
type fitted struct {
	points []matchPoint // by their iterations
	// strength has intervals of 95 %, seconds are those of a move.
	strength []arena.Estimate
	seconds  []float64
	// drawn are the strengths of further fits, each to games drawn anew.
	drawn [][]float64
}

const (
	// resamples is the number of further fits, and fitSeed what their chance comes from.
	resamples = 2000
	fitSeed   = 1
	// lowShare and highShare are where an interval of 95 % ends.
	lowShare, highShare = 0.025, 0.975
)

// fit fits the points of a ladder, of which there is one at least, by their iterations.
func fit(points []matchPoint, seed uint64) *fitted {
	f := &fitted{points: points}
	var strengths, weights, times, moves []float64
	for _, p := range points {
		strengths, weights = append(strengths, p.Strength), append(weights, float64(gameCount(p)))
		times, moves = append(times, math.Log(max(p.SecondsPerMove, 1e-9))), append(moves, float64(max(p.Moves, 1)))
	}
	for _, t := range monotone(times, moves) {
		f.seconds = append(f.seconds, math.Exp(t))
	}
	source := rand.NewPCG(seed, fitSeed)
	for range resamples {
		again := make([]float64, len(points))
		for i, p := range points {
			again[i] = 100 * (drawAgain(p.began(), source) + drawAgain(p.replied(), source)) / weights[i]
		}
		f.drawn = append(f.drawn, monotone(again, weights))
	}
	for i, value := range monotone(strengths, weights) {
		low, high := interval(f.column(i))
		f.strength = append(f.strength, arena.Estimate{Value: value, Low: min(low, value), High: max(high, value)})
	}
	return f
}

// column returns the strengths of a point in all further fits.
func (f *fitted) column(i int) []float64 {
	all := make([]float64, len(f.drawn))
	for k, d := range f.drawn {
		all[k] = d[i]
	}
	return all
}

// interval returns the middle 95 % of some numbers, whose order it changes.
func interval(all []float64) (low, high float64) {
	slices.Sort(all)
	return stat.Quantile(lowShare, stat.Empirical, all, nil), stat.Quantile(highShare, stat.Empirical, all, nil)
}

// drawAgain returns the score, a win 1 and a draw ½, of as many games as there were, drawn
// with the frequencies of wins, draws and losses. Half a win and half a loss more (the
// prior of Jeffreys) keep a result possible that did not come up.
func drawAgain(t arena.Tally, source rand.Source) float64 {
	n := float64(t.Games())
	if n == 0 {
		return 0
	}
	win := (float64(t.Wins) + 0.5) / (n + 1)
	wins := distuv.Binomial{N: n, P: win, Src: source}.Rand()
	if t.Draws == 0 || wins == n {
		return wins
	}
	draw := float64(t.Draws) / (n + 1) / (1 - win)
	return wins + distuv.Binomial{N: n - wins, P: draw, Src: source}.Rand()/2
}

// monotone returns, of all sequences that never fall, the one of the least sum of weighted
// squares of differences to the values: wherever a value is below the one before, both are
// replaced by their mean, and so on (pool adjacent violators; Ayer and others, 1955).
func monotone(values, weights []float64) []float64 {
	type pool struct {
		mean, weight float64
		size         int
	}
	var pools []pool
	for i, v := range values {
		p := pool{v, weights[i], 1}
		for len(pools) > 0 && pools[len(pools)-1].mean >= p.mean {
			q := pools[len(pools)-1]
			pools = pools[:len(pools)-1]
			p = pool{(q.mean*q.weight + p.mean*p.weight) / (q.weight + p.weight), q.weight + p.weight, q.size + p.size}
		}
		pools = append(pools, p)
	}
	all := make([]float64, 0, len(values))
	for _, p := range pools {
		for range p.size {
			all = append(all, p.mean)
		}
	}
	return all
}
