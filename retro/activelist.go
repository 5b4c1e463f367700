package retro

import (
	"sync/atomic"

	"backsolve/internal/bitslice"
	"backsolve/internal/memory"
	"backsolve/internal/plan"
	"backsolve/retro/internal/work"
)

// transposeCost is the cost of bringing a row of transposed slices over a link, for each row
// but the first, in the units of plan.GroupCost.
const transposeCost = 6

// activeList lists the states of a frontier block by block. A block with few states is read
// from the list instead of by groups of words.
type activeList struct {
	fresh  []uint64 // a bit a block: whether it has any states
	blocks []span
	states []uint32
	most   int64 // most states of a frontier that is listed
	valid  bool  // whether states are listed, and not blocks alone
	// Cost of bringing the words of a group, and of each block besides.
	perGroup, perBlock int
	_                  cacheLine
	end                atomic.Int64 // of the states that are listed
}

// allocate makes room for blocks with the given number of words in total.
func (l *activeList) allocate(blocks int, words int64) (err error) {
	l.most = words/64*plan.GroupCost + int64(blocks)*plan.LayoutCost
	if l.fresh, err = memory.NewArray[uint64]((blocks + 63) / 64); err != nil {
		return err
	}
	if l.blocks, err = memory.NewArray[span](blocks); err != nil {
		return err
	}
	l.states, err = memory.NewArray[uint32](int(plan.ListedStates(int64(blocks), words)))
	return err
}

// span is the part of an active list of one block. It is empty where reading the block's words
// is cheaper.
type span struct{ first, count uint32 }

// take lists the non-empty blocks of a frontier, and its states if they are few. Where units
// are parts of blocks it lists no states, as each part would read all states of its children.
func (l *activeList) take(f *fixpoint, n *frontier) {
	l.valid = f.units.PerBlock == 1 && n.states.sum() <= l.most
	l.perGroup, l.perBlock = plan.GroupCost, plan.LayoutCost
	if rows := bitslice.RowsFolded(f.units.K); rows > 0 {
		l.perGroup, l.perBlock = 0, transposeCost*(rows-1)
		l.valid = l.valid && rows > 1
	}
	l.end.Store(0)
	clear(l.fresh)
	run := 64 // blocks
	for run > 1 && len(l.blocks)/run < f.tasks() {
		run /= 2
	}
	f.forEach(0, (len(l.blocks)+run-1)/run, func(_ *work.Worker, i int) { l.list(n, i*run, min((i+1)*run, len(l.blocks))) })
}

// list lists blocks first to end−1, a run within 64. It takes room for all of them at once, so that
// threads seldom write to what they share.
func (l *activeList) list(n *frontier, first, end int) {
	fresh, states := uint64(0), 0
	for block := first; block < end; block++ {
		l.blocks[block] = span{}
		if !n.fresh(block) {
			continue
		}
		fresh |= 1 << (block & 63)
		if !l.valid {
			continue
		}
		if count, groups := n.count(block); count <= groups*l.perGroup+l.perBlock {
			l.blocks[block] = span{uint32(states), uint32(count)}
			states += count
		}
	}
	if fresh != 0 {
		atomic.OrUint64(&l.fresh[first>>6], fresh)
	}
	if states == 0 {
		return
	}
	room := int(l.end.Add(int64(states))) - states
	for block := first; block < end; block++ {
		s := &l.blocks[block]
		at := room + int(s.first)
		if at+int(s.count) > len(l.states) {
			*s = span{}
		} else if s.count > 0 {
			s.first = uint32(at)
			n.list(l.listed(*s)[:0], block, 0, n.words)
		}
	}
}

func (l *activeList) listed(s span) []uint32 { return l.states[s.first:][:s.count] }
