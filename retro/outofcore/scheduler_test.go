package outofcore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"backsolve/retro"
)

// threadWorker is a scheduler with one block worker, which keeps slices in memory.
type threadWorker struct {
	worker *BlockWorker
	atOnce int                    // blocks
	halves int                    // of a class
	slices map[int]map[int][]byte // by stage and block
	sums   map[int]*Sum           // by stage
	stop   int                    // the number of a stage that is not solved
	spoil  func(stored []byte) []byte
}

// scheduler returns a scheduler with a way to solve stages.
func (c *threadWorker) scheduler(solve func(ctx context.Context, b *Blocks) (*Sum, error)) Scheduler {
	return Scheduler{Slices: c.Slices, Solve: func(ctx context.Context, b *Blocks) (*Sum, error) {
		if c.sums[b.Number] == nil {
			b.Begin()
			sum, err := solve(ctx, b)
			if err != nil {
				return nil, err
			}
			c.sums[b.Number] = sum
		}
		delete(c.slices, b.Number-2*c.halves)
		return c.sums[b.Number], nil
	}}
}

func (c *threadWorker) Slices(_ context.Context, s Stage) func(int) ([]byte, error) {
	return func(block int) ([]byte, error) { return c.slices[s.Number][block], nil }
}

func (c *threadWorker) Read(_ context.Context, s Stage, blocks []int, deliver func(int, int64, func([]byte) error) error) error {
	for _, block := range blocks {
		stored := c.slices[s.Number][block]
		if c.spoil != nil {
			stored = c.spoil(stored)
		}
		if stored == nil {
			continue
		}
		err := deliver(block, int64(len(stored)), func(to []byte) error {
			copy(to, stored)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *threadWorker) Solve(_ context.Context, r *Blocks) (*Sum, error) {
	if r.Number == c.stop {
		return nil, errStop
	}
	c.slices[r.Number] = map[int][]byte{}
	counts := new(retro.StateCounts)
	for first := 0; first < r.Len(); first += c.atOnce {
		kept := make(chan []byte, c.atOnce) // a block before its slice
		t, err := c.worker.Solve(r.Stage, first, min(c.atOnce, r.Len()-first), func(block int, stored []byte, release func()) {
			kept <- append([]byte{byte(block - first)}, stored...)
			release()
		})
		if err != nil {
			return nil, err
		}
		close(kept)
		for b := range kept {
			c.slices[r.Number][first+int(b[0])] = b[1:]
		}
		counter := c.worker.NewCounter(r.Stage)
		for block := first; block < min(first+c.atOnce, r.Len()); block++ {
			stored := c.slices[r.Number][block]
			if !counter.Count(block, stored) {
				return nil, fmt.Errorf("block %d is no slice", block)
			}
			if counter.Count(block, stored[:3]) {
				return nil, errors.New("three bytes are a slice")
			}
		}
		if !counter.Sum().Equal(t) {
			return nil, fmt.Errorf("class %d, %d blocks from %d on: the slices do not add up to the counts", r.Class, c.atOnce, first)
		}
		counts.Add(t)
		r.Progress(first)
	}
	return r.Sum(counts, func(block int) ([]byte, error) { return c.slices[r.Number][block], nil })
}

// newScheduler returns a scheduler for a game of Notakto.
func newScheduler(t *testing.T, n int, taken uint64, o Options) *threadWorker {
	t.Helper()
	c := &threadWorker{atOnce: 30, halves: 1, slices: map[int]map[int][]byte{}, sums: map[int]*Sum{}, stop: -1}
	if !Stages(spaceAfter(t, n, taken))[0].Last {
		c.halves = 2
	}
	var err error
	if c.worker, err = NewBlockWorker(t.Context(), spaceAfter(t, n, taken), o, c.Read, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.worker.Close)
	return c
}

// A solve by a scheduler has the result of one with work files, with and without halves, even after
// an interruption.
func TestSchedulerAgreesWithSolve(t *testing.T) {
	for _, b := range []struct {
		n      int
		taken  uint64
		packed bool
	}{{5, 1 << 12, false}, {5, 0, true}, {4, 0, false}} {
		space := spaceAfter(t, b.n, b.taken)
		o := Options{Options: retro.Options{Threads: 2}, Packed: b.packed}
		want := streamed(t, space, t.TempDir()+"/s", 1000, o)
		c := newScheduler(t, b.n, b.taken, o)
		stages := Stages(space)
		halves := 0
		for _, s := range stages {
			halves = max(halves, s.Half+1)
		}
		// The last stage of a class is left out.
		c.stop = len(stages)/halves/2*halves + halves - 1
		if _, err := SolveBy(t.Context(), space, o, c.scheduler(c.Solve)); !errors.Is(err, errStop) || len(c.sums) != c.stop {
			t.Fatalf("%v: %d stages are sealed when it is stopped: %v", b, len(c.sums), err)
		}
		resumed := c.stop / halves
		c.stop = -1
		got, err := SolveBy(t.Context(), space, o, c.scheduler(c.Solve))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Classes, want.Classes) || !reflect.DeepEqual(got.Half, want.Half) || got.Cells != want.Cells || got.Start != want.Start || !reflect.DeepEqual(got.First, want.First) {
			t.Errorf("%v: %+v and %v, want %+v and %v", b, got.Start, got.First, want.Start, want.First)
		}
		if cells := got.Cells != 0; cells != (halves == 2) || len(got.Half) != (halves-1)*len(got.Classes) {
			t.Errorf("%v: %d halves, of cells %#x, are counted of %d classes", b, len(got.Half), got.Cells, len(got.Classes))
		}
		if got.Resumed != resumed {
			t.Errorf("%v: %d classes are resumed, want %d", b, got.Resumed, resumed)
		}
		if len(c.slices) != 2*halves {
			t.Errorf("%v: the slices of %d stages are left, want those of the last %d", b, len(c.slices), 2*halves)
		}
	}
}

// Slices that do not fit and impossible counts are refused.
func TestSumRefuses(t *testing.T) {
	c := newScheduler(t, 4, 0, Options{Options: retro.Options{Threads: 1}})
	_, err := SolveBy(t.Context(), spaceAfter(t, 4, 0), Options{}, c.scheduler((&refused{threadWorker: c, t: t}).Solve))
	if err == nil || !strings.Contains(err.Error(), "class 0") {
		t.Errorf("impossible counts: %v", err)
	}
}

// refused is a scheduler with wrong sums of the last stage, whose block has noted positions.
type refused struct {
	*threadWorker
	t *testing.T
}

func (c *refused) Solve(ctx context.Context, r *Blocks) (*Sum, error) {
	if r.Class > 0 || !r.Last {
		return c.threadWorker.Solve(ctx, r)
	}
	var stored []byte
	sum, err := c.worker.Solve(r.Stage, 0, 1, func(_ int, s []byte, release func()) {
		stored = bytes.Clone(s)
		release()
	})
	if err != nil {
		c.t.Fatal(err)
	}
	read := func(slice []byte) func(int) ([]byte, error) {
		return func(int) ([]byte, error) { return slice, nil }
	}
	for _, bad := range [][]byte{nil, stored[1:]} {
		if _, err := r.Sum(sum, read(bad)); err == nil || !strings.Contains(err.Error(), "the stored slice of block 0 of class 0 is damaged") {
			c.t.Errorf("%v", err)
		}
	}
	sum.Wins[0] = 1 << 40
	return r.Sum(sum, read(stored))
}

// A block worker refuses blocks that do not exist and damaged slices.
func TestBlockWorkerRefuses(t *testing.T) {
	c := newScheduler(t, 4, 0, Options{Options: retro.Options{Threads: 1}})
	stages := Stages(spaceAfter(t, 4, 0))
	keep := func(_ int, _ []byte, release func()) { release() }
	for _, bad := range []struct {
		s             Stage
		first, blocks int
	}{
		{Stage{Number: -1}, 0, 1},
		{Stage{Number: len(stages)}, 0, 1},
		{Stage{Number: 0, Class: stages[0].Class - 1}, 0, 1},
		{stages[0], -1, 1},
		{stages[0], 0, 0},
		{stages[0], c.worker.Len(stages[0].Class), 1},
	} {
		if _, err := c.worker.Solve(bad.s, bad.first, bad.blocks, keep); err == nil || !strings.Contains(err.Error(), "has no") {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	for want, spoil := range map[string]func(stored []byte) []byte{
		"only 0 were read":                   func([]byte) []byte { return nil },
		"block 0 of class 8 is damaged":      func(stored []byte) []byte { return stored[:len(stored)-1] },
		"stored slice of block 0 of class 8": func(stored []byte) []byte { return append(bytes.Clone(stored), 0) },
	} {
		c := newScheduler(t, 4, 0, Options{Options: retro.Options{Threads: 1}})
		c.spoil = spoil
		if _, err := SolveBy(t.Context(), spaceAfter(t, 4, 0), Options{}, c.scheduler(c.Solve)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
