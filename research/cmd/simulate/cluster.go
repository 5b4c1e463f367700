package main

import (
	"math"
	"math/rand/v2"
)

// cluster is the machines of a solve. The coordinator's is like those of the workers.
type cluster struct {
	workers int
	threads int     // of a worker, on a core each
	memory  float64 // bytes of a worker
	network float64 // bytes a second of a machine; +Inf for no limit
	store   float64 // bytes a second of the store, for all machines together; +Inf for no limit
	latency float64 // seconds of a message or a request
	// spread is by how much of it a task may take longer or shorter than the mean.
	spread float64
	seed   uint64
}

// ideal is a cluster in which nothing costs anything but solving.
func ideal(workers int) cluster {
	inf := math.Inf(1)
	return cluster{workers: workers, threads: 1, memory: inf, network: inf, store: inf, seed: 1}
}

// outcome is what a simulated solve took.
type outcome struct {
	seconds       float64
	read, written float64 // bytes, from and to the store
	cores         float64 // seconds of cores that the solve takes by itself
}

// efficiency is the share of the workers' cores' time that solves.
func (o outcome) efficiency(c cluster) float64 {
	return o.cores / (o.seconds * float64(c.workers*c.threads))
}

// class is the work of a class.
type class struct {
	cores  float64 // seconds of a core
	blocks float64
	bytes  float64 // of its parts
	links  float64 // to how many blocks of the class above one leads
}

// job is a solve.
type job struct {
	name, title string
	classes     []class // the fullest first
}

// cores is what a job takes by itself.
func (j *job) cores() (sum float64) {
	for _, c := range j.classes {
		sum += c.cores
	}
	return sum
}

// bytes is how long all parts are.
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

// simulation is a solve in work.
type simulation struct {
	cluster
	outcome
	chance *rand.Rand
}

// varied returns the time of a task that takes so long on average.
func (s *simulation) varied(seconds float64) float64 {
	if s.spread == 0 {
		return seconds
	}
	return seconds * (1 + s.spread*(2*s.chance.Float64()-1))
}
