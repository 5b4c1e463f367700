package survey

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/tablebase"
)

// VerifyOptions say how much of a table is verified.
type VerifyOptions struct {
	// Sample is how many random states to derive, of the game or of a table of single positions, and Blocks how
	// many random blocks of stored states. If both are 0, every stored state is derived.
	Sample, Blocks uint64
	// Seed chooses sample and blocks.
	Seed uint64
	// Threads is the number of threads, 0 for all cores.
	Threads int
}

// The stages of a verification, in order.
const (
	Checksums = tablebase.Checksums // of single positions or after damage
	Recount   = "counts"            // of stored states, with their checksums
	Derive    = "states"            // stored or sampled ones
)

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
	// States were derived. OutOfTable were skipped: moves leave an opening table, and none in it wins.
	States, OutOfTable uint64
	// Blocks were derived at random, of AllBlocks; both are 0 unless asked for.
	Blocks, AllBlocks uint64
	// StoredOnly reports that steps of won states, which an archive leaves out, were not counted.
	StoredOnly bool
	// Differences is the number of differences, reported or not.
	Differences uint64
}

// ErrDiffers reports that a verification found a difference.
var ErrDiffers = errors.New("the table is wrong")

// Verify checks a table without a solver: its checksums; its counts, taken again from the states; and the values of
// its states, derived by the rules from those after their moves. In a table of single positions the rules must keep
// their contract, too. With steps, agreement proves the table: no state can be the first whose value is wrong.
// Without, states that only lead to each other could be wrong together.
//
// A sample leaves out the counts of terminal states, and those of won states by steps that an archive does not store.
// States of an opening table whose value depends on moves that leave it are skipped.
//
// progress and report may be nil and are never called twice at once; report gets the first hundred differences.
// The error wraps ErrDiffers if there are any, or is that of reader.Table.Verify or the cause of ctx.
func Verify(ctx context.Context, t Table, o VerifyOptions, progress func(tablebase.Event), report func(Difference)) (Verified, error) {
	v := newVerification(t, o, progress, report)
	return v.finish(ctx, v.run(ctx))
}

func newVerification(t Table, o VerifyOptions, progress func(tablebase.Event), report func(Difference)) *verification {
	o.Threads = threadsOrAll(o.Threads)
	return &verification{table: t, source: sourceOf(t), options: o, progress: progress, report: report}
}

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

const maxReported = 100

// verification is a running verification. The lock guards the result and the callbacks.
type verification struct {
	table    Table
	source   source
	options  VerifyOptions
	progress func(tablebase.Event) // or nil
	report   func(Difference)      // or nil
	wanted   uint64                // the number of states of a sample and of random blocks

	lock   sync.Mutex
	result Verified
}

func (v *verification) sampled() bool { return v.options.Sample > 0 || v.options.Blocks > 0 }

func (v *verification) notify(stage string, done, total uint64) {
	tablebase.Tell(v.progress, tablebase.Event{Stage: stage, Unit: "states", Done: done, Total: total})
}

func (v *verification) checksums(ctx context.Context) error {
	return v.table.File().Verify(ctx, v.options.Threads, v.progress)
}

func (v *verification) differ(where string, stored, derived any) {
	v.lock.Lock()
	defer v.lock.Unlock()
	v.result.Differences++
	if v.report != nil && v.result.Differences <= maxReported {
		v.report(Difference{where, fmt.Sprint(stored), fmt.Sprint(derived)})
	}
}

func (v *verification) compareCount(where string, stored, counted uint64) {
	if stored != counted {
		v.differ(where, stored, counted)
	}
}

func (v *verification) addDerived(states, total uint64) {
	v.lock.Lock()
	defer v.lock.Unlock()
	v.result.States += states // Verify subtracts the skipped ones
	v.notify(Derive, v.result.States, total)
}

// compareState derives a state and compares the stored value. It returns the derived value
// and whether the game is over. A state that cannot be derived is skipped.
func (v *verification) compareState(d *deriver, p game.Position, stored probe.Value) (derived probe.Value, over bool, err error) {
	derived, over, err = d.derive(p)
	switch {
	case errors.Is(err, probe.ErrOutOfTable):
		v.lock.Lock()
		v.result.OutOfTable++
		v.lock.Unlock()
		return stored, false, nil
	case err != nil || stored == derived:
	case d.nimbers:
		v.differ(d.rules.Format(p), nimberText(stored), nimberText(derived))
	default:
		v.differ(d.rules.Format(p), stored, derived)
	}
	return derived, over, err
}

func nimberText(v probe.Value) string {
	if v.Outcome == game.Win && v.Steps == 0 {
		return fmt.Sprintf("%v without a nimber", v.Outcome)
	}
	return fmt.Sprintf("%v with the nimber %d", v.Outcome, v.Steps)
}
