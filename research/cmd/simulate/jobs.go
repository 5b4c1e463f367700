package main

import (
	"encoding/json"
	"fmt"
	"math"

	"os"
	"path/filepath"

	"backsolve/game/games"
	"backsolve/partition"
	"backsolve/retro"
)

// The jobs, and the files of the measured solves.
const (
	wholeJob    = "notakto-7x7"
	stepsJob    = "notakto-6x6-steps"
	afterJob    = "notakto-7x7-after-15"
	largeJob    = "notakto-8x8-after-12"
	quixoJob    = "quixo-5x6"
	hugeJob     = "quixo-6x6"
	afterFile   = "cluster-scale/notakto-7x7-after-d4.json"
	clusterFile = "cluster-scale/cluster.json"
)

var jobNames = []string{wholeJob, stepsJob, afterJob, largeJob, quixoJob, hugeJob}

// afterMarks are the cells that are marked in afterJob.
const afterMarks = 0x92492492492

// newJob derives a job from the measured solves.
func newJob(name, dir string) (*job, error) {
	switch name {
	case stepsJob, afterJob:
		of, err := readCluster(dir, name, 1)
		if err != nil {
			return nil, err
		}
		return of.job()
	}
	m, err := readMeasured(filepath.Join(dir, afterFile))
	if err != nil {
		return nil, err
	}
	states, err := m.streamedStates()
	if err != nil {
		return nil, fmt.Errorf("%s cannot be used: %w", afterFile, err)
	}
	each := m.cores() / states // core seconds of a stored state
	switch name {
	case wholeJob:
		j, err := newNotakto(name, "Notakto 7×7, the whole table", 7, 0, false, func(all float64) float64 { return each * all })
		if err == nil {
			j.checked, j.written, j.sample = true, true, "notakto-7"
		}
		return j, err
	case largeJob:
		return newFree(name, "Notakto 8×8 after 12 symmetric marks", noTable, 52, each), nil
	case quixoJob:
		return newFree(name, "Quixo 5×6", sharded, 30, quixoEach*18/16), nil
	}
	return newFree(name, "Quixo 6×6", sharded, 36, quixoEach*20/16), nil
}

// quixoEach is the core seconds of a stored state of Quixo 5×5 (docs/reports/results.md): 184.5 s of
// two cores for 107,207,255,529 states. Larger boards take more by the cells of their borders.
const quixoEach = 2 * 184.5 / 107_207_255_529

// newFree is a board by its free cells alone, which no program can cut.
func newFree(name, title string, of kind, cells int, each float64) *job {
	j := &job{name: name, title: title, kind: of, checked: of == noTable}
	symmetries := 8.0
	if name == quixoJob {
		symmetries = 4
	}
	add := func(states, blocks, bytes, also, links, cost float64) {
		j.classes = append(j.classes, class{cores: cost * states, blocks: max(1, blocks), bytes: bytes, also: also, links: links})
	}
	if of == sharded { // a class has a number of marked cells, and their marks are the index
		for c := cells; c >= 0; c-- {
			blocks := math.Ceil(choose(cells, c) / symmetries)
			states := math.Ldexp(blocks, c)
			add(states, blocks, states/4, 0, blocks, each)
		}
		return j
	}
	half := cells / 2 // of the cells are the index; a class is solved in halves
	for c := half; c >= 0; c-- {
		blocks := math.Ceil(choose(half, c) / symmetries)
		states := math.Ldexp(blocks, half-1)
		add(states, blocks, states/8, 0, float64(half-c), each)
		add(states, blocks, states/8, states/8, float64(half-c), each)
	}
	return j
}

// choose returns the number of ways to choose k of n.
func choose(n, k int) float64 {
	ways := 1.0
	for i := range k {
		ways = ways * float64(n-i) / float64(i+1)
	}
	return math.Round(ways)
}

