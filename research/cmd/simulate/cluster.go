package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// cluster is the machines of a solve. The coordinator's is like a worker's. Rates are +Inf if
// unlimited.
type cluster struct {
	workers int
	threads int     // of a worker, each on a core
	shared  float64 // cores that all processes share; 0 if each has its own machine
	memory  float64 // bytes of a worker
	network float64 // bytes a second of a machine
	store   float64 // bytes a second of the store, in all
	latency float64 // seconds of a message or a request
	jitter  float64 // the relative deviation of task times, at most
	price   float64 // of a machine-hour, dollars
	seed    uint64
	costs
}

// costs are what processes compute for a byte, in seconds of a core.
type costs struct {
	readCost  [3]float64 // a worker that reads or checks it, by the kind of the job
	writeCost float64    // a worker that writes it
	countCost float64    // a coordinator that counts a table's
}

// measuredCosts are those of the recorded solves by one worker. What reading a table costs is what two
// workers take more.
var measuredCosts = costs{readCost: [3]float64{tabled: 3e-9, noTable: 0.5e-9, sharded: 0.5e-9}, writeCost: 0.7e-9, countCost: 3.2e-9}

// ideal returns a cluster in which only solving takes time.
func ideal(workers int) cluster {
	inf := math.Inf(1)
	return cluster{workers: workers, threads: 1, memory: inf, network: inf, store: inf, seed: 1}
}

// outcome is the cost of a simulated solve.
type outcome struct {
	seconds       float64
	read, written float64 // bytes that workers move
	collected     float64 // bytes that the coordinator reads
	messages      float64
	cores         float64 // core seconds of solving
}

// efficiency returns the share of core time spent solving.
func (o outcome) efficiency(c cluster) float64 {
	if o.seconds == 0 {
		return 0
	}
	return o.cores / (o.seconds * float64(c.workers*c.threads))
}

// dollars returns the price of all machines, that of the coordinator too.
func (o outcome) dollars(c cluster) float64 {
	return c.price * float64(c.workers+1) * o.seconds / 3600
}

// class is the work of a class, or of the half of one.
type class struct {
	number int
	cores  float64 // core seconds
	blocks float64
	bytes  float64
	links  float64 // from a block to blocks of the class above
	also   float64 // further bytes that its blocks need
}

// kind is how a job is solved.
type kind int

const (
	tabled  kind = iota // into a table, which the coordinator assembles unless the workers write it
	noTable             // in halves of classes, keeping no table
	sharded             // classes in shards, between which labels travel
)

// job is a solve.
type job struct {
	name, title string
	kind        kind
	classes     []class // the fullest first
	checked     bool    // results are checked
	written     bool    // workers write the table
	sample      string  // the name of the board, which decides what is checked
	serial      float64 // seconds for each byte of a class when it is sealed
	fewer       float64 // how many times larger groups are with one worker
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

// Messages to NATS, fitted to the recorded solves by one worker and by two.
const (
	taskMessages     = 5 // of each task
	returnedMessages = 3 // of a check that its maker gets and returns
	classMessages    = 7
)

// simulate runs a job on a cluster. The outcome is zero if memory does not suffice.
func (j *job) simulate(c cluster) outcome {
	if math.IsInf(j.mostShards(c), 1) {
		return outcome{} // it cannot be solved
	}
	s := &simulation{cluster: c, chance: rand.New(rand.NewPCG(c.seed, uint64(c.workers)))}
	s.pipe, s.kernel.shared = pipe{link: c.network, whole: c.store}, pipe{link: 1, whole: c.shared / float64(c.threads)}
	for range c.workers {
		s.machines = append(s.machines, new(worker))
	}
	for i := range j.classes {
		var above *class
		if before := i - j.halves(); before >= 0 {
			above = &j.classes[before]
		}
		s.bag(j, &j.classes[i], above)
	}
	s.cores, s.seconds = j.cores(), s.now
	s.messages = taskMessages*s.tasks + classMessages*s.sealed + float64(2+c.workers)*s.seconds
	s.messages += returnedMessages * s.returned
	return s.outcome
}

// halves returns in how many parts classes are solved.
func (j *job) halves() int {
	if j.kind == noTable {
		return 2
	}
	return 1
}

// simulation is a solve in progress.
type simulation struct {
	cluster
	outcome
	kernel
	machines                []*worker
	tasks, returned, sealed float64 // tasks, returned checks, and classes or halves
	chance                  *rand.Rand
}

// varied returns a random time with the given mean.
func (s *simulation) varied(seconds float64) float64 {
	if s.jitter == 0 {
		return seconds
	}
	return seconds * (1 + s.jitter*(2*s.chance.Float64()-1))
}

// firstLimit says what would limit the solve first: memory that there is not, else what takes the
// most time by itself.
func (j *job) firstLimit(c cluster, o outcome) string {
	if shards := j.mostShards(c); math.IsInf(shards, 1) {
		return "memory"
	} else if shards > maxShards {
		return fmt.Sprintf("%.0f shards", shards)
	}
	machines, moved := float64(c.workers), o.read+o.written
	limits := map[string]float64{
		"cores": o.cores / (machines * float64(c.threads)), "network": moved / machines / c.network,
		"store": (moved + o.collected) / c.store, "coordinator": max(o.collected/c.network, c.countCost*o.collected/float64(c.threads)),
	}
	return slices.MaxFunc(slices.Sorted(maps.Keys(limits)), func(a, b string) int { return cmp.Compare(limits[a], limits[b]) })
}

// mostShards returns the shards of the class that needs the most, 0 for other kinds.
func (j *job) mostShards(c cluster) (most float64) {
	for i := range j.classes {
		if j.kind == sharded {
			most = max(most, (&simulation{cluster: c}).shards(&j.classes[i]))
		}
	}
	return most
}

// maxShards is the most shards of a class in which reading does not take most of the time.
const maxShards = 16
