package work

import (
	"context"
	"sync"
	"sync/atomic"
)

// Pool is the worker threads of a solve.
type Pool struct {
	ctx            context.Context
	Workers        []*Worker
	tasksPerThread int
	failed         FirstError
}

// NewPool returns a pool. Run cuts its units into tasksPerThread tasks for each thread. The
// pool stops with the context.
func NewPool(ctx context.Context, threads, tasksPerThread int) *Pool {
	p := &Pool{ctx: ctx, Workers: make([]*Worker, threads), tasksPerThread: tasksPerThread}
	for i := range p.Workers {
		p.Workers[i] = new(Worker)
	}
	return p
}

// Run divides the units 0..n−1 into tasks, runs of about equal length, and waits until all
// are done. Workers call done after each task with its number of units. After Fail or the end
// of the context no further task starts, and Run returns the cause.
func (p *Pool) Run(n int, do func(w *Worker, unit int), done func(units int)) error {
	tasks := min(n, len(p.Workers)*p.tasksPerThread)
	var next atomic.Int64
	work := func(w *Worker) {
		for {
			t := int(next.Add(1)) - 1
			if t >= tasks || p.Cause() != nil {
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
	if tasks <= 1 || len(p.Workers) == 1 {
		work(p.Workers[0])
		return p.Cause()
	}
	var wg sync.WaitGroup
	for _, w := range p.Workers {
		wg.Go(func() { work(w) })
	}
	wg.Wait()
	return p.Cause()
}

// Cause returns the error that stopped the pool, else nil.
func (p *Pool) Cause() error {
	if p.ctx.Err() != nil {
		return context.Cause(p.ctx)
	}
	return p.failed.Get()
}

// Context returns the context of the pool.
func (p *Pool) Context() context.Context { return p.ctx }

// Fail stops the pool with the error of a unit, unless it is nil.
func (p *Pool) Fail(err error) { p.failed.Set(err) }

// FirstError keeps the first error of several goroutines.
type FirstError struct {
	lock sync.Mutex
	err  error
}

// Set keeps an error unless it is nil or another was first.
func (f *FirstError) Set(err error) {
	if err == nil {
		return
	}
	f.lock.Lock()
	defer f.lock.Unlock()
	if f.err == nil {
		f.err = err
	}
}

// Get returns the error, nil where there is none.
func (f *FirstError) Get() error {
	f.lock.Lock()
	defer f.lock.Unlock()
	return f.err
}

// Stripes are locks shared by the blocks of a class: block b has lock b modulo their number.
type Stripes []sync.Mutex

// Of returns the lock of a block.
func (s Stripes) Of(block uint32) *sync.Mutex {
	return &s[block%uint32(len(s))]
}