// newNotakto distributes the core seconds of all states over the classes by their estimated folds.
func newNotakto(name, title string, n int, taken uint64, steps bool, cores func(states float64) float64) (*job, error) {
	rules, err := games.NewGrid("notakto", n)
	if err != nil {
		return nil, err
	}
	s, err := partition.NewAfter(rules, taken)
	if err != nil {
		return nil, err
	}
	o := retro.Options{Threads: 1, Steps: steps}
	plan := o.Plan(s)
	j, all := &job{name: name, title: title}, cores(float64(plan.States))
	for _, c := range plan.Classes {
		j.classes = append(j.classes, class{
			number: c.Class, cores: all * c.Folds / plan.Folds, blocks: float64(c.Blocks),
			bytes: float64(c.Bytes), links: float64(s.MaskBits - c.Class),
		})
	}
	return j, nil
}

// clusterRun is a solve that worker processes of one thread made on one machine with two cores.
type clusterRun struct {
	Job     string `json:"job"`
	Workers int    `json:"workers"`
	// Seconds is the time. The others are processor time: of the coordinator with NATS, of the
	// workers, and of all else that the machine did.
	Seconds     float64 `json:"seconds"`
	Coordinator float64 `json:"coordinator_seconds"`
	Working     float64 `json:"worker_seconds"`
	Others      float64 `json:"other_seconds"`
	// Waiting is how long the workers waited for tasks.
	Waiting float64 `json:"waiting_seconds"`
	// Read and Written are bytes that workers moved, Messages what NATS received.
	Read     float64 `json:"bytes_read"`
	Written  float64 `json:"bytes_written"`
	Messages float64 `json:"messages"`
}

// readCluster reads the measurement of a job with a number of workers.
func readCluster(dir, job string, workers int) (*clusterRun, error) {
	path := filepath.Join(dir, clusterFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var of struct {
		Runs []*clusterRun `json:"runs"`
	}
	if err := json.Unmarshal(text, &of); err != nil {
		return nil, fmt.Errorf("%s is not a file of measured clusters: %w", path, err)
	}
	for _, r := range of.Runs {
		if r.Job == job && r.Workers == workers {
			return r, nil
		}
	}
	return nil, fmt.Errorf("%s has no %s by %d workers", path, job, workers)
}

// job derives the job from its solve by one worker.
func (r *clusterRun) job() (j *job, err error) {
	costs := measuredCosts
	of := noTable
	if r.Job == stepsJob {
		of = tabled
	}
	cores := r.Working - costs.readCost[of]*r.Read - costs.writeCost*r.Written
	all := func(float64) float64 { return cores }
	if r.Job == stepsJob {
		j, err = newNotakto(r.Job, "Notakto 6×6 with steps", 6, 0, true, all)
		if err == nil {
			j.fewer, j.sample = 4, "notakto-6-steps"
		}
	} else if j, err = newNotakto(r.Job, "Notakto 7×7 after 15 marks, no table kept", 7, afterMarks, false, all); err == nil {
		j.halve()
	}
	if err != nil {
		return nil, err
	}
	// The estimate of a table's bytes is made those measured.
	scale := r.Written / j.bytes()
	for i := range j.classes {
		j.classes[i].bytes *= scale
		j.classes[i].also *= scale
	}
	j.checked, j.serial = true, r.Waiting/r.Written
	return j, nil
}

// halve has a job keep no table.
func (j *job) halve() {
	j.kind = noTable
	var halves []class
	for _, c := range j.classes {
		c.cores, c.bytes = c.cores/2, c.bytes/2
		halves = append(halves, c)
		c.also = c.bytes
		halves = append(halves, c)
	}
	j.classes = halves
}

// machine returns the machine on which the solve was measured, with what others left of it.
func (r *clusterRun) machine() cluster {
	c := ideal(r.Workers)
	c.costs, c.shared = measuredCosts, measuredCores-max(0, r.Others)/r.Seconds
	c.memory = measuredMemory
	return c
}

const (
	measuredCores  = 2
	measuredMemory = 215e6 // bytes that 512 MiB leave a worker for groups, where no table is kept
)
