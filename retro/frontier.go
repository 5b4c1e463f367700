package retro

import (
	"sync/atomic"

	"backsolve/bitslice"
	"backsolve/retro/internal/work"
)

// frontier is a plane of states that have just been labelled and whose labels have
// not been propagated, with a summary that
// has a bit for each 64 words, so that an untouched stretch costs nothing.
type frontier struct {
	plane   []uint64
	summary []uint64
	words   int // of one block's slice
	perSum  int // summary words of a block
	any     atomic.Bool
	ledger  *work.Ledger
}

func newFrontier(l *work.Ledger, blocks, words int) (*frontier, error) {
	n := &frontier{words: words, perSum: bitslice.SummaryWords(words), ledger: l}
	var err error
	if n.plane, err = l.Plane(blocks * words); err != nil {
		return nil, err
	}
	if n.summary, err = l.Plane(blocks * n.perSum); err != nil {
		l.Free(n.plane)
		return nil, err
	}
	return n, nil
}

func (n *frontier) free() {
	if n != nil {
		n.ledger.Free(n.plane)
		n.ledger.Free(n.summary)
	}
}

// of returns a block's frontier and its summary.
func (n *frontier) of(block int) (plane, summary []uint64) {
	return n.plane[block*n.words:][:n.words], n.summary[block*n.perSum:][:n.perSum]
}

// fresh reports whether there are any of a block.
func (n *frontier) fresh(block int) bool {
	return bitslice.Any(n.summary[block*n.perSum:][:n.perSum])
}

// clear empties frontiers, at the cost of what is in them.
func (f *fixpoint) clear(all ...*frontier) error {
	for _, n := range all {
		err := f.job.class.Pool.Run(len(n.summary)/n.perSum, func(_ *work.Worker, block int) {
			plane, summary := n.of(block)
			for from, to := range groups(summary, len(plane)) {
				clear(plane[from:to])
			}
			clear(summary)
		}, nil)
		if err != nil {
			return err
		}
		n.any.Store(false)
	}
	return nil
}

// publish puts a unit's states, which had none there, into the frontier.
func (n *frontier) publish(w *work.Worker, unit int, u work.Units, states []uint64) {
	copy(u.Of(n.plane, unit), states)
	fresh := w.FreshMarks(len(states))
	for i, x := range states {
		if x != 0 {
			mark(fresh, i)
		}
	}
	n.mark(unit, u, fresh)
}

// mark adds a summary of a unit to that of its block, which it may share with
// other units in a word.
func (n *frontier) mark(unit int, u work.Units, marks []uint64) {
	group := unit % u.PerBlock * u.Words >> bitslice.GroupBits
	summary := n.summary[unit/u.PerBlock*n.perSum+group>>6:]
	for i, m := range marks {
		if m != 0 {
			atomic.OrUint64(&summary[i], m<<(uint(group)&63))
			n.any.Store(true)
		}
	}
}

// mark sets the bit of word i in a summary.
func mark(summary []uint64, i int) {
	summary[i>>(bitslice.GroupBits+6)] |= 1 << (uint(i) >> bitslice.GroupBits & 63)
}
