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
	f.forEach(0, len(l.blocks), func(_ *work.Worker, block int) {
		if n.fresh(block) {
			atomic.OrUint64(&l.fresh[block>>6], 1<<(block&63))
			if l.valid {
				l.list(n, block)
			}
		}
	})
}

func (l *activeList) list(n *frontier, block int) {
	l.blocks[block] = span{}
	states, groups := n.count(block)
	if states > groups*l.perGroup+l.perBlock {
		return
	}
	first := l.end.Add(int64(states)) - int64(states)
	if first+int64(states) > int64(len(l.states)) {
		return
	}
	n.list(l.states[first:first:first+int64(states)], block, 0, n.words)
	l.blocks[block] = span{uint32(first), uint32(states)}
}

func (l *activeList) listed(s span) []uint32 { return l.states[s.first:][:s.count] }
