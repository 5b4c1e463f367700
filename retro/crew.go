package retro

import (
	"context"
	"sync"
	"sync/atomic"

	"backsolve/bitslice"
	"backsolve/partition"
)

// crew is the threads that share out block tasks.
type crew struct {
	ctx            context.Context
	workers        []*worker
	tasksPerThread int
	failed         firstError
}

// worker is one thread's scratch memory. Nothing in it outlives a task.
type worker struct {
	bitslice.Folder
	links   []partition.Link
	shared  []partition.SharedLink
	moves   []partition.Move
	cubes   partition.Terminals
	buffers [][]uint64 // each of the length of the unit in work
	sets    [numberSets]bitslice.Numbers
	from    [][]uint64 // planes of a gather
	to      [][]uint64
	summary []uint64
	marks   []uint64 // a summary too
	tally   tally
}

func newCrew(ctx context.Context, threads, tasksPerThread int) *crew {
	c := &crew{ctx: ctx, workers: make([]*worker, threads), tasksPerThread: tasksPerThread}
	for i := range c.workers {
		c.workers[i] = new(worker)
	}
	return c
}

// run shares the units 0..n−1 out in tasks, runs of units of about equal
// length, and waits until all are done. done is called after each task with
// its number of units, by any worker. When the context ends, no further task is
// begun and its cause is returned, and so it is with the error of a unit that
// failed.
func (c *crew) run(n int, do func(w *worker, unit int), done func(units int)) error {
	tasks := min(n, len(c.workers)*c.tasksPerThread)
	var next atomic.Int64
	work := func(w *worker) {
		for {
			t := int(next.Add(1)) - 1
			if t >= tasks || c.cause() != nil {
				return
			}
			first, end := t*n/tasks, (t+1)*n/tasks
			for unit := first; unit < end; unit++ {
				do(w, unit)
			}
			if done != nil {
				done(end - first)
			}
		}
	}
	if tasks <= 1 || len(c.workers) == 1 {
		work(c.workers[0])
		return c.cause()
	}
	var wg sync.WaitGroup
	for _, w := range c.workers {
		wg.Go(func() { work(w) })
	}
	wg.Wait()
	return c.cause()
}

func (c *crew) cause() error {
	if c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	return c.failed.get()
}

// fail ends the solve with an error that a unit met, unless it is nil.
func (c *crew) fail(err error) { c.failed.set(err) }

// firstError keeps the first error of several goroutines.
type firstError struct {
	lock sync.Mutex
	err  error
}

func (f *firstError) set(err error) {
	if err == nil {
		return
	}
	f.lock.Lock()
	defer f.lock.Unlock()
	if f.err == nil {
		f.err = err
	}
}

func (f *firstError) get() error {
	f.lock.Lock()
	defer f.lock.Unlock()
	return f.err
}

// buffer returns the i-th scratch buffer with room for so many words, zeroed.
func (w *worker) buffer(i, words int) []uint64 {
	b := w.dirtyBuffer(i, words)
	clear(b)
	return b
}

// dirtyBuffer is a buffer whose content is whatever it held before.
func (w *worker) dirtyBuffer(i, words int) []uint64 {
	for len(w.buffers) <= i {
		w.buffers = append(w.buffers, nil)
	}
	if cap(w.buffers[i]) < words {
		w.buffers[i] = make([]uint64, words)
	}
	return w.buffers[i][:words]
}

// freshSummary returns a zeroed summary of a unit of so many words.
func (w *worker) freshSummary(words int) []uint64 { return fresh(&w.summary, words) }

// freshMarks returns another one.
func (w *worker) freshMarks(words int) []uint64 { return fresh(&w.marks, words) }

func fresh(summary *[]uint64, words int) []uint64 {
	n := bitslice.SummaryWords(words)
	if cap(*summary) < n {
		*summary = make([]uint64, n)
	}
	s := (*summary)[:n]
	clear(s)
	return s
}

// fullSummary returns a summary by which any word may be touched.
func (w *worker) fullSummary(words int) []uint64 {
	s := w.freshSummary(words)
	for g := range max(words>>bitslice.GroupBits, 1) {
		s[g>>6] |= 1 << (uint(g) & 63)
	}
	return s
}
