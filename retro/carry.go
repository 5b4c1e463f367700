package retro

import "backsolve/bitslice"

// pushShare is the share of blocks with news, one in so many, below which news
// are pushed to their parents instead of pulled by them. A pull looks at every
// link of the class; a push only at the links of what is new, but takes a lock.
const pushShare = 16

// carry brings news to the parents of the blocks they are of, and settles what
// they touch. to is the news that settle publishes to; it is empty before.
func (f *fixpoint) carry(from, to *news, settle settle) error {
	if !from.any.Load() {
		return nil
	}
	// A block of several parts is only pulled: its parts would all wait for one
	// lock.
	if fresh := f.freshBlocks(from); f.perBlock == 1 && f.pushes(len(fresh)) {
		return f.push(fresh, from, to, settle)
	}
	return f.crew.run(f.n, func(w *worker, unit int) { f.pull(w, unit, from, settle) }, nil)
}

func (f *fixpoint) pushes(fresh int) bool {
	switch f.propagation {
	case alwaysPull:
		return false
	case alwaysPush:
		return true
	}
	return fresh*pushShare < f.n
}

func (f *fixpoint) freshBlocks(n *news) []int32 {
	f.fresh = f.fresh[:0]
	for b := range len(f.class.Masks) {
		if n.fresh(b) {
			f.fresh = append(f.fresh, int32(b))
		}
	}
	return f.fresh
}

// pull lets a unit look at the news of all its children.
func (f *fixpoint) pull(w *worker, unit int, from *news, settle settle) {
	block, part := f.block(unit)
	var touched, summary []uint64
	for i := range f.linksOf(block) {
		l := &f.linksOf(block)[i]
		if !from.fresh(int(l.Block)) {
			continue
		}
		if touched == nil {
			touched = w.buffer(readBuffer, f.units.words)
			summary = w.freshSummary(f.units.words)
		}
		src, news := from.of(int(l.Block))
		w.Deliver(&l.Plan, touched, part, src, news, summary)
	}
	if touched != nil {
		settle(w, unit, touched, summary)
	}
}

// push delivers the news of the fresh blocks to their parents, which other
// workers share: each parent is written under its lock stripe. What arrives is
// gathered where the news that come of it will be published.
func (f *fixpoint) push(fresh []int32, from, to *news, settle settle) error {
	if f.parents == nil {
		f.turn()
	}
	err := f.crew.run(len(fresh), func(w *worker, i int) {
		block := int(fresh[i])
		src, news := from.of(block)
		for _, p := range f.parents[f.firstUp[block]:f.firstUp[block+1]] {
			dst, summary := to.of(int(p.block))
			lock := f.locks.of(p.block)
			lock.Lock()
			w.Deliver(&f.links[p.link].Plan, dst, bitslice.Whole(f.k), src, news, summary)
			lock.Unlock()
		}
	}, nil)
	if err != nil {
		return err
	}
	return f.crew.run(f.n, func(w *worker, block int) {
		if !to.fresh(block) {
			return
		}
		dst, gathered := to.of(block)
		touched := w.dirtyBuffer(readBuffer, f.units.words)
		copy(touched, dst)
		summary := w.freshSummary(f.units.words)
		copy(summary, gathered)
		clear(dst)
		clear(gathered)
		settle(w, block, touched, summary)
	}, nil)
}
