package retro

import (
	"math/bits"

	"backsolve/internal/bitslice"
	"backsolve/retro/internal/work"
)

// pullCost is the cost of pulling a group of 64 words over a link, in pushed states.
const pullCost = 6

// step describes how states that a frontier reaches are labelled.
type step struct {
	// to is the frontier that label publishes to. Pushed states are gathered in it first.
	to    *frontier
	label labelFunc
	// among are the states that can be labelled.
	among []uint64
	// These say that among and to are in the order of reading, not in that of the index.
	readingAmong, readingTo bool
}

// pass is one propagation: it brings a frontier to the parents of its states and labels what it touches.
type pass struct {
	*fixpoint
	step
	pushed bool      // whether any states were
	pulled *frontier // what units read from their children, or nil
}

// propagate brings a frontier, if there is one, to the parents of its states. It labels what it touches, and
// what the step's frontier held before.
func (f *fixpoint) propagate(s step, from *frontier) {
	if f.gathered != nil {
		s.to = f.gathered
	}
	p := &pass{fixpoint: f, step: s}
	switch any := from != nil && from.any.Load(); {
	case any && p.pushes(from):
		p.push(from)
	case any:
		f.within.activeList.take(f, from)
		p.pulled = from
	case !s.to.any.Load():
		return
	}
	p.pushed = s.to.any.Load()
	s.to.empty()
	f.run(func(w *work.Worker, unit int) {
		touched, summary := p.receive(w, unit)
		if touched = p.pull(w, unit, touched, summary); touched != nil {
			s.label(w, unit, touched, summary)
		}
	})
}

// dense reports whether the non-empty groups of a frontier have that many states on average.
func (f *fixpoint) dense(from *frontier, states int64) bool {
	switch f.propagation {
	case alwaysPull:
		return true
	case alwaysPush:
		return false
	}
	return from.states.sum() >= int64(from.groups())*states
}

// pushes reports whether a frontier is pushed state by state. Where units are blocks and the
// frontier has a state a block or more, units pull from an active list instead, which
// avoids writing to shared words.
func (p *pass) pushes(from *frontier) bool {
	if p.dense(from, pullCost) {
		return false
	}
	return p.units.PerBlock > 1 || p.propagation == alwaysPush || from.states.sum() < int64(len(p.class.Masks))
}

// receive takes the states that were gathered for a unit, in the order of reading. The
// summary is empty where touched is nil.
func (p *pass) receive(w *work.Worker, unit int) (touched, summary []uint64) {
	summary = w.FreshSummary(p.units.Words)
	if !p.pushed {
		return nil, summary
	}
	home := unit
	if !p.readingTo {
		home = p.units.Mirror(unit)
	}
	marks := w.FreshMarks(p.units.Words)
	if !p.to.take(home*p.units.Words, (home+1)*p.units.Words, marks) {
		return nil, summary
	}
	touched = w.Buffer(readBuffer, p.units.Words)
	order := newOrder(p.units.K, len(touched))
	plane := p.to.unit(p.units, home)
	for from, end := range groups(marks, len(plane)) {
		for words := bitslice.NonZero(plane[from:end]); words != 0; words &= words - 1 {
			i := from + bits.TrailingZeros64(words)
			at, x := i, plane[i]
			if !p.readingTo {
				at, x = order.word(i, x)
			}
			plane[i] = 0
			touched[at] = x
			mark(summary, at)
		}
	}
	return touched, summary
}

func (p *pass) pull(w *work.Worker, unit int, touched, summary []uint64) []uint64 {
	block, part := p.units.Block(unit)
	buffer := func() []uint64 {
		if touched == nil {
			touched = w.Buffer(readBuffer, p.units.Words)
		}
		return touched
	}
	w.Parents = w.Parents[:0]
	if from, links := p.pulled, p.within; from != nil {
		w.Active = links.active(w.Active[:0], block)
		for k, number := range w.Active {
			if links.far && k+prefetchDistance < len(w.Active) {
				links.prefetch(from, w.Active[k+prefetchDistance])
			}
			l := links.links[number]
			if links.activeList.valid {
				if listed := links.activeList.blocks[l.child]; listed.count > 0 {
					links.plan(l).Up(&w.Route, int(listed.count))
					w.Parents = w.Route.AppendThrough(w.Parents, links.activeList.listed(listed))
					continue
				}
			} else if k+1 < len(w.Active) {
				next, _ := from.block(int(links.links[w.Active[k+1]].child))
				p.prefetchNext(w, next)
			}
			src, fresh := from.block(int(l.child))
			w.Deliver(links.plan(l), buffer(), part, src, fresh, summary)
		}
	}
	if len(w.Parents) > 0 {
		p.touch(w, block, buffer(), summary)
	}
	return touched
}

