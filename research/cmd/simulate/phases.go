package main

import "math"

// mostAttempts bounds how often a class is begun again: what needs more does not end.
const mostAttempts = 1000

// phases simulates a class in which every worker has all planes. In each ply, and for
// wins and losses each, it computes its part and all exchange their news, or each of them
// computes all, whichever takes less. Where a worker fails the class begins again with a new one,
// which has to fetch the class above.
func (s *simulation) phases(c, above *class) {
	var plan []float64 // seconds of each phase
	for _, labels := range c.plies {
		for range 2 {
			plan = append(plan, s.phase(c.cores*labels/2, c.news*labels/2))
		}
	}
	write := 2*s.latency + passes(c.bytes/float64(s.workers), s.share())
	s.written += c.bytes
	total := write
	for _, seconds := range plan {
		total += seconds
	}
	if s.workers == 1 {
		total -= 2 * s.latency // it asks nobody
	}
	for attempt := 1; ; attempt++ {
		failure := s.failure(float64(s.workers))
		if failure >= total {
			s.seconds += total
			return
		}
		if attempt == mostAttempts {
			s.seconds = math.Inf(1)
			return
		}
		s.failures++
		s.seconds += failure + s.absence
		if above != nil {
			s.seconds += passes(above.bytes+above.news, s.network)
			s.read += above.bytes + above.news
		}
	}
}

// phase returns how long a phase takes that has so much work for a core and so many
// bytes of news.
func (s *simulation) phase(cores, news float64) float64 {
	alone := cores / float64(s.threads)
	if s.workers == 1 {
		return s.varied(alone)
	}
	n := float64(s.workers)
	longest := 0.0
	if s.spread == 0 {
		longest = alone / n
	} else {
		for range s.workers {
			longest = max(longest, s.varied(alone/n))
		}
	}
	// Each gives its part and takes those of all others.
	others := news * (n - 1) / n
	shared := longest + 4*s.latency + passes(news/n, s.share()) + passes(others, s.share())
	if alone <= shared {
		return alone
	}
	s.written += news
	s.read += others * n
	return shared
}
