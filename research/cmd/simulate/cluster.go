package main

import (
	"math"
	"math/rand/v2"
)

// cluster is the machines of a solve. The coordinator's is like a worker's. Rates are +Inf if
// unlimited.
type cluster struct {
	workers int
	threads int     // of a worker, each on a core
	memory  float64 // bytes of a worker
	network float64 // bytes a second of a machine
	store   float64 // bytes a second of the store, in all
	latency float64 // seconds of a message or a request
	jitter  float64 // the relative deviation of task times, at most
	seed    uint64
}

// ideal returns a cluster in which only solving takes time.
func ideal(workers int) cluster {
	inf := math.Inf(1)
	return cluster{workers: workers, threads: 1, memory: inf, network: inf, store: inf, seed: 1}
}

// outcome is the cost of a simulated solve.
type outcome struct {
	seconds       float64
	read, written float64 // bytes, from and to the store
	cores         float64 // core seconds of solving
}

// efficiency returns the share of core time spent solving.
func (o outcome) efficiency(c cluster) float64 {
	return o.cores / (o.seconds * float64(c.workers*c.threads))
}

// class is the work of a class.
type class struct {
	cores  float64 // core seconds
	blocks float64
	bytes  float64
	links  float64 // from a block to blocks of the class above
}

// job is a solve.
type job struct {
	name, title string
	classes     []class // the fullest first
}

// cores returns the core seconds of solving.
func (j *job) cores() (sum float64) {
	for _, c := range j.classes {
		sum += c.cores
	}
	return sum
}

func (j *job) bytes() (sum float64) {
	for _, c := range j.classes {
		sum += c.bytes
	}
	return sum
}

// simulate runs a job on a cluster.
func (j *job) simulate(c cluster) outcome {
	s := &simulation{cluster: c, chance: rand.New(rand.NewPCG(c.seed, uint64(c.workers)))}
	s.cores = j.cores()
	for i := range j.classes {
		var above *class
		if i > 0 {
			above = &j.classes[i-1]
		}
		s.bag(&j.classes[i], above)
	}
	return s.outcome
}

// simulation is a solve in progress.
type simulation struct {
	cluster
	outcome
	chance *rand.Rand
}

// varied returns a random time with the given mean.
func (s *simulation) varied(seconds float64) float64 {
	if s.jitter == 0 {
		return seconds
	}
	return seconds * (1 + s.jitter*(2*s.chance.Float64()-1))
}
