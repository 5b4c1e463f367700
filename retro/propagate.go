package retro

import (
	"math/bits"

	"backsolve/bitslice"
	"backsolve/plan"
	"backsolve/retro/internal/work"
)

// pullCost is what it costs to pull a group of 64 words over a link, in states that are
// pushed over one.
const pullCost = 6

// source is a frontier and the links along which it reaches the class in work.
type source struct {
	links *linkage
	from  *frontier
}

// step says what becomes of the states that a frontier reaches.
type step struct {
	// to is the frontier that solve publishes to. It is empty before, and what is pushed
	// is gathered in it.
	to    *frontier
	label labelFunc
	// among has those states that are of interest.
	among []uint64
	// They and the frontier may be in the order of reading, not of the index.
	readingAmong, readingTo bool
}

// pass is one propagation: it brings frontiers to the parents of their states and labels
// what they touch.
type pass struct {
	*fixpoint
	step
	gathered bool     // whether states were pushed
	pulled   []source // the frontiers that units look up in their children
}

// propagate brings frontiers to the parents of their states. It labels what they touch
// and what was put into the step's frontier before.
func (f *fixpoint) propagate(s step, sources ...source) error {
	p := &pass{fixpoint: f, step: s}
	anything := s.to.any.Load()
	for _, from := range sources {
		if !from.from.any.Load() {
			continue
		}
		anything = true
		if p.pushes(from) {
			if err := p.push(from); err != nil {
				return err
			}
			continue
		}
		if err := from.links.activeList.take(f, from.from); err != nil {
			return err
		}
		p.pulled = append(p.pulled, from)
	}
	if !anything {
		return nil
	}
	p.gathered = s.to.any.Load()
	s.to.empty()
	return f.class.Pool.Run(f.units.N, func(w *work.Worker, unit int) {
		touched, summary := p.receive(w, unit)
		if touched = p.pull(w, unit, touched, summary); touched != nil {
			s.label(w, unit, touched, summary)
		}
	}, nil)
}

// dense says whether a frontier has so many states a group, on the average of those that
// have any.
func (f *fixpoint) dense(s source, states int64) bool {
	switch f.propagation {
	case alwaysPull:
		return true
	case alwaysPush:
		return false
	}
	return s.from.states.Load() >= int64(s.from.groups())*states
}

// pushes says whether a frontier is pushed state by state. Where the units are blocks, one
// that has a state a block or more is listed instead: each unit looks at the states of its
// children, and touches nothing that others do.
func (p *pass) pushes(s source) bool {
	if p.dense(s, pullCost) {
		return false
	}
	return p.units.PerBlock > 1 || p.propagation == alwaysPush || s.from.states.Load() < int64(s.links.children)
}

