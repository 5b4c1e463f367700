package retro

import (
	"math/bits"
	"sync/atomic"

	"backsolve/partition"
	"backsolve/retro/internal/work"
)

// listCost is what it costs to bring a group of 64 words over a link, in states of a
// listing that are brought over one.
const listCost = 16

// listing has the states of a frontier one by one, block by block, so that whoever has
// few to look at need not look at groups of words.
type listing struct {
	blocks []span
	states []uint32
	end    atomic.Int64
	valid  bool // it is of the frontier in work
}

// span is a stretch of a listing.
type span struct{ first, count uint32 }

// listingStates is how many states of planes of so many words are listed at most: where
// there are more, words are cheaper on the average.
func listingStates(words int64) int64 { return min(words/64*listCost+64, 1<<32-1) }

// listingBytes is the memory of a listing of so many blocks with so many words in all.
func listingBytes(blocks, words int64) int64 { return 8*blocks + 4*listingStates(words) }

// take lists a frontier, if it is not too much. Where units are parts of blocks it is of no
// use: each part would go through all states of its children.
func (l *listing) take(f *fixpoint, n *frontier) error {
	l.valid = f.units.PerBlock == 1 && n.states.Load() <= int64(len(l.states))
	if !l.valid {
		return nil
	}
	l.end.Store(0)
	return f.job.class.Pool.Run(len(l.blocks), func(w *work.Worker, block int) {
		w.States = n.list(w.States[:0], block, 0, n.words)
		first := l.end.Add(int64(len(w.States))) - int64(len(w.States))
		copy(l.states[first:], w.States)
		l.blocks[block] = span{uint32(first), uint32(len(w.States))}
	}, nil)
}

// of returns a block's states.
func (l *listing) of(block int) []uint32 {
	s := l.blocks[block]
	return l.states[s.first:][:s.count]
}

// few returns a block's states if they are so few that they are better brought one by
// one than by words.
func (s *source) few(block int) (states []uint32, few bool) {
	l := &s.links.listing
	if !l.valid {
		return nil, false
	}
	_, summary := s.from.of(block)
	groups := 0
	for _, x := range summary {
		groups += bits.OnesCount64(x)
	}
	states = l.of(block)
	return states, len(states) < groups*listCost
}

// deliver brings listed states over a link to a block, and notes there what they touch and
// the step is interested in.
func (f *fixpoint) deliver(w *work.Worker, s *step, block int, link *partition.Link, states []uint32, touched, summary []uint64) {
	among, other := f.job.level.slice(s.among, block), uint32(0)
	if !s.readingAmong && f.job.class.Cut.Reversed {
		other = 1<<uint(f.units.K) - 1
	}
	link.Plan.Up(&w.Route, len(states))
	for _, state := range states {
		parent, ok := w.Route.Through(state)
		if !ok {
			continue
		}
		if at := parent ^ other; among[at>>6]>>(at&63)&1 == 1 {
			touched[parent>>6] |= 1 << (parent & 63)
			mark(summary, int(parent>>6))
		}
	}
}
