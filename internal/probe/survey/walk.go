package survey

import (
	"context"
	"iter"
	"math/bits"
	"math/rand/v2"
	"sync"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/partition"
	"backsolve/tablebase"
)

// WalkOptions say which states a walk visits.
type WalkOptions struct {
	// Sample is the number of random states that are drawn with replacement from each
	// stratum, uniformly. A stratum with no more states is visited completely, each state
	// once. 0 visits every stored state once.
	Sample uint64
	// Seed chooses the sample.
	Seed uint64
	// Threads is the number of threads, 0 for all cores.
	Threads int
	// Progress, unless nil, gets the number of visited states, from one goroutine at a
	// time.
	Progress func(done, total uint64)
}

// Walk visits the states of a table with the values of their moves. Each thread calls work
// several times; together, the calls get every state, in any order. A visit is valid until
// the next one.
//
// The error is that of work, of reading the table, or the cause of ctx. A table
// whose moves do not lead to the stored values is damaged.
func Walk(ctx context.Context, t *probe.Table, o WalkOptions, work func(visits iter.Seq[*Visit]) error) error {
	o.Threads = threadsOrAll(o.Threads)
	w := &walk{table: t, space: t.Space(), options: o, work: work, strata: Strata(t)}
	if o.Sample > 0 {
		return w.draw(ctx)
	}
	return w.every(ctx)
}

// walk is a running walk. The lock guards the progress.
type walk struct {
	table   *probe.Table
	space   *partition.Space
	options WalkOptions
	work    func(visits iter.Seq[*Visit]) error
	strata  []Stratum
	total   uint64 // states to visit

	lock sync.Mutex
	done uint64
}

// notify counts visited states.
func (w *walk) notify(states uint64) {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.done += states
	if w.options.Progress != nil {
		w.options.Progress(w.done, w.total)
	}
}

// every visits every stored state.
func (w *walk) every(ctx context.Context) error {
	w.total += StoredStates(w.table)
	s := newTraversal(w.table, w.options.Threads, maxLoaded, w.notify)
	first := 0 // stratum of the class
	return s.eachClass(func(c tablebase.ClassInfo) error {
		images := s.cut.Class(c.Class).Images
		err := s.eachState(ctx, c, func(states iter.Seq2[int, uint32]) error {
			v := newVisitor(w.table, s.value)
			return v.run(w.work, func(yield func() bool) error {
				for block, index := range states {
					v.visit.Stratum, v.visit.Images = first+bits.OnesCount32(index), uint64(images[block])
					err := v.goTo(s.position(c.Class, block, index))
					if err != nil || !yield() {
						return err
					}
				}
				return nil
			})
		})
		first += c.IndexBits + 1
		return err
	})
}

// draw visits random states of each stratum.
func (w *walk) draw(ctx context.Context) error {
	perStratum := (w.options.Sample + sampleTask - 1) / sampleTask
	for _, s := range w.strata {
		w.total += min(w.options.Sample, s.States)
	}
	return eachTask(ctx, w.options.Threads, perStratum*uint64(len(w.strata)), func(tasks iter.Seq[uint64]) error {
		v := newVisitor(w.table, w.table.Value)
		return v.run(w.work, func(yield func() bool) error {
			for task := range tasks {
				stratum := &w.strata[task/perStratum]
				first := task % perStratum * sampleTask
				end := min(first+sampleTask, w.options.Sample, stratum.States)
				if first >= end {
					continue // the stratum has fewer states
				}
				v.visit.Stratum, v.visit.Images = int(task/perStratum), 1
				for p := range w.drawn(stratum, first, end, rand.New(rand.NewPCG(w.options.Seed, task))) {
					if err := v.goTo(p); err != nil || !yield() {
						return err
					}
				}
				w.notify(end - first)
			}
			return nil
		})
	})
}

// drawn returns states of a stratum: those of the given numbers if it is visited completely,
// otherwise as many random ones.
func (w *walk) drawn(s *Stratum, first, end uint64, r *rand.Rand) iter.Seq[game.Position] {
	bits, indexBits := w.space.MaskBits, w.space.IndexBits[s.Class]
	indices := choose(indexBits, s.Weight)
	return func(yield func(game.Position) bool) {
		for i := first; i < end; i++ {
			mask, index := randomMask(bits, s.Class, r), randomMask(indexBits, s.Weight, r)
			if s.States <= w.options.Sample {
				mask, index = nthMask(bits, s.Class, i/indices), nthMask(indexBits, s.Weight, i%indices)
			}
			if !yield(w.space.Position(partition.State{Class: s.Class, Mask: mask, Index: uint32(index)})) {
				return
			}
		}
	}
}