// receive takes what was gathered for a unit, into the order of reading. The summary is
// empty where touched is nil.
func (p *pass) receive(w *work.Worker, unit int) (touched, summary []uint64) {
	summary = w.FreshSummary(p.units.Words)
	if !p.gathered {
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
	plane := p.units.Of(p.to.plane, home)
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

// pull lets a unit look at frontiers in all its children.
func (p *pass) pull(w *work.Worker, unit int, touched, summary []uint64) []uint64 {
	block, part := p.units.Block(unit)
	buffer := func() []uint64 {
		if touched == nil {
			touched = w.Buffer(readBuffer, p.units.Words)
		}
		return touched
	}
	w.Parents = w.Parents[:0]
	for _, source := range p.pulled {
		from, links := source.from, source.links
		w.Active = links.active(w.Active[:0], block)
		for k, number := range w.Active {
			if links.far && k+prefetchDistance < len(w.Active) {
				links.prefetch(from, w.Active[k+prefetchDistance])
			}
			l := links.links[number]
			if links.activeList.valid {
				if listed := links.activeList.blocks[l.child]; listed.count > 0 {
					aim(w, links.plan(l), links.activeList.of(listed))
					continue
				}
			} else if k+1 < len(w.Active) {
				next, _ := from.of(int(links.links[w.Active[k+1]].child))
				p.prefetchNext(w, next)
			}
			src, summaryOf := from.of(int(l.child))
			w.Deliver(links.plan(l), buffer(), part, src, summaryOf, summary)
		}
	}
	if len(w.Parents) > 0 {
		p.touch(w, block, buffer(), summary)
	}
	return touched
}

// touch notes those of the collected parents in a block as touched in which the step is
// interested. They lie all over the block: all that is read of them is asked for at once.
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

// prefetchDistance is by how many links what is brought over one is asked for before: waiting for
// memory takes about as long as bringing it over two.
const prefetchDistance = 2

// prefetch prefetches what a link will bring of a frontier.
func (l *linkage) prefetch(n *frontier, number uint32) {
	of := l.links[number]
	l.plan(of).Prefetch()
	if l.activeList.valid {
		if listed := l.activeList.blocks[of.child]; listed.count > 0 {
			bitslice.PrefetchWords(l.activeList.of(listed))
			return
		}
	}
	words, _ := n.of(int(of.child))
	bitslice.PrefetchWords(words)
}

// pieceWords is how much of a block one task pushes at most.
const pieceWords = 1 << plan.PartBits

// push delivers the states of a frontier one by one to their parents, and gathers there
// what the step is interested in. Others may write to the same parents, so bits are set
// atomically.
func (p *pass) push(s source) error {
	if s.links.firstUp == nil {
		s.links.transpose()
	}
	words := s.from.words
	pieces := max(words/pieceWords, 1)
	p.to.any.Store(true)
	return p.class.Pool.Run(s.links.children*pieces, func(w *work.Worker, task int) {
		block, first := task/pieces, task%pieces*pieceWords
		if !s.from.fresh(block) {
			return
		}
		w.States = s.from.list(w.States[:0], block, first, min(first+pieceWords, words))
		if len(w.States) == 0 {
			return
		}
		parents := s.links.upFrom(block)
		for _, parent := range parents {
			s.links.plans[parent.plan].Prefetch()
		}
		for atOnce := max(pushedAtOnce/len(w.States), 1); len(parents) > 0; parents = parents[min(atOnce, len(parents)):] {
			p.gather(w, s.links, parents[:min(atOnce, len(parents))])
		}
	}, nil)
}

// pushedAtOnce is how many parents of states are collected before they are looked at.
const pushedAtOnce = 1 << 12

// gather notes those parents of the worker's states over some links as touched in which
// the step is interested. What is read of all of them is asked for first, and they are
// found before any is noted: what is read at once need not wait for what others write.
func (p *pass) gather(w *work.Worker, links *linkage, parents []parent) {
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
		links.plans[parent.plan].Up(&w.Route, len(w.States))
		first := len(w.Parents)
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
		p.note(int(parent.block), w.Parents[first:w.Ends[i]], amongMask^toMask)
		first = w.Ends[i]
	}
}

// note notes those states of a block as touched in which the step is interested, of
// which it is told where they lie among these, and what of that differs in what notes.
// Few are of interest in late plies, so only of these is it asked whether they have been
// noted before.
func (p *pass) note(block int, states []uint32, differs uint32) {
	among, to := p.level.slice(p.among, block), p.level.slice(p.to.plane, block)
	found := 0
	for _, at := range states {
		states[found] = at ^ differs
		found += int(among[at>>6] >> (at & 63) & 1)
	}
	states = states[:found]
	bitslice.Prefetch(to, states)
	for _, at := range states {
		p.to.set(block, int(at>>6), 1<<(at&63))
	}
}

// clear empties frontiers, at the cost of what is in them.
func (f *fixpoint) clear(all ...*frontier) error {
	for _, n := range all {
		err := f.class.Pool.Run(len(n.summary)/n.perSum, func(_ *work.Worker, block int) {
			plane, summary := n.of(block)
			for from, to := range groups(summary, len(plane)) {
				clear(plane[from:to])
			}
			clear(summary)
		}, nil)
		if err != nil {
			return err
		}
		n.empty()
	}
	return nil
}
