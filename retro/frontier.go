package retro

import (
	"math/bits"
	"sync/atomic"

	"backsolve/internal/bitslice"
	"backsolve/retro/internal/work"
)

// frontier is a plane of states whose labels have not been propagated. Its summary has a bit
// for each group of 64 words, so that empty groups cost nothing.
type frontier struct {
	plane   []uint64
	summary []uint64
	words   int // of one block's slice, a power of two
	perSum  int // summary words of a block
	first   int // the first block of the plane
	ledger  *work.Ledger
	_       cacheLine // all threads read what is before, and write what is behind
	any     atomic.Bool
	states  spreadCount // published states; they decide how to propagate
}

// cacheLine keeps what is before it and what is behind it in different lines of a cache.
type cacheLine [64]byte

// spreadCount is a counter to which many threads add at once, each in a cache line that few others write to.
type spreadCount [64]struct {
	n atomic.Int64
	_ cacheLine
}

func (c *spreadCount) add(w *work.Worker, n int) { c[w.Number%len(c)].n.Add(int64(n)) }

func (c *spreadCount) sum() (sum int64) {
	for i := range c {
		sum += c[i].n.Load()
	}
	return sum
}

// raise sets a flag that many threads set. It writes once.
func raise(flag *atomic.Bool) {
	if !flag.Load() {
		flag.Store(true)
	}
}

