package generic

import (
	"cmp"
	"math"
	"slices"
)

// sample is a position that a sample has met. Its weight is how many times a state is
// expected to be met, divided by the probability that it was kept.
type sample struct {
	key    uint64
	weight float64
}

// shares returns the sum of all weights, and the rate at which to keep samples by weight
// for about a number of keys.
func shares(samples []sample, keys float64) (sum, rate float64) {
	for range 4 { // those that are kept anyhow leave fewer keys to the others
		kept, rest := 0.0, 0.0
		for _, s := range samples {
			if s.weight*rate >= 1 {
				kept++
			} else {
				rest += s.weight
			}
		}
		if rate == 0 {
			sum = rest
		}
		if rest > 0 {
			rate = max(rate, (keys-kept)/rest)
		}
	}
	return sum, rate
}

func merged(samples []sample) []sample {
	slices.SortFunc(samples, func(a, b sample) int { return cmp.Compare(a.key, b.key) })
	n := 0
	for i, s := range samples {
		if i > 0 && samples[n-1].key == s.key {
			samples[n-1].weight += s.weight
			continue
		}
		samples[n] = s
		n++
	}
	return samples[:n]
}

// met is what all replicates together say of a state, or of several: the sums of the products of one, two
// and three weights, and how many pairs and triples there are.
type met struct{ m1, m2, m3, pairs, triples float64 }

// estimate estimates the number of states that replicates have met, where groups of dependent
// samples depend on each other.
func estimate(from [][]sample, dependent float64) (n, low, high float64) {
	all := slices.Concat(from...)
	slices.SortFunc(all, func(a, b sample) int { return cmp.Compare(a.key, b.key) })
	var rest met
	var often []met // by all replicates
	for i := 0; i < len(all); {
		var w, w2, w3, k float64
		for key := all[i].key; i < len(all) && all[i].key == key; i++ {
			x := all[i].weight
			w, w2, w3, k = w+x, w2+x*x, w3+x*x*x, k+1
		}
		m := met{w, (w*w - w2) / 2, (w*w*w - 3*w*w2 + 2*w3) / 6, k * (k - 1) / 2 / dependent, k * (k - 1) * (k - 2) / 6 / dependent}
		if k == replicates {
			often = append(often, m)
		} else {
			rest = rest.plus(m)
		}
	}
	// A state that has a share in all pairs is no sample: it is there, and hides the others.
	slices.SortFunc(often, func(a, b met) int { return cmp.Compare(a.m2, b.m2) })
	sum, hubs := rest, float64(len(often))
	for i, m := range often {
		if rest = rest.plus(m); m.m2 <= rest.m2/100 {
			sum, hubs = rest, float64(len(often)-1-i)
		}
	}
	if sum.m1 == 0 {
		return hubs, hubs, hubs
	}
	m1, m2, m3 := sum.m1/replicates, sum.m2/(replicates*(replicates-1)/2), sum.m3/(replicates*(replicates-1)*(replicates-2)/6)
	if sum.pairs == 0 {
		return hubs + m1, hubs, math.Inf(1)
	}
	bound, spread := m1*m1/m2, max(m1*m3/(m2*m2), 1)
	low = hubs + bound/(1+2/math.Sqrt(sum.pairs))
	if sum.triples < 10 {
		return hubs + bound, low, math.Inf(1)
	}
	return hubs + bound*spread, low, hubs + bound*spread*spread*(1+2/math.Sqrt(sum.triples))
}

func (m met) plus(o met) met {
	return met{m.m1 + o.m1, m.m2 + o.m2, m.m3 + o.m3, m.pairs + o.pairs, m.triples + o.triples}
}
