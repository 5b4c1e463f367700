package retro

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"backsolve/bitboard"
)

// news is a plane of states that have just been labelled, with a summary that
// has a bit for each 64 words, so that an untouched stretch costs nothing.
type news struct {
	plane   []uint64
	summary []uint64
	words   int // of one block's slice
	perSum  int // summary words of a block
	count   atomic.Int64
	ledger  *ledger
}

func newNews(l *ledger, blocks, words int) (*news, error) {
	n := &news{words: words, perSum: bitboard.SummaryWords(words), ledger: l}
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
	return bitboard.Any(n.summary[block*n.perSum:][:n.perSum])
}

// clear forgets the news, at the cost of what there are.
func (n *news) clear() {
	for i, s := range n.summary {
		if s == 0 {
			continue
		}
		block, sum := i/n.perSum, i%n.perSum
		plane := n.plane[block*n.words:][:n.words]
		for g := range 64 {
			if s>>uint(g)&1 == 1 {
				at := (sum<<6 | g) << bitboard.GroupBits
				clear(plane[at:min(at+1<<bitboard.GroupBits, n.words)])
			}
		}
		n.summary[i] = 0
	}
	n.count.Store(0)
}

// publish adds a unit's states to the news.
func (n *news) publish(unit int, u units, states []uint64) {
	plane := u.of(n.plane, unit)
	sum := n.unitSummary(unit, u)
	count := 0
	for i, x := range states {
		if x != 0 {
			plane[i] |= x
			sum[i>>12] |= 1 << (uint(i) >> bitboard.GroupBits & 63)
			count += bits.OnesCount64(x)
		}
	}
	if count > 0 {
		n.count.Add(int64(count))
	}
}

func (n *news) unitSummary(unit int, u units) []uint64 {
	return n.summary[unit*bitboard.SummaryWords(u.words):][:bitboard.SummaryWords(u.words)]
}

// stripes are locks shared by the blocks of a class, each by every so-manyth
// block.
type stripes []sync.Mutex

func (s stripes) of(block uint32) *sync.Mutex {
	return &s[block%uint32(len(s))]
}
