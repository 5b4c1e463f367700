package retro

import (
	"testing"
	"unsafe"

	"backsolve/internal/bitslice"
	"backsolve/internal/memory"
	"backsolve/internal/plan"
	"backsolve/retro/internal/work"
)

// TestPlanKnowsStructures compares the sizes that a plan assumes with the structures.
func TestPlanKnowsStructures(t *testing.T) {
	for what, c := range map[string]struct{ planned, is int }{
		"a link":            {plan.LinkBytes, int(unsafe.Sizeof(link{}) + unsafe.Sizeof(parent{}))},
		"a listed block":    {plan.ListedBlockBytes, int(unsafe.Sizeof(span{}))},
		"buffers of thread": {plan.ScratchBuffers, digitBuffers},
	} {
		if c.planned != c.is {
			t.Errorf("%s: planned for %d, it is %d", what, c.planned, c.is)
		}
	}
}

// Counters that all threads write while they read frontiers are in cache lines of their own.
func TestFrontiersShareNoLine(t *testing.T) {
	var n frontier
	const line = uintptr(len(cacheLine{}))
	if read, written := unsafe.Offsetof(n.ledger), unsafe.Offsetof(n.any); written < read+line {
		t.Errorf("what is read ends at %d, and what is written begins at %d", read, written)
	}
	if apart := unsafe.Sizeof(n.states[0]); apart < line {
		t.Errorf("parts of a count are %d bytes apart", apart)
	}
	for unit := range 100 {
		n.states.add(&work.Worker{Number: unit}, unit)
	}
	if got := n.states.sum(); got != 4950 {
		t.Errorf("4950 is counted as %d", got)
	}
	if n.empty(); n.states.sum() != 0 {
		t.Error("an empty frontier has states")
	}
}

// Clearing a frontier leaves no state, whether its blocks share words of the summary or have
// several.
func TestClear(t *testing.T) {
	f := &fixpoint{job: &job{class: &work.Class{Pool: work.NewPool(t.Context(), 2, 10)}}}
	for _, words := range []int{1, 1 << 6, 1 << 14} {
		ledger := work.NewLedger(0, 1<<16)
		n, err := newFrontier(ledger, ledger.Plane, 3, words)
		if err != nil {
			t.Fatal(err)
		}
		defer ledger.Close()
		for block := range 3 {
			for _, word := range []int{0, words / 3, words - 1} {
				n.set(block, word, 5)
			}
		}
		f.clear(n)
		if err := f.class.Pool.Cause(); err != nil {
			t.Fatal(err)
		}
		if bitslice.Any(n.plane) || bitslice.Any(n.summary) {
			t.Errorf("slices of %d words: states are left", words)
		}
	}
}

// Workers number plans in runs of their own: no number twice, none beyond the room.
func TestPlanNumbers(t *testing.T) {
	const links, workers = 100, 3
	plans, err := newPlanTable(links, workers)
	if err != nil {
		t.Fatal(err)
	}
	given := map[uint32]bool{}
	for i := range links {
		given[plans.add(&work.Worker{Number: i % 7 % workers}, 0, new(bitslice.IndexMap))-1] = true
	}
	if taken := plans.given.Load(); len(given) != links || plans.made() != links || taken%numbersAtOnce != 0 || taken > int64(len(plans.plans)) {
		t.Errorf("%d plans have %d numbers, of %d that were taken, and %d are counted", links, len(given), taken, plans.made())
	}
	memory.FreeArray(plans.plans)
	memory.FreeArray(plans.slots)
}
