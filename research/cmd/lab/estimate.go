package main

import (
	"maps"
	"math"
	"slices"

	"backsolve/game"
)

// estimate is a number of the whole game with its margin of 95 %, 0 if exact. NaN is unknown.
type estimate struct{ value, margin float64 }

func exactly(v float64) estimate { return estimate{value: v} }

var unknown = estimate{value: math.NaN()}

func (e estimate) known() bool { return !math.IsNaN(e.value) }

// per divides the estimate by an exact number.
func (e estimate) per(n uint64) estimate {
	return estimate{e.value / float64(n), e.margin / float64(n)}
}

// confidence is the number of standard deviations that hold 95 % of a normal distribution.
const confidence = 1.96

// sums are over the visits of a stratum, of x, y and y². x is 1 for states of interest; for
// others x and y are 0.
type sums struct{ x, y, yy float64 }

// mean estimates the mean of f over the open states of an outcome in a group, by the combined
// ratio estimator of stratified sampling.
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

// sums sums f over the visits of open states of an outcome.
func (s *finding) sums(outcome game.Outcome, f func(choice) float64) (sum sums) {
	// In one order, so that the sums are always rounded alike.
	for _, c := range slices.SortedFunc(maps.Keys(s.choices), compareChoices) {
		if c.outcome == outcome {
			times, y := float64(s.choices[c]), f(c)
			sum.x += times
			sum.y += times * y
			sum.yy += times * y * y
		}
	}
	return sum
}

// total estimates the number of open states of an outcome in a group that times counts among the
// visits of a stratum.
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
func (s *finding) scale() float64 { return float64(s.States) / float64(s.visits) }

// variance returns that of the estimated sum over the stratum, 0 if all of it was visited. z
// and zz are the sums of values and of squares over the visits. One more visit is assumed to
// differ by 1, since equal visits do not prove equal states.
func (s *finding) variance(z, zz float64) float64 {
	if s.visits == s.States {
		return 0
	}
	visits := float64(s.visits)
	spread := max(0, zz-z*z/visits) + 1
	return s.scale() * s.scale() * visits * spread / max(1, visits-1)
}