// newFrontier has its plane allocated by a function, mostly of the ledger.
func newFrontier(l *work.Ledger, plane func(words int) ([]uint64, error), blocks, words int) (*frontier, error) {
	n := &frontier{words: words, perSum: bitslice.SummaryWords(words), ledger: l}
	var err error
	if n.plane, err = plane(blocks * words); err != nil {
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

func (n *frontier) block(block int) (plane, summary []uint64) {
	return n.plane[(block-n.first)*n.words:][:n.words], n.summary[block*n.perSum:][:n.perSum]
}

func (n *frontier) unit(u work.Units, unit int) []uint64 {
	return n.plane[unit*u.Words-n.first*n.words:][:u.Words]
}

func (n *frontier) fresh(block int) bool {
	return bitslice.Any(n.summary[block*n.perSum:][:n.perSum])
}

// empty marks the frontier as empty after all states were taken.
func (n *frontier) empty() {
	n.any.Store(false)
	n.states = spreadCount{}
}

// set adds states to a word of a block. It is safe for concurrent use.
func (n *frontier) set(block, word int, states uint64) {
	at := &n.plane[(block-n.first)*n.words+word]
	if states&^atomic.LoadUint64(at) == 0 {
		return
	}
	atomic.OrUint64(at, states)
	group := word >> bitslice.GroupBits
	sum, bit := &n.summary[block*n.perSum+group>>6], uint64(1)<<(uint(group)&63)
	if atomic.LoadUint64(sum)&bit == 0 {
		atomic.OrUint64(sum, bit)
	}
}

// add adds states that it did not have. at has the numbers of their words, counted from word first of the
// class. It is safe for concurrent use with other words.
func (n *frontier) add(w *work.Worker, first int, at []uint32, words []uint64) {
	plane, perBlock := n.plane[first-n.first*n.words:], bits.TrailingZeros(uint(n.words))
	perGroup := min(perBlock, bitslice.GroupBits)
	last, count := -1, 0
	for i, at := range at {
		if group := int(at) >> perGroup; group != last {
			last = group
			word := first + int(at)
			block, group := word>>perBlock, word&(n.words-1)>>bitslice.GroupBits
			atomic.OrUint64(&n.summary[block*n.perSum+group>>6], 1<<(uint(group)&63))
		}
		plane[at] |= words[i]
		count += bits.OnesCount64(words[i])
	}
	if count > 0 {
		raise(&n.any)
		n.states.add(w, count)
	}
}

// list appends the states in words [first, end) of a block.
func (n *frontier) list(states []uint32, block, first, end int) []uint32 {
	plane, summary := n.block(block)
	for group := first >> bitslice.GroupBits; group<<bitslice.GroupBits < end; group++ {
		if summary[group>>6]>>(uint(group)&63)&1 == 0 {
			continue
		}
		from := group << bitslice.GroupBits
		states = appendStates(states, plane[from:min(from+1<<bitslice.GroupBits, end)], uint32(from))
	}
	return states
}

func (n *frontier) count(block int) (states, marked int) {
	plane, summary := n.block(block)
	for from, to := range groups(summary, len(plane)) {
		states += countStates(plane[from:to])
		marked++
	}
	return states, marked
}

// appendStates appends the states of a group whose first word has the given number.
func appendStates(states []uint32, group []uint64, first uint32) []uint32 {
	for mask := bitslice.NonZero(group); mask != 0; mask &= mask - 1 {
		i := bits.TrailingZeros64(mask)
		for x := group[i]; x != 0; x &= x - 1 {
			states = append(states, (first+uint32(i))<<6|uint32(bits.TrailingZeros64(x)))
		}
	}
	return states
}

func (n *frontier) groups() (groups int) {
	if n.any.Load() {
		for _, s := range n.summary {
			groups += bits.OnesCount64(s)
		}
	}
	return groups
}

// publish writes the whole unit, with no states if there are none.
func (n *frontier) publish(w *work.Worker, unit int, u work.Units, states []uint64) {
	plane := n.unit(u, unit)
	clear(plane[copy(plane, states):])
	fresh, count := w.FreshMarks(len(states)), 0
	for i, x := range states {
		if x != 0 {
			mark(fresh, i)
			count += bits.OnesCount64(x)
		}
	}
	n.mark(w, unit, u, fresh, count)
}

// mark adds the summary of count states of a unit to its block's. Units may share a word of it.
func (n *frontier) mark(w *work.Worker, unit int, u work.Units, marks []uint64, count int) {
	if count == 0 {
		return
	}
	raise(&n.any)
	n.states.add(w, count)
	group := unit % u.PerBlock * u.Words >> bitslice.GroupBits
	summary := n.summary[unit/u.PerBlock*n.perSum+group>>6:]
	for i, m := range marks {
		if m != 0 {
			atomic.OrUint64(&summary[i], m<<(uint(group)&63))
		}
	}
}

func mark(summary []uint64, i int) {
	summary[i>>(bitslice.GroupBits+6)] |= 1 << (uint(i) >> bitslice.GroupBits & 63)
}

// countStates counts the states of at most a group of words.
func countStates(words []uint64) (n int) {
	for mask := bitslice.NonZero(words); mask != 0; mask &= mask - 1 {
		n += bits.OnesCount64(words[bits.TrailingZeros64(mask)])
	}
	return n
}

// take moves the summary of words [from, end) to marks, and reports whether any bit was set.
func (n *frontier) take(from, end int, marks []uint64) (any bool) {
	for block := from / n.words; block*n.words < end; block++ {
		first := max(from-block*n.words, 0) >> bitslice.GroupBits // groups of the block
		last := (min(end-block*n.words, n.words) - 1) >> bitslice.GroupBits
		for i := first >> 6; i <= last>>6; i++ {
			at := &n.summary[block*n.perSum+i]
			here := ^uint64(0)
			if low := first - i<<6; low > 0 {
				here <<= uint(low)
			}
			if high := last - i<<6; high < 63 {
				here &= 1<<uint(high+1) - 1
			}
			taken := atomic.LoadUint64(at) & here
			if taken == 0 {
				continue
			}
			any = true
			atomic.AndUint64(at, ^taken) // sections may share a block
			for ; taken != 0; taken &= taken - 1 {
				group := i<<6 | bits.TrailingZeros64(taken)
				mark(marks, block*n.words+group<<bitslice.GroupBits-from)
			}
		}
	}
	return any
}
