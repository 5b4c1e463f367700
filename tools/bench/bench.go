package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"backsolve/internal/machine"
)

type bench struct {
	boards       []board
	threads      int
	repeats      int
	oracleStates float64 // the most states that the baseline may have
	lookups      string  // the board they are made on
	inTurn       int     // lookups
	tbquery      string  // "" where it was not found
	against      string  // another bench that solves in turns with this one, "" for none
	dir          string
	progress     io.Writer
}

func (b *bench) run(ctx context.Context) (*report, error) {
	r := &report{Machine: machine.This(), Repeats: b.repeats}
	for _, measure := range []func(context.Context, *report) error{b.measureBaselines, b.measureSolves, b.measureQuestions} {
		if err := measure(ctx, r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// measureBaselines also lists the solves: each board first with one thread and then with all.
func (b *bench) measureBaselines(ctx context.Context, r *report) error {
	for _, board := range b.boards {
		small, err := board.baseline(b.oracleStates)
		if err != nil {
			return err
		}
		for _, n := range slices.Compact([]int{1, b.threads}) {
			r.Solves = append(r.Solves, solveFigures{Board: board.name, Threads: n, States: board.states(), Baseline: small.name})
		}
		if r.baseline(small.name) != nil {
			continue
		}
		b.tell("%s one state at a time", small.name)
		o, _, err := spawn(ctx, task{Kind: "oracle", Board: small.name, Threads: 1})
		if err != nil {
			return err
		}
		r.Baselines = append(r.Baselines, baseline{
			Board: small.name, States: small.states(), timing: newTiming(o.Seconds, small.states()), PeakMemory: o.PeakMemory,
		})
	}
	return nil
}

// measureSolves lets the solves take turns.
func (b *bench) measureSolves(ctx context.Context, r *report) error {
	own, others := make([]samples, len(r.Solves)), make([]samples, len(r.Solves))
	for turn := range b.repeats {
		for i := range r.Solves {
			s := &r.Solves[i]
			b.tell("%s, threads %d, turn %d of %d", s.Board, s.Threads, turn+1, b.repeats)
			t := task{Kind: "solve", Board: s.Board, Threads: s.Threads, Dir: b.dir}
			o, err := own[i].measure(ctx, t)
			if t.program = b.against; err == nil && t.program != "" {
				_, err = others[i].measure(ctx, t)
			}
			if err != nil {
				return err
			}
			s.Bytes, s.PeakMemory = o.Bytes, max(s.PeakMemory, o.PeakMemory)
		}
	}
	alone := 0.0 // the solve with one thread, which stands before the other
	for i := range r.Solves {
		s := &r.Solves[i]
		s.timing = newTiming(own[i].seconds, s.States)
		if b.against != "" {
			s.Against = own[i].ratiosTo(others[i])
		}
		if s.Threads == 1 {
			alone = s.Median
		}
		s.Speedup = alone / s.Median
		s.Ratio = s.PerSecond / r.baseline(s.Baseline).PerSecond
	}
	return nil
}

// samples are the times of one solve, in seconds by the clock and of the processor.
type samples struct{ seconds, processor []float64 }

func (s *samples) measure(ctx context.Context, t task) (outcome, error) {
	o, took, err := spawn(ctx, t)
	s.seconds, s.processor = append(s.seconds, took), append(s.processor, o.processor)
	return o, err
}

func (s *samples) ratiosTo(other samples) *ratios {
	ratio := func(a, b []float64) float64 { return newTiming(a, 1).Median / newTiming(b, 1).Median }
	return &ratios{ratio(s.seconds, other.seconds), ratio(s.processor, other.processor)}
}

func (b *bench) measureQuestions(ctx context.Context, r *report) error {
	board, err := parseBoard(b.lookups)
	if err != nil {
		return err
	}
	b.tell("lookups in %s", board.name)
	if _, _, err := spawn(ctx, task{Kind: "solve", Board: board.name, Threads: b.threads, Dir: b.dir}); err != nil {
		return err
	}
	o, _, err := spawn(ctx, task{Kind: "lookups", Board: board.name, Threads: 1, Dir: b.dir, Lookups: b.inTurn})
	if err != nil {
		return err
	}
	r.Lookups = lookupFigures{Board: board.name, timing: newTiming(o.Seconds, float64(o.Number)), Lookups: o.Number, Allocations: o.Allocations}
	if b.tbquery == "" {
		return nil
	}
	b.tell("cold start of %s", b.tbquery)
	seconds, err := coldStarts(ctx, b.tbquery, board, b.dir)
	if err != nil {
		return err
	}
	t := newTiming(seconds, 1)
	r.ColdStart = &coldStart{Program: filepath.Base(b.tbquery), Board: board.name, Runs: len(seconds),
		Best: t.Best * 1e3, Median: t.Median * 1e3, Worst: t.Worst * 1e3}
	return nil
}

const coldStartRuns = 20

func coldStarts(ctx context.Context, program string, b board, dir string) ([]float64, error) {
	var seconds []float64
	for range coldStartRuns {
		cmd := exec.CommandContext(ctx, program, b.rules.Name(), strconv.Itoa(b.rules.Size()), b.rules.Format(b.rules.Start()), "--json", "--dir", dir)
		start := time.Now()
		said, err := cmd.CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("%s did not answer: %w: %s", program, err, strings.TrimSpace(string(said)))
		}
		seconds = append(seconds, time.Since(start).Seconds())
	}
	return seconds, nil
}

func findQuery() string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	path, _ := exec.LookPath(filepath.Join(filepath.Dir(self), "tbquery"))
	return path
}

func (b *bench) tell(format string, args ...any) {
	fmt.Fprintf(b.progress, "measuring "+format+"\n", args...)
}
