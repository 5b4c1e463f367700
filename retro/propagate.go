package retro

import (
	"backsolve/bitslice"
	"backsolve/retro/internal/work"
)

// pushShare is the share of blocks in the frontier, one in so many, below which
// it is pushed to the parents instead of pulled by them. A pull looks at every
// link of the class; a push only at the links of what is new, but takes a lock.
const pushShare = 16

// source is a frontier and the links along which it reaches the class in work.
type source struct {
	links *linkage
	from  *frontier
}

// propagate brings frontiers to the parents of their states, and settles what they
// touch together. to is the frontier that settle publishes to; it is empty before.
func (f *fixpoint) propagate(to *frontier, settle settle, sources ...source) error {
	var pulled []source
	pushed := false
	for _, s := range sources {
		if !s.from.any.Load() {
			continue
		}
		// A block of several parts is only pulled: its parts would all wait for one
		// lock.
		if fresh := f.freshBlocks(s); f.units.PerBlock == 1 && f.pushes(len(fresh), s.links.children) {
			if err := f.push(fresh, s, to); err != nil {
				return err
			}
			pushed = true
		} else {
			pulled = append(pulled, s)
		}
	}
	if !pushed && len(pulled) == 0 {
		return nil
	}
	return f.job.class.Pool.Run(f.units.N, func(w *work.Worker, unit int) {
		touched, summary := f.collect(w, unit, to, pulled)
		if touched != nil {
			settle(w, unit, touched, summary)
		}
	}, nil)
}

func (f *fixpoint) pushes(fresh, blocks int) bool {
	switch f.job.o.propagation {
	case alwaysPull:
		return false
	case alwaysPush:
		return true
	}
	return fresh*pushShare < blocks
}

// freshBlocks lists the blocks that have anything in a frontier.
func (f *fixpoint) freshBlocks(s source) []int32 {
	f.freshList = f.freshList[:0]
	for b := range s.links.children {
		if s.from.fresh(b) {
			f.freshList = append(f.freshList, int32(b))
		}
	}
	return f.freshList
}

// collect brings a unit together with what was pushed to it, which is taken out of
// to, and with what it pulls from the frontiers in its children. touched is nil
// where there is neither.
func (f *fixpoint) collect(w *work.Worker, unit int, to *frontier, pulled []source) (touched, summary []uint64) {
	block, part := f.units.Block(unit)
	if f.units.PerBlock == 1 && to.fresh(block) {
		gathered, marks := to.of(block)
		touched = w.Buffer(readBuffer, f.units.Words)
		summary = w.FreshSummary(f.units.Words)
		for from, end := range groups(marks, len(gathered)) {
			copy(touched[from:end], gathered[from:end])
			clear(gathered[from:end])
		}
		copy(summary, marks)
		clear(marks)
	}
	for _, s := range pulled {
		links := s.links.of(block)
		for i := range links {
			l := &links[i]
			if !s.from.fresh(int(l.Block)) {
				continue
			}
			if touched == nil {
				touched = w.Buffer(readBuffer, f.units.Words)
				summary = w.FreshSummary(f.units.Words)
			}
			src, summaryOf := s.from.of(int(l.Block))
			w.Deliver(&l.Plan, touched, part, src, summaryOf, summary)
		}
	}
	return touched, summary
}

// push delivers the frontier in the fresh blocks to their parents, which other
// workers share: each parent is written under its lock stripe. What arrives is
// gathered where what comes of it will be published.
func (f *fixpoint) push(fresh []int32, s source, to *frontier) error {
	if s.links.parents == nil {
		s.links.turn()
	}
	return f.job.class.Pool.Run(len(fresh), func(w *work.Worker, i int) {
		block := int(fresh[i])
		src, summaryOf := s.from.of(block)
		for _, p := range s.links.upFrom(block) {
			dst, summary := to.of(int(p.block))
			lock := f.locks.Of(p.block)
			lock.Lock()
			w.Deliver(&s.links.links[p.link].Plan, dst, bitslice.Whole(f.units.K), src, summaryOf, summary)
			lock.Unlock()
		}
	}, nil)
}
