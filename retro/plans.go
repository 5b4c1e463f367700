package retro

import (
	"sync/atomic"
	"unsafe"

	"backsolve/internal/bitslice"
	"backsolve/internal/memory"
	"backsolve/internal/plan"
)

const planBytes = int64(unsafe.Sizeof(bitslice.Plan{}))

// planTable makes the plans of a class's links, most of which share some. It is safe for concurrent use.
type planTable struct {
	plans []bitslice.Plan // room for one a link; unused pages take no memory
	slots []atomic.Uint32 // number of a plan plus one, near the hash of its map; 0: free
	_     cacheLine
	made  atomic.Int64
}

// planProbes is the number of slots that are probed. If none matches or is free, the plan is not shared.
const planProbes = 16

func newPlanTable(links int) (t *planTable, err error) {
	t = new(planTable)
	if t.plans, err = memory.NewArray[bitslice.Plan](links); err != nil {
		return nil, err
	}
	if t.slots, err = memory.NewArray[atomic.Uint32](int(plan.MapSlots(int64(links)))); err != nil {
		memory.FreeArray(t.plans)
		return nil, err
	}
	return t, nil
}

func (t *planTable) number(m *bitslice.IndexMap) uint32 {
	at, own := int(m.Hash()), uint32(0)
	for i := range planProbes {
		slot := &t.slots[(at+i)&(len(t.slots)-1)]
		found := slot.Load()
		if found == 0 {
			own = t.add(own, m)
			if slot.CompareAndSwap(0, own) {
				return own - 1
			}
			found = slot.Load() // another thread was faster
		}
		if t.plans[found-1].Is(m) {
			return found - 1
		}
	}
	return t.add(own, m) - 1
}

// add makes a plan unless it was made, and returns its number plus one.
func (t *planTable) add(made uint32, m *bitslice.IndexMap) uint32 {
	if made == 0 {
		made = uint32(t.made.Add(1))
		t.plans[made-1] = bitslice.NewPlan(m)
	}
	return made
}
