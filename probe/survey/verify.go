package survey

import (
	"context"
	"errors"

	"backsolve/probe"
)

// VerifyOptions say how much of a table is verified.
type VerifyOptions struct {
	// Sample is the number of random states whose value is derived again, each
	// state of the whole game with the same probability; 0 for every stored one.
	Sample uint64
	// Seed chooses the sample.
	Seed uint64
	// Threads is the number of threads, 0 for all cores.
	Threads int
}

// Stage is a part of a verification.
type Stage string

// The stages, in order.
const (
	Checksums Stage = "checksums" // in bytes of the file
	Recount   Stage = "counts"    // in stored states
	Derive    Stage = "states"    // in stored or sampled states
)

// VerifyProgress is the progress of a verification.
type VerifyProgress struct {
	Stage       Stage
	Done, Total uint64 // in the unit of the stage
}

// Difference is something that is stored otherwise than it was derived.
type Difference struct {
	// Where is the text of a position, or says which count differs.
	Where string
	// Stored and Derived are its value, or the number.
	Stored, Derived string
}

// Verified is what a verification went through.
type Verified struct {
	// States is the number of states whose value was derived again. OutOfTable is how many
	// of an opening table were come to besides: those that lead beyond it and have no
	// move in it that wins.
	States, OutOfTable uint64
	// Differences is the number of differences, reported or not.
	Differences uint64
}

// ErrDiffers is the cause when a verification found a difference.
var ErrDiffers = errors.New("the table is wrong")

// Verify checks a table: its checksums; its counts, taken again from the data;
// and the outcome and steps of its states, derived again from the moves that
// the rules give and from what is stored of the positions after them. The
// engine has no part in it. What agrees is proven for a table with steps; in
// one without, states that only lead round in a circle to each other could be
// wrong together.
//
// The counts of terminal states are not in the data; they are taken by the
// rules, which takes every state, and so not for a sample.
//
// Where an opening table ends, moves lead beyond it: states that need them are
// passed over.
//
// progress and report may be nil and are called by one goroutine at a time,
// report for the first hundred differences. The error wraps ErrDiffers where
// there is any, is that of reader.Table.Verify where a checksum does not
// hold, and the cause of ctx where that ends.
func Verify(ctx context.Context, t *probe.Table, o VerifyOptions, progress func(VerifyProgress), report func(Difference)) (Verified, error) {
	o.Threads = orAllCores(o.Threads)
	v := &verification{table: t, options: o, progress: progress, report: report}
	err := v.run(ctx)
	v.result.States -= v.result.OutOfTable
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case err == nil && v.result.Differences > 0:
		err = t.Errorf(ErrDiffers, "%d differences in %d states and the counts", v.result.Differences, v.result.States)
	}
	return v.result, err
}

// run goes through the stages.
func (v *verification) run(ctx context.Context) error {
	err := v.table.Stored().Verify(ctx, 1, func(done, total int64) { v.tell(Checksums, uint64(done), uint64(total)) })
	if err != nil {
		return err
	}
	if err := v.recount(ctx); err != nil {
		return err
	}
	if v.options.Sample > 0 {
		return v.deriveSample(ctx)
	}
	return v.deriveAll(ctx, maxHeld)
}
