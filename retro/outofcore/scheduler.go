package outofcore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"backsolve/internal/bitslice"
	"backsolve/partition"
	"backsolve/retro"
	"backsolve/retro/internal/work"
	"backsolve/tablebase"
)

// Scheduler has other processes solve the stages of a space, and keeps their slices. An error ends
// the whole solve, unless it wraps a *RemakeError.
type Scheduler struct {
	// Solve returns the b.Sum of a stage, which it keeps. Unless it was solved before, that begins
	// with b.Begin. It has the slices of the class above and of the other half, and deletes those
	// of the class above that. When ctx ends, it returns its cause.
	Solve func(ctx context.Context, b *Blocks) (*Sum, error)
	// Slices returns a function that reads the slices of a finished stage as they were
	// stored. A slice is valid until the next call. The error wraps ErrGone where the
	// slices are gone.
	Slices func(ctx context.Context, s Stage) func(block int) ([]byte, error)
}

// Sum is the result of a stage: its counts and the values of noted positions.
type Sum struct {
	Counts retro.StateCounts `json:"Tally"` // the name in stored files
	First  []FirstValue
}

// RemakeError means that slices of a finished stage were lost, and that it must be solved
// again. The scheduler has forgotten that it was sealed.
type RemakeError struct {
	Stage
	Err error
}

func (e *RemakeError) Error() string {
	return fmt.Sprintf("class %d must be solved again: %v", e.Class, e.Err)
}
func (e *RemakeError) Unwrap() error { return e.Err }

type driver struct {
	cutting
	o         Options
	scheduler Scheduler
	cuts      []*partition.Cut
	progress  *work.Progress
	sealed    []ClassCounts  // by stage
	values    [][]FirstValue // by stage
	resumed   int
}

// SolveBy has a scheduler solve a space and resumes what an earlier call left. Threads and
// Memory of the options bound cutting the space alone. The error wraps ErrGone where the
// opening table lacks classes whose slices are gone.
func SolveBy(ctx context.Context, space *partition.Space, o Options, scheduler Scheduler) (*Result, error) {
	c := newCutting(space)
	cuts, err := c.cuts()
	if err != nil {
		return nil, err
	}
	defer cuts[0].Free()
	return newDriver(c, standard(o), scheduler, cuts).solve(ctx)
}

func newDriver(c cutting, o Options, scheduler Scheduler, cuts []*partition.Cut) *driver {
	progress := work.NewProgress(o.Progress, cuts[0].Stored(0)*uint64(len(cuts)))
	return &driver{cutting: c, o: o, scheduler: scheduler, cuts: cuts, progress: progress}
}

func (d *driver) solve(ctx context.Context) (*Result, error) {
	for number := 0; number < d.stages(); {
		err := d.solveStage(ctx, d.stage(number))
		if again := (*RemakeError)(nil); errors.As(err, &again) {
			number = again.Number
			d.sealed, d.values, d.resumed = d.sealed[:number], d.values[:number], min(d.resumed, number)
			continue
		}
		if err != nil {
			return nil, err
		}
		number++
	}
	return d.result(d.sealed, slices.Concat(d.values...), d.resumed/len(d.spaces))
}

func (d *driver) solveStage(ctx context.Context, at Stage) error {
	b := d.blocks(at)
	sum, err := d.scheduler.Solve(ctx, b)
	if err != nil {
		return err
	}
	if !b.begun {
		d.resumed++
	}
	if err := d.take(ctx, b, sum); err != nil {
		return err
	}
	if b.begun && at.Last {
		d.progress.Sealed(at.Class)
	}
	return nil
}

func (d *driver) blocks(at Stage) *Blocks {
	d.cuts[0].Keep(at.Class)
	c := work.NewClass(d.cuts[at.Half], at.Class, work.NewPool(context.Background(), 1, 1))
	before := d.cuts[0].Stored(at.Class+1)*uint64(len(d.cuts)) + uint64(at.Half)*c.States()
	return &Blocks{
		Stage: at, class: c, noted: d.notedIn(at, c.Class), progress: d.progress, before: before,
		slice: make([]uint64, c.Words()),
	}
}

func (d *driver) take(ctx context.Context, b *Blocks, sum *Sum) error {
	counts, err := b.class.Counts(&sum.Counts, tablebase.Shape{})
	if err != nil {
		return err
	}
	d.sealed = append(d.sealed, ClassCounts{b.Class, b.class.IndexBits, b.Len(), counts})
	d.values = append(d.values, sum.First)
	if !b.Last || d.o.Opening == nil || b.Class >= d.o.Opening.Classes {
		return nil
	}
	return d.o.Opening.seal(d.whole(d.sealed[len(d.sealed)-len(d.spaces):]), b.class.Masks, d.wholeSlices(ctx, b))
}

// wholeSlices returns a function that reads a block's slice, assembled if the class is cut into halves.
// b is the class's last stage, finished. A slice is valid until the next call.
func (d *driver) wholeSlices(ctx context.Context, b *Blocks) func(block int) ([]uint64, error) {
	halves, readers := make([][]uint64, len(d.spaces)), make([]func(block int) ([]byte, error), len(d.spaces))
	for i := range halves {
		halves[i] = make([]uint64, b.class.Words())
		readers[i] = d.scheduler.Slices(ctx, d.stage(b.Number+1-len(halves)+i))
	}
	whole, indexBits := halves[0], d.space.IndexBits[b.Class]
	if d.halved() {
		whole = make([]uint64, bitslice.Words(indexBits))
	}
	return func(block int) ([]uint64, error) {
		for i, half := range halves {
			stored, err := readers[i](block)
			if err != nil {
				return nil, err
			}
			if !b.packer.restore(half, stored) {
				return nil, noSlice(block, b.Class)
			}
		}
		if d.halved() {
			bitslice.Interleave(whole, halves[1], halves[0], d.cutting.halves.Bit, indexBits)
		}
		return whole, nil
	}
}
