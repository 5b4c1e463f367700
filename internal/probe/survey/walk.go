package survey

import (
	"cmp"
	"context"
	"iter"
	"math/rand/v2"
	"sync"

	"backsolve/game"
	"backsolve/tablebase"
)

// WalkOptions say which states a walk visits.
type WalkOptions struct {
	// Sample is how many states are drawn from each stratum, uniformly with replacement. A stratum that has no
	// more is visited completely, each state once, as all are if it is 0.
	Sample uint64
	// Seed chooses the sample.
	Seed uint64
	// Threads is the number of threads, 0 for all cores.
	Threads int
	// Progress, unless nil, gets the number of visited states, never twice at once.
	Progress func(tablebase.Event)
}

// Visit is a state that a walk visits, with its moves; its Images are 1 if states are drawn.
type Visit struct {
	// Stratum is the number of its stratum in Strata.
	Stratum int
	Selected
}

// Walk visits states with the values of their moves. Each thread calls work several times; together, the calls
// get every state, in any order, each valid until the next one. The error is that of work, of reading the
// table, or the cause of ctx. A table whose moves do not lead to the stored values is damaged.
func Walk(ctx context.Context, t Table, o WalkOptions, work func(visits iter.Seq[*Visit]) error) error {
	o.Threads = threadsOrAll(o.Threads)
	w := &walk{ctx: ctx, table: t, source: sourceOf(t), options: o, work: work, strata: Strata(t)}
	w.rules = w.source.rules()
	if o.Sample > 0 {
		return w.draw()
	}
	return w.every()
}

// walk is a running walk. The lock guards the progress.
type walk struct {
	ctx     context.Context
	table   Table
	source  source
	rules   game.Rules
	options WalkOptions
	work    func(visits iter.Seq[*Visit]) error
	strata  []Stratum
	total   uint64 // states to visit

	lock sync.Mutex
	done uint64
}

func (w *walk) notify(states uint64) {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.done += states
	tablebase.Tell(w.options.Progress, tablebase.Event{Stage: "visit", Unit: "states", Done: w.done, Total: w.total})
}

// visits calls work with the states that each goes to; each yields after every one.
func (w *walk) visits(each func(v *Visit, yield func(*Visit) bool) error) error {
	var failed error
	err := w.work(func(yield func(*Visit) bool) { failed = each(&Visit{}, yield) })
	return cmp.Or(failed, err)
}

func (w *walk) goTo(v *Visit, s game.State) (err error) {
	v.State = s
	v.Value, v.Moves, err = w.table.Rate(w.rules, s, v.Moves[:0])
	_, v.Terminal = w.rules.Terminal(s)
	return err
}

func (w *walk) every() error {
	w.total += StoredStates(w.table)
	first := 0 // stratum of the class
	for i, c := range w.source.classes() {
		err := w.source.scan(w.ctx, i, w.options.Threads, func(r run) (more bool, err error) {
			return true, w.visits(func(v *Visit, yield func(*Visit) bool) error { return w.everyOf(r, first, v, yield) })
		})
		if err != nil {
			return err
		}
		first += c.IndexBits + 1
	}
	return nil
}

// everyOf visits the states of a run of a class, whose strata begin with the first.
func (w *walk) everyOf(r run, first int, v *Visit, yield func(*Visit) bool) (err error) {
	done := uint64(0)
	defer func() { w.notify(done) }()
	for b := range r.blocks() {
		if v.Images, err = r.times(b); err != nil {
			return err
		}
		for index := range r.matching(b, Filter{}) {
			s, err := r.state(b, index, 0)
			if err == nil {
				err = w.goTo(v, s)
			}
			if v.Stratum = first + w.source.weight(index); err != nil || !yield(v) {
				return err
			}
			if done++; done == sampleTask {
				w.notify(done)
				done = 0
				if w.ctx.Err() != nil {
					return context.Cause(w.ctx)
				}
			}
		}
	}
	return nil
}

func (w *walk) draw() error {
	perStratum := (w.options.Sample + sampleTask - 1) / sampleTask
	for _, s := range w.strata {
		w.total += min(w.options.Sample, s.States)
	}
	return eachTask(w.ctx, w.options.Threads, perStratum*uint64(len(w.strata)), func(tasks iter.Seq[uint64]) error {
		return w.visits(func(v *Visit, yield func(*Visit) bool) error {
			for task := range tasks {
				stratum := &w.strata[task/perStratum]
				first := task % perStratum * sampleTask
				end := min(first+sampleTask, w.options.Sample, stratum.States)
				if first >= end {
					continue // the stratum has fewer states
				}
				v.Stratum, v.Images = int(task/perStratum), 1
				r := rand.New(rand.NewPCG(w.options.Seed, task))
				for i := first; i < end; i++ {
					s, err := w.drawn(stratum, i, r)
					if err == nil {
						err = w.goTo(v, s)
					}
					if err != nil || !yield(v) {
						return err
					}
				}
				w.notify(end - first)
			}
			return nil
		})
	})
}

// drawn goes by the number in a stratum that is visited completely, else by chance.
func (w *walk) drawn(s *Stratum, number uint64, r *rand.Rand) (game.State, error) {
	if s.States <= w.options.Sample {
		return w.source.nth(s.class, s.Weight, number)
	}
	return w.source.random(s.class, s.Weight, r)
}
