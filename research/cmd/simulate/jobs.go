package main

import (
	"fmt"
	"path/filepath"

	"backsolve/game/games"
	"backsolve/partition"
	"backsolve/retro"
)

// The jobs that can be simulated, and what they are made of: solves, in a directory.
const (
	wholeJob   = "notakto-7x7"
	checkedJob = "notakto-6x6-steps" // which was measured on a worker, too
	afterFile  = "cluster-scale/notakto-7x7-after-d4.json"
	stepsFile  = "cluster-scale/notakto-6x6-steps.json"
)

var jobNames = []string{wholeJob, checkedJob}

// newJob makes a job of what was measured.
func newJob(name, dir string) (*job, error) {
	if name == wholeJob {
		return whole(filepath.Join(dir, afterFile))
	}
	m, err := readMeasured(filepath.Join(dir, stepsFile))
	if err != nil {
		return nil, err
	}
	return newNotakto(name, "Notakto 6×6 with steps", 6, true, func(float64) float64 { return m.cores() })
}

// whole is Notakto 7×7 as a whole table. A state costs what one of the game after d4 does.
func whole(path string) (*job, error) {
	m, err := readMeasured(path)
	if err != nil {
		return nil, err
	}
	states, err := m.streamedStates()
	if err != nil {
		return nil, fmt.Errorf("%s cannot be used: %w", path, err)
	}
	return newNotakto(wholeJob, "Notakto 7×7, the whole table", 7, false, func(all float64) float64 { return m.cores() / states * all })
}

// newNotakto makes a job that takes as many seconds of cores as cores says of all its states.
// Classes differ by the folds that the engine reckons with.
func newNotakto(name, title string, n int, steps bool, cores func(states float64) float64) (*job, error) {
	rules, err := games.NewGrid("notakto", n)
	if err != nil {
		return nil, err
	}
	s, err := partition.New(rules)
	if err != nil {
		return nil, err
	}
	o := retro.Options{Threads: 1, Steps: steps}
	plan := o.Plan(s)
	j, all := &job{name: name, title: title}, cores(float64(plan.States))
	for _, c := range plan.Classes {
		j.classes = append(j.classes, class{
			cores: all * c.Folds / plan.Folds, blocks: float64(c.Blocks),
			bytes: float64(plan.ClassBytes(c, false)), links: float64(s.MaskBits - c.Class),
		})
	}
	return j, nil
}
