package retro

import (
	"backsolve/bitslice"
	"backsolve/retro/internal/work"
)

// pushShare is the share of blocks in the frontier, one in so many, below which
// it is pushed to the parents instead of pulled by them. A pull looks at every
// link of the class; a push only at the links of what is new, but takes a lock.
const pushShare = 16

// propagate brings a frontier to the parents of its states, and settles what it
// touches. to is the frontier that settle publishes to; it is empty before.
func (f *fixpoint) propagate(from, to *frontier, settle settle) error {
	if !from.any.Load() {
		return nil
	}
	// A block of several parts is only pulled: its parts would all wait for one
	// lock.
	if fresh := f.freshBlocks(from); f.units.PerBlock == 1 && f.pushes(len(fresh)) {
		return f.push(fresh, from, to, settle)
	}
	return f.job.class.Pool.Run(f.units.N, func(w *work.Worker, unit int) { f.pull(w, unit, from, settle) }, nil)
}

func (f *fixpoint) pushes(fresh int) bool {
	switch f.job.o.propagation {
	case alwaysPull:
		return false
	case alwaysPush:
		return true
	}
	return fresh*pushShare < f.units.N
}

func (f *fixpoint) freshBlocks(n *frontier) []int32 {
	f.freshList = f.freshList[:0]
	for b := range len(f.job.class.Masks) {
		if n.fresh(b) {
			f.freshList = append(f.freshList, int32(b))
		}
	}
	return f.freshList
}

// pull lets a unit look at the frontier in all its children.
func (f *fixpoint) pull(w *work.Worker, unit int, from *frontier, settle settle) {
	block, part := f.units.Block(unit)
	var touched, summary []uint64
	for i := range f.linksOf(block) {
		l := &f.linksOf(block)[i]
		if !from.fresh(int(l.Block)) {
			continue
		}
		if touched == nil {
			touched = w.Buffer(readBuffer, f.units.Words)
			summary = w.FreshSummary(f.units.Words)
		}
		src, summaryOf := from.of(int(l.Block))
		w.Deliver(&l.Plan, touched, part, src, summaryOf, summary)
	}
	if touched != nil {
		settle(w, unit, touched, summary)
	}
}

// push delivers the frontier in the fresh blocks to their parents, which other
// workers share: each parent is written under its lock stripe. What arrives is
// gathered where what comes of it will be published.
func (f *fixpoint) push(fresh []int32, from, to *frontier, settle settle) error {
	if f.parents == nil {
		f.turn()
	}
	err := f.job.class.Pool.Run(len(fresh), func(w *work.Worker, i int) {
		block := int(fresh[i])
		src, summaryOf := from.of(block)
		for _, p := range f.parents[f.firstUp[block]:f.firstUp[block+1]] {
			dst, summary := to.of(int(p.block))
			lock := f.locks.Of(p.block)
			lock.Lock()
			w.Deliver(&f.links[p.link].Plan, dst, bitslice.Whole(f.units.K), src, summaryOf, summary)
			lock.Unlock()
		}
	}, nil)
	if err != nil {
		return err
	}
	return f.job.class.Pool.Run(f.units.N, func(w *work.Worker, block int) {
		if !to.fresh(block) {
			return
		}
		dst, gathered := to.of(block)
		touched := w.DirtyBuffer(readBuffer, f.units.Words)
		copy(touched, dst)
		summary := w.FreshSummary(f.units.Words)
		copy(summary, gathered)
		clear(dst)
		clear(gathered)
		settle(w, block, touched, summary)
	}, nil)
}
