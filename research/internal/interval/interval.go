// Package interval has the 95 % intervals of all reports.
package interval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"backsolve/internal/player/arena"
)

const tail = 0.025

// Share is the share of count of n, with the exact interval of Clopper and Pearson.
func Share(count, n int) arena.Estimate {
	if n == 0 {
		return arena.Estimate{Value: math.NaN(), High: 1}
	}
	k, all := float64(count), float64(n)
	e := arena.Estimate{Value: k / all, High: 1}
	if count > 0 {
		e.Low = distuv.Beta{Alpha: k, Beta: all - k + 1}.Quantile(tail)
	}
	if count < n {
		e.High = distuv.Beta{Alpha: k + 1, Beta: all - k}.Quantile(1 - tail)
	}
	return e
}

// many is the number of values from which Mean bootstraps.
const many = 20

// Mean is the mean of independent values, all from low to high, with an interval clipped to
// that range. For many values it is found by bootstrapping, for few by Student's t; if each of these
// is low or high, it is the interval of a share. For one value it is the whole range.
func Mean(values []float64, low, high float64) arena.Estimate {
	n, top := len(values), 0
	e := arena.Estimate{Value: stat.Mean(values, nil), Low: low, High: high}
	ends := n > 0 && !math.IsInf(high-low, 0)
	for _, v := range values {
		ends = ends && (v == low || v == high)
		if v == high {
			top++
		}
	}
	switch {
	case ends:
		s := Share(top, n)
		e.Low, e.High = low+s.Low*(high-low), low+s.High*(high-low)
	case n >= many:
		e.Low, e.High = Middle(resampled(values))
	case n > 1:
		half := distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}.Quantile(1-tail) * stat.StdErr(stat.StdDev(values, nil), float64(n))
		e.Low, e.High = max(low, e.Value-half), min(high, e.Value+half)
	}
	return e
}

// Resamples is how often values are drawn again.
const Resamples = 2000

// resampled returns the means of values drawn with replacement, always the same ones.
func resampled(values []float64) (means []float64) {
	random := rand.New(rand.NewPCG(1, 1))
	for range Resamples {
		sum := 0.0
		for range values {
			sum += values[random.IntN(len(values))]
		}
		means = append(means, sum/float64(len(values)))
	}
	return means
}

// Middle returns the ends of the middle 95 % of numbers, which it sorts.
func Middle(all []float64) (low, high float64) {
	slices.Sort(all)
	return stat.Quantile(tail, stat.Empirical, all, nil), stat.Quantile(1-tail, stat.Empirical, all, nil)
}

// Text formats an estimate: 44.0 (43.2–44.8); the mean alone if nothing more is known.
func Text(e arena.Estimate) string {
	switch {
	case math.IsNaN(e.Value):
		return "-"
	case math.IsInf(e.Low, 0):
		return fmt.Sprintf("%.1f", e.Value)
	}
	return fmt.Sprintf("%.1f (%.1f–%.1f)", e.Value, e.Low, e.High)
}
