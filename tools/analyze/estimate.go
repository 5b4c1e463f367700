package main

import (
	"math"

	"backsolve/game"
)

// estimate is a number of the whole game. With a probability of 95 % it is off by
// no more than the margin, which is 0 where the number is exact. NaN stands for
// what is not known since no state was met that would tell.
type estimate struct{ value, margin float64 }

func (e estimate) known() bool { return !math.IsNaN(e.value) }

// confidence is how many standard deviations hold 95 % of a normal distribution.
const confidence = 1.96

// sums are the sums over the draws of a stratum of x, y, and their products.
type sums struct{ x, y, xx, xy, yy float64 }

// mean estimates the mean of f over the states of a group of strata that are
// of an outcome and not over. Each stratum weighs as much as it has states of the
// whole game: the combined ratio estimator of stratified sampling.
func (s *survey) mean(group []int, outcome game.Outcome, f func(choice) float64) estimate {
	all, byStratum := sums{}, make([]sums, len(group))
	for i, number := range group {
		stratum, sum := &s.strata[number], &byStratum[i]
		for _, c := range stratum.choices {
			if c.what.outcome == outcome {
				y := f(c.what)
				sum.x += c.times
				sum.y += c.times * y
				sum.yy += c.times * y * y
			}
		}
		scale := stratum.scale()
		all.x += scale * sum.x
		all.y += scale * sum.y
	}
	if all.x == 0 {
		return estimate{math.NaN(), 0}
	}
	e := estimate{value: all.y / all.x}
	if s.sampled() {
		var variance float64
		for i, number := range group {
			// What a state adds to the error is z = y − value·x, x being 1 or 0.
			sum := &byStratum[i]
			z := sum.y - e.value*sum.x
			zz := sum.yy - 2*e.value*sum.y + e.value*e.value*sum.x
			variance += s.strata[number].variance(z, zz)
		}
		e.margin = confidence * math.Sqrt(variance) / all.x
	}
	return e
}

// total estimates how many states of a group of strata times counts.
func (s *survey) total(group []int, times func(*surveyed) float64) estimate {
	var e estimate
	var variance float64
	for _, number := range group {
		stratum := &s.strata[number]
		n := times(stratum)
		e.value += stratum.scale() * n
		variance += stratum.variance(n, n)
	}
	switch {
	case s.sampled() && e.value == 0:
		return estimate{math.NaN(), 0} // there may be some that were not met
	case s.sampled():
		e.margin = confidence * math.Sqrt(variance)
	}
	return e
}

// scale is the number of states that a visit stands for.
func (s *surveyed) scale() float64 { return float64(s.States) / s.visits }

// variance returns that of the estimated sum over the stratum of something whose
// sum over the visits is z, and that of its squares zz.
func (s *surveyed) variance(z, zz float64) float64 {
	if s.visits < 2 {
		return 0
	}
	spread := max(0, zz-z*z/s.visits) / (s.visits - 1)
	return s.scale() * s.scale() * s.visits * spread
}
