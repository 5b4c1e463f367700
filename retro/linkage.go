package retro

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"backsolve/internal/bitslice"
	"backsolve/internal/memory"
	"backsolve/internal/plan"
	"backsolve/retro/internal/work"
)

// linkage has, both ways, the links inside a class.
type linkage struct {
	job        *job
	children   int  // blocks of the class
	far        bool // whether whole slices of planes are read that exceed a core's caches
	links      []link
	plans      []bitslice.Plan
	firstBlock int
	first      []uint32 // block firstBlock+b's links are links[first[b]:first[b+1]]
	parents    []parent // empty before transpose
	firstUp    []uint32 // child c's parents are parents[firstUp[c]:firstUp[c+1]]
	transposed bool
	booked     int64
	activeList activeList // of the frontier that is pulled
}

// link is a link from a block, and parent the reverse. Links share plans.
type (
	link   struct{ child, plan uint32 }
	parent struct{ block, plan uint32 }
)

// newLinkage lists the links of blocks firstBlock to endBlock−1 of a class to blocks of it. Frontiers that
// are pulled have states in at most the given number of words.
func newLinkage(j *job, words, firstBlock, endBlock int) (*linkage, error) {
	l := &linkage{job: j, children: len(j.class.Masks), firstBlock: firstBlock}
	l.far = l.children*j.class.Words() >= j.farWords && j.unitsOf(j.class.Class).PerBlock == 1
	if err := l.list(int64(words), endBlock-firstBlock); err != nil {
		l.free()
		return nil, err
	}
	return l, nil
}

// count finds where the links of each block are.
func (l *linkage) count(blocks int) (err error) {
	c := l.job.class
	if err = l.book(plan.LinkageBytes(int64(blocks), int64(l.children))); err != nil {
		return err
	}
	if l.first, err = memory.NewArray[uint32](blocks + 1); err != nil {
		return err
	}
	err = c.Pool.Run(0, blocks, func(w *work.Worker, b int) {
		w.Moves = c.Cut.Moves(c.Masks[l.firstBlock+b], w.Moves[:0])
		for _, m := range w.Moves {
			if m.Within {
				l.first[b+1]++
			}
		}
	}, nil)
	links := uint64(0)
	for b := range blocks {
		links += uint64(l.first[b+1])
		l.first[b+1] += l.first[b]
	}
	if err == nil && links > math.MaxUint32 {
		err = fmt.Errorf("class %d has %d links, more than can be numbered", c.Class.Class, links)
	}
	return err
}

// list lists the links and makes their plans. Where not all blocks have any, those of a block are in
// the order of their children.
func (l *linkage) list(words int64, blocks int) error {
	j := l.job
	if err := l.count(blocks); err != nil {
		return err
	}
	if err := l.allocate(words); err != nil {
		return err
	}
	if err := l.book(4 * plan.MapSlots(int64(len(l.links)))); err != nil {
		return err
	}
	t, err := newPlanTable(len(l.links), len(j.class.Pool.Workers))
	if err != nil {
		return err
	}
	l.plans = t.plans
	err = j.class.Pool.Run(0, blocks, func(w *work.Worker, b int) {
		var err error
		at := l.first[b]
		w.Moves, err = j.class.Cut.EachMap(j.class.Class.Class, l.firstBlock+b, true, 0, math.MaxInt, w.Moves, func(child int, m *bitslice.IndexMap) {
			l.links[at] = link{uint32(child), t.number(w, m)}
			at++
		})
		j.class.Pool.Fail(err)
		if blocks < len(j.class.Masks) {
			slices.SortFunc(l.block(l.firstBlock+b), func(a, b link) int { return cmp.Compare(a.child, b.child) })
		}
	}, nil)
	memory.FreeArray(t.slots)
	if err != nil {
		return err
	}
	return l.book(t.made() * planBytes)
}

func (l *linkage) book(bytes int64) error {
	err := l.job.ledger.Reserve(bytes)
	if err == nil {
		l.booked += bytes
	}
	return err
}

// allocate allocates the arrays outside the heap. On the heap they would let garbage grow in
// proportion, which no reservation covers.
func (l *linkage) allocate(words int64) (err error) {
	links := int(l.first[len(l.first)-1])
	if err = l.book(int64(links)*plan.LinkBytes + plan.ActiveListBytes(int64(l.children), words)); err != nil {
		return err
	}
	if l.firstUp, err = memory.NewArray[uint32](l.children + 2); err != nil {
		return err
	}
	if l.links, err = memory.NewArray[link](links); err != nil {
		return err
	}
	if l.parents, err = memory.NewArray[parent](links); err != nil {
		return err
	}
	return l.activeList.allocate(l.children, words)
}

func (l *linkage) block(block int) []link {
	b := block - l.firstBlock
	return l.links[l.first[b]:l.first[b+1]]
}

// reaching returns a block's links to blocks reach[0] to reach[1]−1: all, or a run of those in the
// order of their children.
func (l *linkage) reaching(block int, reach [2]int) []link {
	links := l.block(block)
	for len(links) > 0 && int(links[0].child) < reach[0] {
		links = links[1:]
	}
	for len(links) > 0 && int(links[len(links)-1].child) >= reach[1] {
		links = links[:len(links)-1]
	}
	return links
}

func (l *linkage) plan(of link) *bitslice.Plan { return &l.plans[of.plan] }

// needs appends for each link of a block the index bits that a state must have set.
func (l *linkage) needs(needs []uint32, block int) []uint32 {
	for _, of := range l.block(block) {
		needs = append(needs, l.plan(of).Needs())
	}
	return needs
}

// active appends the numbers of those links of a block whose children are in the active list.
func (l *linkage) active(numbers []uint32, block int) []uint32 {
	b := block - l.firstBlock
	for i := l.first[b]; i < l.first[b+1]; i++ {
		if c := l.links[i].child; l.activeList.fresh[c>>6]>>(c&63)&1 == 1 {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

// upFrom returns the parents of a child, after transpose.
func (l *linkage) upFrom(child int) []parent {
	return l.parents[l.firstUp[child]:l.firstUp[child+1]]
}

// transpose lists the links by child, once. The order of a child's parents depends on the threads.
func (l *linkage) transpose() {
	if l.transposed {
		return
	}
	first := l.firstUp
	each := func(do func(block int, of link)) {
		l.job.forEach(l.firstBlock, l.firstBlock+len(l.first)-1, func(_ *work.Worker, block int) {
			for _, of := range l.block(block) {
				do(block, of)
			}
		})
	}
	each(func(_ int, of link) { atomic.AddUint32(&first[of.child+2], 1) })
	for c := range l.children {
		first[c+2] += first[c+1]
	}
	l.transposed = true
	each(func(block int, of link) {
		l.parents[atomic.AddUint32(&first[of.child+1], 1)-1] = parent{uint32(block), of.plan}
	})
}

func (l *linkage) free() {
	if l == nil {
		return
	}
	l.job.ledger.Release(l.booked)
	memory.FreeArray(l.first)
	memory.FreeArray(l.firstUp)
	memory.FreeArray(l.links)
	memory.FreeArray(l.plans)
	memory.FreeArray(l.parents)
	memory.FreeArray(l.activeList.fresh)
	memory.FreeArray(l.activeList.blocks)
	memory.FreeArray(l.activeList.states)
}
