package main

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"time"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/retro"
	"backsolve/retro/oracle"
	"backsolve/tablebase/writer"
)

func solve(ctx context.Context, b board, dir string, threads int) (outcome, error) {
	w, err := writer.Create(filepath.Join(dir, probe.FileName(b.rules.Info())), probe.Shape(b.space, b.steps), true)
	if err != nil {
		return outcome{}, err
	}
	defer w.Close()
	r, err := retro.Solve(ctx, b.space, w, retro.Options{Steps: b.steps, Threads: threads})
	if err != nil {
		return outcome{}, err
	}
	return outcome{Bytes: r.Bytes}, nil
}

// oracleTime is the least time for which a baseline is measured, a small board several times.
const oracleTime = time.Second

// solveWithOracle measures the solve alone, without the start of the process.
func solveWithOracle(b board) outcome {
	o := outcome{Number: int(b.states())}
	for began := time.Now(); time.Since(began) < oracleTime; {
		start := time.Now()
		oracle.Solve(b.rules)
		o.Seconds = append(o.Seconds, time.Since(start).Seconds())
	}
	return o
}

const (
	lookupBoard   = "quixo-4-steps"
	lookupsInTurn = 1 << 20
	lookupTurns   = 5
)

// lookUp measures random lookups by one goroutine, after a round that touches, and so checks, all that is read.
func lookUp(b board, dir string, inTurn int) (outcome, error) {
	table, err := probe.Open(dir, b.rules)
	if err != nil {
		return outcome{}, err
	}
	defer table.Close()
	r := rand.New(rand.NewPCG(1, 2))
	positions := make([]game.Position, inTurn)
	for i := range positions {
		positions[i] = probe.RandomPosition(b.rules, r)
	}
	o := outcome{Number: inTurn}
	var before, after runtime.MemStats
	for turn := range lookupTurns + 1 {
		if turn == 1 {
			runtime.ReadMemStats(&before)
		}
		start := time.Now()
		for _, p := range positions {
			if _, err := table.Value(p); err != nil {
				return outcome{}, err
			}
		}
		if took := time.Since(start).Seconds(); turn > 0 {
			o.Seconds = append(o.Seconds, took)
		}
	}
	runtime.ReadMemStats(&after)
	o.Allocations = float64(after.Mallocs-before.Mallocs) / float64(inTurn*lookupTurns)
	return o, nil
}
