package main

import (
	"fmt"
	"math"
	"math/bits"
	"path/filepath"

	"backsolve/bitboard"
	"backsolve/game/games"
	"backsolve/partition"
	"backsolve/retro"
)

// sources are the files of a directory that the jobs are made of.
const (
	notaktoFile = "cluster-scale/notakto-7x7-after-d4.json" // a solve
	quixoFile   = "cluster-scale/quixo-5x5-steps.json"      // a solve
	pliesFile   = "quixo-5x5-steps.json"                    // its labels
)

// jobNames are the jobs that can be simulated.
var jobNames = []string{"notakto-7x7", "quixo-5x5-steps", "quixo-6x6-steps"}

// newJob makes a job of what was measured.
func newJob(name, dir string, deeper float64) (*job, error) {
	switch name {
	case "notakto-7x7":
		return notaktoJob(filepath.Join(dir, notaktoFile))
	case "quixo-5x5-steps":
		return quixoJob(filepath.Join(dir, quixoFile), filepath.Join(dir, pliesFile))
	}
	small, err := newJob("quixo-5x5-steps", dir, deeper)
	if err != nil {
		return nil, err
	}
	return widerQuixo(small, deeper), nil
}

func space(name string, n int) (partition.Space, error) {
	rules, err := games.NewGrid(name, n)
	if err != nil {
		return partition.Space{}, err
	}
	return partition.New(rules)
}

// notaktoJob is Notakto 7×7 as a whole table. A state costs what one of the game after d4
// does; classes differ by the folds that the engine reckons with.
func notaktoJob(path string) (*job, error) {
	m, err := readMeasured(path)
	if err != nil {
		return nil, err
	}
	states, err := m.streamedStates()
	if err != nil {
		return nil, fmt.Errorf("%s cannot be used: %w", path, err)
	}
	s, err := space("notakto", 7)
	if err != nil {
		return nil, err
	}
	j := &job{name: "notakto-7x7", title: "Notakto 7×7, the whole table", kind: bags}
	var all, folds float64
	plan := retro.NewPlan(s, retro.Options{Threads: 1})
	for _, c := range plan.Classes {
		all += float64(c.States)
		folds += c.Folds
	}
	cores := m.cores() / states * all
	for _, c := range plan.Classes {
		j.classes = append(j.classes, class{
			number: c.Class, cores: cores * c.Folds / folds, blocks: float64(c.Blocks), states: float64(c.States),
			bytes: float64(c.States) / 8, links: float64(s.MaskBits - c.Class),
		})
	}
	return j, nil
}

// quixoJob is Quixo 5×5 with steps. The cost of a class is shared out among its plies as
// its labels are.
func quixoJob(solve, info string) (*job, error) {
	m, err := readMeasured(solve)
	if err != nil {
		return nil, err
	}
	plies, err := readPlies(info)
	if err != nil {
		return nil, err
	}
	s, err := space("quixo", 5)
	if err != nil {
		return nil, err
	}
	blocks, cores := partition.BlockCounts(s), m.byClass()
	if cores == nil {
		return nil, fmt.Errorf("%s cannot be used: it does not say how long each class took", solve)
	}
	j := &job{
		name: "quixo-5x5-steps", title: "Quixo 5×5 with steps", kind: phases,
		least: float64(retro.Need(s, retro.Options{Steps: true, Threads: m.Threads})),
	}
	packed, logged := 0.0, 0.0
	for _, r := range m.Runs {
		packed = max(packed, r.PackedBytes)
	}
	for number := s.MaskBits; number >= 0; number-- {
		j.classes = append(j.classes, class{
			number: number, cores: cores[number], blocks: float64(blocks[number]),
			states: float64(blocks[number]) * math.Exp2(float64(s.IndexBits[number])), plies: plies[number],
		})
	}
	// Logs are told of those runs that say so, with the classes that these solved.
	news := 0.0
	for _, r := range m.Runs {
		if r.LogBytes == 0 {
			continue
		}
		news += r.LogBytes
		for _, c := range r.ClassSeconds {
			logged += j.of(c.Class).states
		}
	}
	if packed == 0 || logged == 0 {
		return nil, fmt.Errorf("%s cannot be used: it does not say how long logs and packed table are; measure a solve with --steps --packed", solve)
	}
	all := j.states()
	for i := range j.classes {
		c := &j.classes[i]
		c.bytes, c.news = c.states*packed/all, c.states*news/logged
		if len(c.plies) == 0 {
			return nil, fmt.Errorf("%s has no class %d", info, c.number)
		}
	}
	return j, nil
}

// of returns a class by its number.
func (j *job) of(number int) *class { return &j.classes[len(j.classes)-1-number] }

func (j *job) states() (sum float64) {
	for _, c := range j.classes {
		sum += c.states
	}
	return sum
}

// widerQuixo is Quixo 6×6 with steps, from what 5×5 takes: a state of a class costs what one
// of the class with the same share of marked cells does, and more in the proportion of the
// moves; so many times as many plies a class are assumed. Its planes are spread over the
// workers.
func widerQuixo(small *job, deeper float64) *job {
	const n = 6
	cells := n * n
	moves, before := float64(len(bitboard.Slides(n))), float64(len(bitboard.Slides(n-1)))
	top := float64(len(small.classes) - 1)
	j := &job{name: "quixo-6x6-steps", title: "Quixo 6×6 with steps", kind: spread}
	for m := cells; m >= 0; m-- {
		like := small.of(int(math.Round(float64(m) / float64(cells) * top)))
		blocks := binomial(cells, m) / 8 // by the symmetries of the square; some masks have fewer images
		states := max(1, blocks) * math.Exp2(float64(m))
		c := class{
			number: m, blocks: max(1, blocks), states: states, links: moves,
			cores: like.cores / like.states * states * moves / before,
			news:  like.news / like.states * states, bytes: like.bytes / like.states * states,
			plies: make([]float64, int(deeper*float64(len(like.plies)))),
			need:  states / 8 * float64(planes(moves)),
		}
		j.classes = append(j.classes, c)
	}
	for _, c := range j.classes {
		j.least = max(j.least, c.need)
	}
	return j
}

// planes is how many planes a class takes where states count their open children: won, lost and
// a frontier of each, and the digits of the count.
func planes(moves float64) int { return 4 + bits.Len(uint(moves)) }

func binomial(n, k int) float64 {
	b := 1.0
	for i := range k {
		b = b * float64(n-i) / float64(i+1)
	}
	return b
}

// fewest is how many workers with so much memory a job needs.
func (j *job) fewest(memory float64) int {
	if j.kind != spread {
		return 1
	}
	return int(math.Ceil(j.least / memory))
}
