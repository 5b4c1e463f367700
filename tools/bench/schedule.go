package main

import (
	"cmp"
	"slices"
)

// pass is what threads share between two barriers. All times are processor time in seconds.
type pass struct {
	name   string
	serial float64   // the one thread's share before it
	tasks  []float64 // the threads' share, cut as for mostThreads
}

func (p *pass) tasksOf(threads, perThread int) []float64 {
	n := min(len(p.tasks), threads*perThread)
	cut := make([]float64, n)
	for i := range cut {
		for _, t := range p.tasks[i*len(p.tasks)/n : (i+1)*len(p.tasks)/n] {
			cut[i] += t
		}
	}
	return cut
}

func sum(times []float64) (all float64) {
	for _, t := range times {
		all += t
	}
	return all
}

func longest(times []float64) float64 {
	return slices.Max(append([]float64{0}, times...))
}

// greedy returns when the last task ends if each thread takes the next one as soon as it is free.
func greedy(tasks []float64, threads int) float64 {
	free := make([]float64, threads)
	for _, t := range tasks {
		first := 0
		for i, at := range free {
			if at < free[first] {
				first = i
			}
		}
		free[first] += t
	}
	return longest(free)
}

type bound struct {
	Threads int `json:"threads"`
	// Most is the lesser of the threads and work over span.
	Most float64 `json:"speedup_most"`
	// Greedy is the speed-up of greedy scheduling, with all barriers.
	Greedy float64 `json:"speedup_greedy"`
	// Busy is the share of their time that the threads work.
	Busy float64 `json:"busy"`
	// Limit is what keeps most of the idle time idle, and Idle its share of all time.
	Limit string  `json:"limit"`
	Idle  float64 `json:"limit_idle"`
}

func schedule(passes []pass, threads, perThread int) bound {
	var work, span, took float64
	idle := map[string]float64{}
	n := float64(threads)
	for i := range passes {
		p := &passes[i]
		tasks := p.tasksOf(threads, perThread)
		parallel, ends := sum(tasks), greedy(tasks, threads)
		work += p.serial + parallel
		span += p.serial + longest(p.tasks)
		took += p.serial + ends
		idle["serial before "+p.name] += (n - 1) * p.serial
		idle[cause(tasks, threads, ends)+" of "+p.name] += n*ends - parallel
	}
	b := bound{Threads: threads, Most: min(n, work/span), Greedy: work / took, Busy: work / (n * took)}
	for limit, lost := range idle {
		if share := lost / (n * took); cmp.Or(cmp.Compare(share, b.Idle), cmp.Compare(b.Limit, limit)) > 0 {
			b.Limit, b.Idle = limit, share
		}
	}
	return b
}

func cause(tasks []float64, threads int, ends float64) string {
	switch {
	case len(tasks) < threads:
		return "fewer tasks than threads"
	case longest(tasks) > ends/2:
		return "a long task"
	}
	return "the barrier"
}
