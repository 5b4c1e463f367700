package main

import (
	"math"

	"backsolve/game"
)

// estimate is a number of the whole game. With a confidence of 95 % it is off by
// no more than the margin, which is 0 where the number is exact. NaN stands for
// what is not known since no state was met that would tell.
type estimate struct{ value, margin float64 }

// exactly returns what is known for certain.
func exactly(v float64) estimate { return estimate{value: v} }

// unknown is what cannot be told.
var unknown = estimate{value: math.NaN()}

func (e estimate) known() bool { return !math.IsNaN(e.value) }

// per returns the estimate as a share of a number that is known.
func (e estimate) per(n uint64) estimate {
	return estimate{e.value / float64(n), e.margin / float64(n)}
}

// confidence is how many standard deviations hold 95 % of a normal distribution.
const confidence = 1.96

// sums are the sums over the visits of a stratum of x, y and y². x is 1 for a
// state that is asked about and else 0, as y is.
type sums struct{ x, y, yy float64 }

// mean estimates the mean of f over the states of a group that are of an
// outcome and not over. Each stratum weighs as much as it has states of the whole
// game: this is the combined ratio estimator of stratified sampling.
func (s *findings) mean(g group, outcome game.Outcome, f func(choice) float64) estimate {
	all, byStratum := sums{}, make([]sums, len(g.strata))
	for i, number := range g.strata {
		stratum := &s.strata[number]
		sum := stratum.sums(outcome, f)
		byStratum[i] = sum
		all.x += stratum.scale() * sum.x
		all.y += stratum.scale() * sum.y
	}
	if all.x == 0 {
		return unknown
	}
	ratio := all.y / all.x
	variance := 0.0
	for i, number := range g.strata {
		if stratum := &s.strata[number]; open(stratum.Counts, outcome) > 0 {
			// A visit adds z = y − ratio·x to the error.
			sum := byStratum[i]
			z := sum.y - ratio*sum.x
			zz := sum.yy - 2*ratio*sum.y + ratio*ratio*sum.x
			variance += stratum.variance(z, zz)
		}
	}
	return estimate{ratio, confidence * math.Sqrt(variance) / all.x}
}

// sums adds f up over the visits of states that are of an outcome and not over.
func (s *finding) sums(outcome game.Outcome, f func(choice) float64) (sum sums) {
	for _, c := range s.choices {
		if c.what.outcome == outcome {
			y := f(c.what)
			sum.x += c.times
			sum.y += c.times * y
			sum.yy += c.times * y * y
		}
	}
	return sum
}

// total estimates how many states of a group that are of an outcome and not over
// have what times counts among the visits of a stratum.
func (s *findings) total(g group, outcome game.Outcome, times func(*finding) float64) (e estimate) {
	variance := 0.0
	for _, number := range g.strata {
		if stratum := &s.strata[number]; open(stratum.Counts, outcome) > 0 {
			n := times(stratum)
			e.value += stratum.scale() * n
			variance += stratum.variance(n, n)
		}
	}
	e.margin = confidence * math.Sqrt(variance)
	return e
}

// scale is the number of states that a visit stands for.
func (s *finding) scale() float64 { return float64(s.States) / s.visits }

// variance returns that of the estimated sum over the stratum of something whose
// sum over the visits is z, and that of its squares zz: 0 where all of the stratum
// was visited. Otherwise it is taken as if one visit more had differed by 1, since
// visits that are all alike do not prove that all states are.
func (s *finding) variance(z, zz float64) float64 {
	if s.visits == float64(s.States) {
		return 0
	}
	spread := max(0, zz-z*z/s.visits) + 1
	return s.scale() * s.scale() * s.visits * spread / max(1, s.visits-1)
}
