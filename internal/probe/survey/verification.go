package survey

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"backsolve/game"
	"backsolve/internal/probe"
)

// maxReported is the number of differences that are reported one by one.
const maxReported = 100

// verification is a running verification. The lock guards the result and the callbacks.
type verification struct {
	table    Table
	source   source
	options  VerifyOptions
	progress func(VerifyProgress) // or nil
	report   func(Difference)     // or nil
	wanted   uint64               // the number of states of a sample and of random blocks

	lock   sync.Mutex
	result Verified
}

// sampled reports whether only some states are derived.
func (v *verification) sampled() bool { return v.options.Sample > 0 || v.options.Blocks > 0 }

func (v *verification) notify(stage Stage, done, total uint64) {
	if v.progress != nil {
		v.progress(VerifyProgress{stage, done, total})
	}
}

// checksums compares all checksums.
func (v *verification) checksums(ctx context.Context) error {
	return v.table.File().Verify(ctx, v.options.Threads, func(done, total int64) { v.notify(Checksums, uint64(done), uint64(total)) })
}

// differ counts and reports a difference.
func (v *verification) differ(where string, stored, derived any) {
	v.lock.Lock()
	defer v.lock.Unlock()
	v.result.Differences++
	if v.report != nil && v.result.Differences <= maxReported {
		v.report(Difference{where, fmt.Sprint(stored), fmt.Sprint(derived)})
	}
}

// compareCount compares a stored number with the counted one.
func (v *verification) compareCount(where string, stored, counted uint64) {
	if stored != counted {
		v.differ(where, stored, counted)
	}
}

// skip counts a state that cannot be derived.
func (v *verification) skip() {
	v.lock.Lock()
	defer v.lock.Unlock()
	v.result.OutOfTable++
}

// addDerived counts derived states.
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
		v.skip()
		return stored, false, nil
	case err != nil || stored == derived:
	case d.nimbers:
		v.differ(d.rules.Format(p), nimberText(stored), nimberText(derived))
	default:
		v.differ(d.rules.Format(p), stored, derived)
	}
	return derived, over, err
}

// nimberText returns a value of a table with nimbers in words.
func nimberText(v probe.Value) string {
	if v.Outcome == game.Win && v.Steps == 0 {
		return fmt.Sprintf("%v without a nimber", v.Outcome)
	}
	return fmt.Sprintf("%v with the nimber %d", v.Outcome, v.Steps)
}
