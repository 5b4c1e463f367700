package main

import (
	"slices"

	"backsolve/internal/machine"
)

// report is what a run has measured, and what --json prints; states are those of the whole game.
type report struct {
	Machine   machine.Machine `json:"machine"`
	Repeats   int             `json:"repeats"`
	Solves    []solveFigures  `json:"solves"`
	Baselines []baseline      `json:"baselines"`
	Lookups   lookupFigures   `json:"lookups"`
	ColdStart *coldStart      `json:"cold_start"` // null where there was no tbquery
}

// timing sums up how long one thing took each time; PerSecond is of the median.
type timing struct {
	Best      float64 `json:"seconds_best"`
	Median    float64 `json:"seconds_median"`
	Worst     float64 `json:"seconds_worst"`
	PerSecond float64 `json:"per_second"`
}

// newTiming sums up at least one time. Each was spent on the given number of units.
func newTiming(seconds []float64, units float64) timing {
	s := slices.Sorted(slices.Values(seconds))
	median := (s[(len(s)-1)/2] + s[len(s)/2]) / 2
	return timing{s[0], median, s[len(s)-1], units / median}
}

type solveFigures struct {
	Board   string  `json:"board"`
	Threads int     `json:"threads"`
	States  float64 `json:"states"`
	timing
	Speedup    float64 `json:"speedup"` // over one thread
	PeakMemory int64   `json:"peak_memory_bytes"`
	Bytes      int64   `json:"bytes_written"`
	Baseline   string  `json:"baseline"` // the board of the ratio
	Ratio      float64 `json:"ratio"`    // of states a second
	Against    *ratios `json:"against,omitempty"`
}

// ratios are those of this program's medians to the other's, in turns: below 1 this one is faster.
type ratios struct {
	Seconds   float64 `json:"seconds"`
	Processor float64 `json:"processor_seconds"` // user and system
}

type baseline struct {
	Board  string  `json:"board"`
	States float64 `json:"states"`
	timing
	PeakMemory int64 `json:"peak_memory_bytes"`
}

type lookupFigures struct {
	Board   string `json:"board"`
	Lookups int    `json:"lookups"` // in each turn
	timing
	Allocations float64 `json:"allocations_per_lookup"`
}

type coldStart struct {
	Program string  `json:"program"`
	Board   string  `json:"board"`
	Runs    int     `json:"runs"`
	Best    float64 `json:"milliseconds_best"`
	Median  float64 `json:"milliseconds_median"`
	Worst   float64 `json:"milliseconds_worst"`
}

func (r *report) baseline(board string) *baseline {
	i := slices.IndexFunc(r.Baselines, func(b baseline) bool { return b.Board == board })
	if i < 0 {
		return nil
	}
	return &r.Baselines[i]
}
