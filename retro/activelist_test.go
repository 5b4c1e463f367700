package retro

import (
	"math/rand/v2"
	"slices"
	"testing"

	"backsolve/internal/plan"
	"backsolve/retro/internal/work"
)

// TestActiveList checks that the list has the states of all blocks with few states, as far as
// they fit, and knows the non-empty blocks.
func TestActiveList(t *testing.T) {
	const blocks, words = 300, 128
	ledger := work.NewLedger(0, blocks*words)
	defer ledger.Close()
	n, err := newFrontier(ledger, ledger.Plane, blocks, words)
	if err != nil {
		t.Fatal(err)
	}
	defer n.free()
	r := rand.New(rand.NewPCG(1, 2))
	var want [blocks][]uint32 // the states of each block
	few := 0
	for block := range blocks {
		for range r.IntN(3) * r.IntN(400) {
			n.set(block, r.IntN(words), 1<<r.IntN(64))
		}
		want[block] = n.list(nil, block, 0, words)
		n.states.add(&work.Worker{Number: block}, len(want[block]))
		groups := map[uint32]bool{}
		for _, s := range want[block] {
			groups[s>>12] = true
		}
		if len(want[block]) > 0 && len(want[block]) <= len(groups)*plan.GroupCost+plan.LayoutCost {
			few++
		}
	}
	f := &fixpoint{units: work.Units{PerBlock: 1}, job: &job{engine: &engine{o: Options{Threads: 3, TasksPerThread: 2}}, class: &work.Class{Pool: work.NewPool(t.Context(), 3, 2)}}}
	for _, room := range []int{blocks * words, 500, 0} {
		var l activeList
		if err := l.allocate(blocks, blocks*words); err != nil {
			t.Fatal(err)
		}
		l.states = l.states[:min(room, len(l.states))]
		l.most = n.states.sum()
		l.take(f, n)
		if err := f.class.Pool.Cause(); err != nil || !l.valid {
			t.Fatalf("valid %v, error %v", l.valid, err)
		}
		listed, last, end := 0, -1, uint32(0)
		for block, states := range want {
			if fresh := l.fresh[block>>6]>>(block&63)&1 == 1; fresh != (len(states) > 0) {
				t.Fatalf("block %d with %d states: fresh is %v", block, len(states), fresh)
			}
			if len(states) == 0 || l.blocks[block].count == 0 {
				continue
			}
			if l.blocks[block].first != end && block/32 == last/32 && last >= 0 && room > 500 {
				t.Errorf("the states of block %d are not behind those of the block before", block)
			}
			listed, last, end = listed+1, block, l.blocks[block].first+l.blocks[block].count
			if !slices.Equal(l.listed(l.blocks[block]), states) {
				t.Fatalf("block %d has other states", block)
			}
		}
		if room > 0 && listed == 0 || listed > few || listed < few && room > 500 || listed == few && room <= 500 {
			t.Errorf("with room for %d states %d blocks are listed of %d that have few", room, listed, few)
		}
	}
}
