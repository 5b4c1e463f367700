package main

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"backsolve/internal/player/arena"
	"backsolve/research/internal/interval"
)

// fitted is the fit of a ladder. More time is assumed not to make an agent weaker: the
// strengths are the closest sequence that never falls.
type fitted struct {
	points   []matchPoint // by time
	strength []float64
	drawn    [][]float64 // strengths of fits to resampled games
}

const fitSeed = 1

// fit fits one or more points, ordered by time.
func fit(points []matchPoint, seed uint64) *fitted {
	f := &fitted{points: points}
	var strengths, weights []float64
	for _, p := range points {
		strengths, weights = append(strengths, p.Strength), append(weights, float64(gameCount(p)))
	}
	f.strength = monotone(strengths, weights)
	source := rand.NewPCG(seed, fitSeed)
	for range interval.Resamples {
		again := make([]float64, len(points))
		for i, p := range points {
			again[i] = 100 * (drawAgain(p.began(), source) + drawAgain(p.replied(), source)) / weights[i]
		}
		f.drawn = append(f.drawn, monotone(again, weights))
	}
	return f
}

// drawAgain draws the score of as many games with the same frequencies. Half a win and half a
// loss more (Jeffreys prior) keep results possible that did not occur.
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

// monotone returns the sequence that never falls with the least weighted squares of differences
// to the values, by pooling adjacent violators (Ayer and others, 1955).
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
