package retro

import (
	"sync"
	"sync/atomic"

	"backsolve/bitslice"
)

// news is a plane of states that have just been labelled, with a summary that
// has a bit for each 64 words, so that an untouched stretch costs nothing.
type news struct {
	plane   []uint64
	summary []uint64
	words   int // of one block's slice
	perSum  int // summary words of a block
	any     atomic.Bool
	ledger  *ledger
}

func newNews(l *ledger, blocks, words int) (*news, error) {
	n := &news{words: words, perSum: bitslice.SummaryWords(words), ledger: l}
	var err error
	if n.plane, err = l.plane(blocks * words); err != nil {
		return nil, err
	}
	if n.summary, err = l.plane(blocks * n.perSum); err != nil {
		l.free(n.plane)
		return nil, err
	}
	return n, nil
}

func (n *news) free() {
	if n != nil {
		n.ledger.free(n.plane)
		n.ledger.free(n.summary)
	}
}

// of returns a block's news and their summary.
func (n *news) of(block int) (plane, summary []uint64) {
	return n.plane[block*n.words:][:n.words], n.summary[block*n.perSum:][:n.perSum]
}

// fresh reports whether there are any of a block.
func (n *news) fresh(block int) bool {
	return bitslice.Any(n.summary[block*n.perSum:][:n.perSum])
}

// clear forgets news, at the cost of what there are.
func (f *fixpoint) clear(all ...*news) error {
	for _, n := range all {
		err := f.crew.run(len(f.class.Masks), func(_ *worker, block int) {
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

// publish makes a unit's states news.
func (n *news) publish(w *worker, unit int, u units, states []uint64) {
	copy(u.of(n.plane, unit), states)
	fresh := w.freshMarks(len(states))
	for i, x := range states {
		if x != 0 {
			mark(fresh, i)
		}
	}
	n.mark(unit, u, fresh)
}

// mark adds a summary of a unit to that of its block, which it may share with
// other units in a word.
func (n *news) mark(unit int, u units, marks []uint64) {
	group := unit % u.perBlock * u.words >> bitslice.GroupBits
	summary := n.summary[unit/u.perBlock*n.perSum+group>>6:]
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

// stripes are locks shared by the blocks of a class, each by every so-manyth
// block.
type stripes []sync.Mutex

func (s stripes) of(block uint32) *sync.Mutex {
	return &s[block%uint32(len(s))]
}
