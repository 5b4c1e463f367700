package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/dustin/go-humanize"

	"backsolve/cmd/cli"
)

func writeReport(w io.Writer, r *report) error {
	fmt.Fprintf(w, "%s, %d cores, %s, %s; %d times each solve\n\n",
		cmp.Or(r.Machine.Processor, "unknown processor"), r.Machine.Cores, r.Machine.Platform, r.Machine.Go, r.Repeats)
	if err := cli.WriteGrid(w, tabwriter.AlignRight, r.solveRows()); err != nil {
		return err
	}
	fmt.Fprint(w, `
Times go from the start of the process to the finished file, flushed to the
disk; states/s, speed-up (over one thread) and ratio are those of the median.
The ratio is to the states/s of the one-state-at-a-time solver on the board named
as the baseline, of its solve alone: in one thread, always with steps, in memory.
A baseline smaller than the board flatters that solver:

`)
	if err := cli.WriteGrid(w, tabwriter.AlignRight, r.baselineRows()); err != nil {
		return err
	}
	l := &r.Lookups
	fmt.Fprintf(w, "\nLookups in a warm table of %s, at random, on one core: %.2f million/s (best %.2f), %.2f allocations each\n",
		l.Board, l.PerSecond/1e6, float64(l.Lookups)/l.Best/1e6, l.Allocations)
	var err error
	if c := r.ColdStart; c != nil {
		_, err = fmt.Fprintf(w, "\nCold start of %s, one position of %s: %.1f ms (median of %d; best %.1f, worst %.1f)\n",
			c.Program, c.Board, c.Median, c.Runs, c.Best, c.Worst)
	} else {
		_, err = fmt.Fprintln(w, "\nCold start of tbquery: not measured, there is none beside bench; build it with make build")
	}
	return err
}

func (r *report) solveRows() [][]string {
	rows := [][]string{{"board", "threads", "states", "best", "median", "worst", "states/s", "speed-up", "peak memory", "bytes", "ratio", "baseline"}}
	for i, s := range r.Solves {
		rows = append(rows, []string{
			s.Board, fmt.Sprint(s.Threads), humanize.Commaf(s.States),
			cli.SecondsText(s.Best), cli.SecondsText(s.Median), cli.SecondsText(s.Worst), rateText(s.PerSecond),
			fmt.Sprintf("%.2f", s.Speedup), humanize.IBytes(uint64(s.PeakMemory)), humanize.Comma(s.Bytes),
			ratioText(s.Ratio), s.Baseline,
		})
		if s.Against == nil {
			continue
		}
		if i == 0 {
			rows[0] = append(rows[0], "clock", "processor")
		}
		rows[i+1] = append(rows[i+1], fmt.Sprintf("%.3f", s.Against.Seconds), fmt.Sprintf("%.3f", s.Against.Processor))
	}
	return rows
}

func (r *report) baselineRows() [][]string {
	rows := [][]string{{"baseline", "states", "best", "median", "worst", "states/s", "peak memory"}}
	for _, b := range r.Baselines {
		rows = append(rows, []string{
			b.Board, humanize.Commaf(b.States), cli.SecondsText(b.Best), cli.SecondsText(b.Median), cli.SecondsText(b.Worst),
			rateText(b.PerSecond), humanize.IBytes(uint64(b.PeakMemory)),
		})
	}
	return rows
}

// rateText writes a rate with its prefix: 12.3 G.
func rateText(perSecond float64) string { return humanize.SIWithDigits(perSecond, 1, "") }

// ratioText writes two digits of small ratios, and large ones to the unit.
func ratioText(ratio float64) string {
	if ratio < 10 {
		return fmt.Sprintf("%.2g", ratio)
	}
	return humanize.Comma(int64(math.Round(ratio)))
}
