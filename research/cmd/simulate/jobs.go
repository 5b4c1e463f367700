package main

import (
	"fmt"
	"path/filepath"

	"backsolve/game/games"
	"backsolve/partition"
	"backsolve/retro"
)

// The jobs, and the files of the measured solves.
const (
	wholeJob   = "notakto-7x7"
	checkedJob = "notakto-6x6-steps" // also measured on a worker
	afterFile  = "cluster-scale/notakto-7x7-after-d4.json"
	stepsFile  = "cluster-scale/notakto-6x6-steps.json"
)

var jobNames = []string{wholeJob, checkedJob}

// newJob derives a job from the measured solves.
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

// whole is the whole table of Notakto 7×7, with the cost per state of the game after d4.
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

// newNotakto distributes the core seconds of all states over the classes by their estimated folds.
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
			bytes: float64(c.Bytes), links: float64(s.MaskBits - c.Class),
		})
	}
	return j, nil
}