// touch marks the collected parents that can be labelled as touched. They are scattered over
// the block, so all reads are prefetched first.
func (p *pass) touch(w *work.Worker, block int, touched, summary []uint64) {
	among, parents, other := p.level.slice(p.among, block), w.Parents, uint32(0)
	if !p.readingAmong {
		other = 1<<uint(p.units.K) - 1
		for i := range parents {
			parents[i] ^= other
		}
	}
	bitslice.Prefetch(among, parents)
	found := 0
	for _, at := range parents {
		parents[found] = at ^ other
		found += int(among[at>>6] >> (at & 63) & 1)
	}
	for _, parent := range parents[:found] {
		touched[parent>>6] |= 1 << (parent & 63)
		mark(summary, int(parent>>6))
	}
}

// prefetchDistance is how many links ahead frontiers are prefetched. A read from memory takes
// about as long as bringing two frontiers over their links.
const prefetchDistance = 2

// prefetch prefetches the part of a frontier that a link brings.
func (l *linkage) prefetch(n *frontier, number uint32) {
	link := l.links[number]
	l.plan(link).Prefetch()
	if l.activeList.valid {
		if listed := l.activeList.blocks[link.child]; listed.count > 0 {
			bitslice.PrefetchWords(l.activeList.listed(listed))
			return
		}
	}
	words, _ := n.block(int(link.child))
	bitslice.PrefetchWords(words)
}

// pieceWords is the most words of a block that one task pushes.
const pieceWords = 1 << 13

// push brings the states of a frontier one by one to their parents. It gathers the parents
// that can be labelled, setting bits atomically, as other tasks may write to the same words.
func (p *pass) push(from *frontier) {
	links, words := p.within, from.words
	links.transpose()
	pieces := max(words/pieceWords, 1)
	p.to.any.Store(true)
	p.forEach(0, len(p.class.Masks)*pieces, func(w *work.Worker, task int) {
		block, first := task/pieces, task%pieces*pieceWords
		if !from.fresh(block) {
			return
		}
		w.States = from.list(w.States[:0], block, first, min(first+pieceWords, words))
		if len(w.States) == 0 {
			return
		}
		parents := links.upFrom(block)
		for _, parent := range parents {
			links.plans[parent.plan].Prefetch()
		}
		for atOnce := max(pushedAtOnce/len(w.States), 1); len(parents) > 0; parents = parents[min(atOnce, len(parents)):] {
			p.gather(w, parents[:min(atOnce, len(parents))])
		}
	})
}

// pushedAtOnce is the number of parents that are collected before they are read.
const pushedAtOnce = 1 << 12

// gather marks the given parents of the worker's states. It collects and
// prefetches all parents before it marks any, so that reads do not wait for writes.
func (p *pass) gather(w *work.Worker, parents []parent) {
	var toMask, amongMask uint32
	whole := uint32(1)<<uint(p.units.K) - 1
	if !p.readingTo {
		toMask = whole
	}
	if !p.readingAmong {
		amongMask = whole
	}
	w.Parents, w.Ends = w.Parents[:0], w.Ends[:0]
	for _, parent := range parents {
		first := len(w.Parents)
		if at := int(parent.block) * p.units.PerBlock; at < p.firstUnit || at >= p.endUnit {
			w.Ends = append(w.Ends, first)
			continue
		}
		p.within.plans[parent.plan].Up(&w.Route, len(w.States))
		w.Parents = w.Route.AppendThrough(w.Parents, w.States)
		w.Ends = append(w.Ends, len(w.Parents))
		found := w.Parents[first:]
		for i := range found {
			found[i] ^= amongMask
		}
		bitslice.Prefetch(p.level.slice(p.among, int(parent.block)), found)
	}
	first := 0
	for i, parent := range parents {
		if end := w.Ends[i]; end > first {
			p.mark(int(parent.block), w.Parents[first:end], amongMask^toMask)
			first = end
		}
	}
}

// mark puts into the step's frontier those states of a block that can be labelled: few, in late
// plies. Indices are in the order of among; those in the frontier differ from them by flip.
func (p *pass) mark(block int, states []uint32, flip uint32) {
	among := p.level.slice(p.among, block)
	to, _ := p.to.block(block)
	found := 0
	for _, at := range states {
		states[found] = at ^ flip
		found += int(among[at>>6] >> (at & 63) & 1)
	}
	states = states[:found]
	bitslice.Prefetch(to, states)
	for _, at := range states {
		p.to.set(block, int(at>>6), 1<<(at&63))
	}
}

// clear empties frontiers. The cost is that of their states.
func (f *fixpoint) clear(all ...*frontier) {
	for _, n := range all {
		f.forEach(0, len(n.summary), func(_ *work.Worker, i int) {
			if n.summary[i] == 0 {
				return
			}
			block, first := i/n.perSum, i%n.perSum<<(bitslice.GroupBits+6)
			plane, _ := n.block(block)
			for from, to := range groups(n.summary[i:i+1], len(plane)-first) {
				clear(plane[first+from : first+to])
			}
			n.summary[i] = 0
		})
		n.empty()
	}
}
