package retro

import (
	"sync/atomic"
	"unsafe"

	"backsolve/internal/bitslice"
	"backsolve/internal/memory"
	"backsolve/internal/plan"
	"backsolve/retro/internal/work"
)

const planBytes = int64(unsafe.Sizeof(bitslice.Plan{}))

// planTable makes the plans of a class's links, most of which share some. It is safe for concurrent use.
type planTable struct {
	plans []bitslice.Plan // room for one a link; unused pages take no memory
	slots []atomic.Uint32 // number of a plan plus one, near the hash of its map; 0: free
	own   []planNumbers   // by worker
	_     cacheLine
	given atomic.Int64 // numbers, to all workers
}

// planNumbers are the numbers from next+1 to end, which one worker may give to plans.
type planNumbers struct {
	next, end int64
	_         cacheLine
}

// numbersAtOnce is how many numbers a worker takes, so that threads seldom write to the same counter.
const numbersAtOnce = 16

// planProbes is the number of slots that are probed. If none matches or is free, the plan is not shared.
const planProbes = 16

func newPlanTable(links, workers int) (t *planTable, err error) {
	t = &planTable{own: make([]planNumbers, workers)}
	if t.plans, err = memory.NewArray[bitslice.Plan](links + workers*numbersAtOnce); err != nil {
		return nil, err
	}
	if t.slots, err = memory.NewArray[atomic.Uint32](int(plan.MapSlots(int64(links)))); err != nil {
		memory.FreeArray(t.plans)
		return nil, err
	}
	return t, nil
}

func (t *planTable) number(w *work.Worker, m *bitslice.IndexMap) uint32 {
	at, own := int(m.Hash()), uint32(0)
	for i := range planProbes {
		slot := &t.slots[(at+i)&(len(t.slots)-1)]
		found := slot.Load()
		if found == 0 {
			own = t.add(w, own, m)
			if slot.CompareAndSwap(0, own) {
				return own - 1
			}
			found = slot.Load() // another thread was faster
		}
		if t.plans[found-1].Is(m) {
			if own > 0 {
				t.own[w.Number].next--
			}
			return found - 1
		}
	}
	return t.add(w, own, m) - 1
}

// made returns how many plans there are. However the links are spread over threads, these are as many.
func (t *planTable) made() int64 {
	made := t.given.Load()
	for _, own := range t.own {
		made -= own.end - own.next
	}
	return made
}

// add makes a plan unless it was made, and returns its number plus one.
func (t *planTable) add(w *work.Worker, made uint32, m *bitslice.IndexMap) uint32 {
	if made == 0 {
		own := &t.own[w.Number]
		if own.next == own.end {
			own.end = t.given.Add(numbersAtOnce)
			own.next = own.end - numbersAtOnce
		}
		own.next++
		made = uint32(own.next)
		t.plans[made-1] = bitslice.NewPlan(m)
	}
	return made
}
