package survey

import (
	"fmt"
	"sync"

	"backsolve/probe"
)

// maxReported is the number of differences that are reported one by one.
const maxReported = 100

// verification is a verification in work. The lock guards what it tells.
type verification struct {
	table    *probe.Table
	options  VerifyOptions
	progress func(VerifyProgress) // or nil
	report   func(Difference)     // or nil

	lock   sync.Mutex
	result Verified
}

func (v *verification) tell(stage Stage, done, total uint64) {
	if v.progress != nil {
		v.progress(VerifyProgress{stage, done, total})
	}
}

// differ takes note of a difference.
func (v *verification) differ(where string, stored, derived any) {
	v.lock.Lock()
	defer v.lock.Unlock()
	v.result.Differences++
	if v.report != nil && v.result.Differences <= maxReported {
		v.report(Difference{where, fmt.Sprint(stored), fmt.Sprint(derived)})
	}
}

// compareCount reports a number that is stored otherwise than it was counted.
func (v *verification) compareCount(where string, stored, counted uint64) {
	if stored != counted {
		v.differ(where, stored, counted)
	}
}

// passOver takes note of a state that cannot be derived.
func (v *verification) passOver() {
	v.lock.Lock()
	defer v.lock.Unlock()
	v.result.OutOfTable++
}

// derived takes note of states that were derived.
func (v *verification) derived(states, total uint64) {
	v.lock.Lock()
	defer v.lock.Unlock()
	v.result.States += states // with those that were passed over
	v.tell(Derive, v.result.States, total)
}
