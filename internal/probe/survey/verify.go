package survey

import (
	"context"
	"errors"
	"fmt"

	"backsolve/tablebase"
)

// VerifyOptions say how much of a table is verified.
type VerifyOptions struct {
	// Sample is the number of random states to derive, uniform over all states of the
	// game, or of a table of single positions. Blocks is the number of random blocks, uniform over all stored ones, of which to
	// derive every state. If both are 0, every stored state is derived.
	Sample, Blocks uint64
	// Seed chooses sample and blocks.
	Seed uint64
	// Threads is the number of threads, 0 for all cores.
	Threads int
}

// Stage is a stage of a verification.
type Stage string

// The stages, in order.
const (
	Checksums Stage = "checksums" // in bytes of the file, of single positions or after damage
	Recount   Stage = "counts"    // in stored states, with their checksums
	Derive    Stage = "states"    // in stored or sampled states
)

// VerifyProgress is the progress of a verification.
type VerifyProgress struct {
	Stage       Stage
	Done, Total uint64 // in the unit of the stage
}

// Difference is a value or count that is not stored as derived.
type Difference struct {
	// Where is the text of a position, or names a count.
	Where string `json:"where"`
	// Stored and Derived are its values or numbers.
	Stored  string `json:"stored"`
	Derived string `json:"derived"`
}

// Verified is the result of a verification.
type Verified struct {
	// States is the number of derived states. OutOfTable is that of skipped ones: their
	// moves leave an opening table, and none in it wins.
	States, OutOfTable uint64
	// Blocks is the number of random blocks that were derived, of AllBlocks; both are 0 unless
	// asked for.
	Blocks, AllBlocks uint64
	// StoredOnly reports that steps of won states, which an archive leaves out, were not counted.
	StoredOnly bool
	// Differences is the number of differences, reported or not.
	Differences uint64
}

// ErrDiffers reports that a verification found a difference.
var ErrDiffers = errors.New("the table is wrong")

// Verify checks a table: its checksums; its counts, taken again from the states; and the
// outcome and steps of its states, derived from the moves of the rules and from the stored
// values of the positions after them. It uses no solver. With steps, agreement proves the
// table: by the number of steps, no state can be the first whose value is wrong. Without, states
// that only lead to each other in a cycle could be wrong together.
//
// The counts of terminal states need the rules of every state, so a sample leaves them out.
// Of an archive it also leaves out the counts of won states by steps, which are not stored.
// States of an opening table whose value depends on moves that leave it are skipped.
//
// progress and report may be nil. They are called by one goroutine at a time, report for the
// first hundred differences. The error wraps ErrDiffers if there are any, is that of
// reader.Table.Verify if a checksum does not hold, or is the cause of ctx.
func Verify(ctx context.Context, t Table, o VerifyOptions, progress func(VerifyProgress), report func(Difference)) (Verified, error) {
	v := newVerification(t, o, progress, report)
	return v.finish(ctx, v.run(ctx))
}

func newVerification(t Table, o VerifyOptions, progress func(VerifyProgress), report func(Difference)) *verification {
	o.Threads = threadsOrAll(o.Threads)
	return &verification{table: t, source: sourceOf(t), options: o, progress: progress, report: report}
}

// finish returns the result of a verification that ended with err, which may be nil.
func (v *verification) finish(ctx context.Context, err error) (Verified, error) {
	v.result.States -= v.result.OutOfTable
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case err == nil && v.result.Differences > 0:
		err = &tablebase.Error{Path: v.table.File().Path(), Err: ErrDiffers, Detail: fmt.Sprintf("%d differences in %d states and the counts", v.result.Differences, v.result.States)}
	}
	return v.result, err
}

// run goes through the stages.
func (v *verification) run(ctx context.Context) error {
	if err := v.source.recount(ctx, v); err != nil {
		return err
	}
	if !v.sampled() {
		return v.source.deriveAll(ctx, v)
	}
	v.wanted = v.options.Sample
	if err := v.source.deriveSample(ctx, v); err != nil || v.options.Blocks == 0 {
		return err
	}
	return v.deriveBlocks(ctx)
}
