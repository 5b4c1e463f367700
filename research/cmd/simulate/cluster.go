package main

import (
	"math"
	"math/rand/v2"
)

// cluster is the machines of a solve.
type cluster struct {
	workers int
	threads int     // of a worker, on a core each
	memory  float64 // bytes of a worker
	network float64 // bytes a second of a worker; +Inf for no limit
	store   float64 // bytes a second of the store, for all workers together; +Inf for no limit
	latency float64 // seconds of a message or a request
	// mtbf is the mean time in seconds after which a worker fails, +Inf for never.
	mtbf float64
	// absence is how many seconds it takes until a failure is noticed and another
	// worker is there.
	absence float64
	// spread is by how much of it a task may take longer or shorter than the mean.
	spread float64
	seed   uint64
}

// ideal is a cluster in which nothing costs anything but solving.
func ideal(workers int) cluster {
	inf := math.Inf(1)
	return cluster{workers: workers, threads: 1, memory: inf, network: inf, store: inf, mtbf: inf, seed: 1}
}

// share is how fast a worker sends or receives when all do.
func (c cluster) share() float64 { return min(c.network, c.store/float64(c.workers)) }

// outcome is what a simulated solve took.
type outcome struct {
	seconds       float64 // +Inf where it does not end
	read, written float64 // bytes, from and to the store or other workers
	failures      int
	// cores are the seconds of cores that the solve takes by itself.
	cores float64
}

// efficiency is the share of the cores' time that solves.
func (o outcome) efficiency(c cluster) float64 {
	return o.cores / (o.seconds * float64(c.workers*c.threads))
}

// class is the work of a class.
type class struct {
	number int
	cores  float64 // seconds of a core
	blocks float64
	states float64 // stored ones
	bytes  float64 // of what is kept of it
	// links is to how many blocks of the class above one leads.
	links float64
	// plies has, where labels come ply by ply, the share of the class's labels that come
	// in each ply.
	plies []float64
	news  float64 // bytes of all labels
	need  float64 // bytes of memory, of all workers together, where planes are spread
}

// job is a solve.
type job struct {
	name, title string
	kind        kind
	classes     []class // the fullest first
	least       float64 // bytes of memory that a worker must have; 0: what the groups take
}

// kind is how the work of a class is shared.
type kind int

const (
	bags   kind = iota // groups of blocks, each of which needs the class above alone
	phases             // every worker has all planes, computes its part, and all exchange their news
	spread             // every worker has its part of the planes, and news go to their owners
)

// cores is what a job takes by itself.
func (j *job) cores() (sum float64) {
	for _, c := range j.classes {
		sum += c.cores
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
		switch j.kind {
		case bags:
			s.bag(&j.classes[i], above)
		case phases:
			s.phases(&j.classes[i], above)
		case spread:
			s.spreadClass(&j.classes[i])
		}
		if math.IsInf(s.seconds, 1) {
			break
		}
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

// failure returns when so many workers have their next failure, in seconds from now.
func (s *simulation) failure(workers float64) float64 {
	if math.IsInf(s.mtbf, 1) {
		return s.mtbf
	}
	return s.chance.ExpFloat64() * s.mtbf / workers
}

// passes returns the seconds in which bytes pass at so many a second.
func passes(bytes, speed float64) float64 {
	if bytes == 0 {
		return 0
	}
	return bytes / speed
}
