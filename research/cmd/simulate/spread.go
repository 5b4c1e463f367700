package main

import "math"

// spreadClass simulates a class whose planes are spread over the workers. A worker labels
// its own states, and tells the owners of their parents, who count open children. All
// labels are kept twice, in logs on two other workers, from which the part of one
// that fails is made again by all others: a class takes longer than so many machines last.
func (s *simulation) spreadClass(c *class) {
	n := float64(s.workers)
	compute := c.cores / n / float64(s.threads) * (1 + s.spread)
	told := c.news * c.links // every label to every parent
	logged := 2 * c.news     // on two workers
	network := passes((told+logged)/n, s.network)
	barriers := float64(len(c.plies)) * 4 * s.latency
	work := max(compute, network) + barriers
	s.read += told
	s.written += logged + c.bytes
	done := 0.0
	for attempt := 0; ; attempt++ {
		failure := s.failure(n)
		if done+failure >= work {
			s.seconds += work - done
			break
		}
		if attempt == mostAttempts*1000 {
			s.seconds = math.Inf(1)
			return
		}
		s.failures++
		done += failure
		// Its part of what has been told so far is told again to those who take it over.
		again := told * done / work / n
		s.seconds += failure + s.absence + passes(again/n, s.network)
		s.read += again
	}
	s.seconds += passes(c.bytes, min(s.network*n, s.store))
}
