package retro

import (
	"math/bits"

	"backsolve/bitslice"
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

// propagate brings frontiers to the parents of their states, and solves what they
// touch together, and what has been gathered in the step's frontier before.
func (f *fixpoint) propagate(s step, sources ...source) error {
	anything := s.to.any.Load()
	for _, from := range sources {
		anything = anything || from.from.any.Load()
	}
	if !anything {
		return nil
	}
	var pulled []source
	for _, from := range sources {
		switch {
		case !from.from.any.Load():
		case f.pushes(from):
			if err := f.push(from, &s); err != nil {
				return err
			}
		default:
			if err := from.links.activeList.take(f, from.from); err != nil {
				return err
			}
			pulled = append(pulled, from)
		}
	}
	gathered := s.to.any.Load()
	s.to.empty()
	return f.job.class.Pool.Run(f.units.N, func(w *work.Worker, unit int) {
		touched, summary := f.receive(w, unit, &s, gathered)
		if touched = f.pull(w, unit, &s, touched, summary, pulled); touched != nil {
			s.label(w, unit, touched, summary)
		}
	}, nil)
}

// dense says whether a frontier has so many states a group, on the average of those that
// have any.
func (f *fixpoint) dense(s source, states int64) bool {
	switch f.job.o.propagation {
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
func (f *fixpoint) pushes(s source) bool {
	if f.dense(s, pullCost) {
		return false
	}
	return f.units.PerBlock > 1 || f.job.o.propagation == alwaysPush || s.from.states.Load() < int64(s.links.children)
}

// receive takes what was gathered for a unit, into the order of reading. The summary is
// empty where touched is nil.
func (f *fixpoint) receive(w *work.Worker, unit int, s *step, gathered bool) (touched, summary []uint64) {
	summary = w.FreshSummary(f.units.Words)
	if !gathered {
		return nil, summary
	}
	home := unit
	if !s.readingTo {
		home = f.mirrored(unit)
	}
	marks := w.FreshMarks(f.units.Words)
	if !s.to.take(home*f.units.Words, (home+1)*f.units.Words, marks) {
		return nil, summary
	}
	touched = w.Buffer(readBuffer, f.units.Words)
	order := f.order(len(touched))
	plane := f.units.Of(s.to.plane, home)
	for from, end := range groups(marks, len(plane)) {
		for words := bitslice.NonZero(plane[from:end]); words != 0; words &= words - 1 {
			i := from + bits.TrailingZeros64(words)
			at, x := i, plane[i]
			if !s.readingTo {
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
func (f *fixpoint) pull(w *work.Worker, unit int, s *step, touched, summary []uint64, sources []source) []uint64 {
	block, part := f.units.Block(unit)
	buffer := func() []uint64 {
		if touched == nil {
			touched = w.Buffer(readBuffer, f.units.Words)
		}
		return touched
	}
	w.Parents = w.Parents[:0]
	for i := range sources {
		from, links := sources[i].from, sources[i].links
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
				f.prefetchNext(w, next)
			}
			src, summaryOf := from.of(int(l.child))
			w.Deliver(links.plan(l), buffer(), part, src, summaryOf, summary)
		}
	}
	if len(w.Parents) > 0 {
		f.touch(w, s, block, buffer(), summary)
	}
	return touched
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
const pieceWords = 1 << work.StandardPartBits

// push delivers the states of a frontier one by one to their parents, and gathers there
// what the step is interested in. Others may write to the same parents, so bits are set
// atomically.
func (f *fixpoint) push(s source, to *step) error {
	if s.links.firstUp == nil {
		s.links.transpose()
	}
	words := s.from.words
	pieces := max(words/pieceWords, 1)
	to.to.any.Store(true)
	return f.job.class.Pool.Run(s.links.children*pieces, func(w *work.Worker, task int) {
		block, first := task/pieces, task%pieces*pieceWords
		if !s.from.fresh(block) {
			return
		}
		w.States = s.from.list(w.States[:0], block, first, min(first+pieceWords, words))
		if len(w.States) == 0 {
			return
		}
		parents := s.links.upFrom(block)
		for _, p := range parents {
			s.links.plans[p.plan].Prefetch()
		}
		for atOnce := max(pushedAtOnce/len(w.States), 1); len(parents) > 0; parents = parents[min(atOnce, len(parents)):] {
			f.gather(w, to, s.links, parents[:min(atOnce, len(parents))])
		}
	}, nil)
}

// pushedAtOnce is how many parents of states are collected before they are looked at.
const pushedAtOnce = 1 << 12

// gather notes those parents of the worker's states over some links as touched in which
// the step is interested. What is read of all of them is asked for first, and they are
// found before any is noted: what is read at once need not wait for what others write.
func (f *fixpoint) gather(w *work.Worker, s *step, links *linkage, parents []parent) {
	var toMask, amongMask uint32
	whole := uint32(1)<<uint(f.units.K) - 1
	if !s.readingTo {
		toMask = whole
	}
	if !s.readingAmong {
		amongMask = whole
	}
	w.Parents, w.Ends = w.Parents[:0], w.Ends[:0]
	for _, p := range parents {
		links.plans[p.plan].Up(&w.Route, len(w.States))
		first := len(w.Parents)
		w.Parents = w.Route.AppendThrough(w.Parents, w.States)
		w.Ends = append(w.Ends, len(w.Parents))
		found := w.Parents[first:]
		for i := range found {
			found[i] ^= amongMask
		}
		bitslice.Prefetch(f.job.level.slice(s.among, int(p.block)), found)
	}
	first := 0
	for i, p := range parents {
		f.note(s, int(p.block), w.Parents[first:w.Ends[i]], amongMask^toMask)
		first = w.Ends[i]
	}
}

// note notes those states of a block as touched in which the step is interested, of
// which it is told where they lie among these, and what of that differs in what notes.
// Few are of interest in late plies, so only of these is it asked whether they have been
// noted before.
func (f *fixpoint) note(s *step, block int, states []uint32, differs uint32) {
	among, to := f.job.level.slice(s.among, block), f.job.level.slice(s.to.plane, block)
	found := 0
	for _, at := range states {
		states[found] = at ^ differs
		found += int(among[at>>6] >> (at & 63) & 1)
	}
	states = states[:found]
	bitslice.Prefetch(to, states)
	for _, at := range states {
		s.to.set(block, int(at>>6), 1<<(at&63))
	}
}
