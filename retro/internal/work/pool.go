package work

import (
	"context"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"

	"backsolve/internal/parallel"
)

// Pool is the worker threads of a solve.
type Pool struct {
	ctx            context.Context
	Workers        []*Worker
	tasksPerThread int
	failed         atomic.Pointer[error] // the first
	// Trace watches the tasks unless it is nil. It is set before the first Run.
	Trace Trace
}

// Trace is called as a pass over units begins, with the name of the function that works on
// them and the number of tasks, by the goroutine that waits for the pass. The result runs each
// task once, on the goroutine that has taken it.
type Trace func(pass string, tasks int) (run func(task int, do func()))

// begin returns what runs the tasks of a pass.
func (t Trace) begin(do func(w *Worker, unit int), tasks int) func(task int, do func()) {
	if t == nil {
		return func(_ int, do func()) { do() }
	}
	// As in backsolve/retro.(*fixpoint).open-fm, or .propagate.func1 for a literal.
	name := runtime.FuncForPC(reflect.ValueOf(do).Pointer()).Name()
	name = name[strings.LastIndexByte(name, '/')+1:]
	_, name, _ = strings.Cut(name, ".")
	if _, method, is := strings.Cut(name, ")."); is {
		name = method
	}
	return t(name[:strings.IndexAny(name+".", ".-")], tasks)
}

// NewPool returns a pool, which stops with the context. Run cuts its units into tasksPerThread tasks a thread.
func NewPool(ctx context.Context, threads, tasksPerThread int) *Pool {
	p := &Pool{ctx: ctx, Workers: make([]*Worker, threads), tasksPerThread: tasksPerThread}
	for i := range p.Workers {
		p.Workers[i] = &Worker{Number: i}
	}
	return p
}

// Run divides the units from..to−1 into tasks, runs of about equal length, and waits until all
// are done. Workers call done after each task with its number of units. After Fail or the end
// of the context no further task starts, and Run returns the cause.
func (p *Pool) Run(from, to int, do func(w *Worker, unit int), done func(units int)) error {
	n := to - from
	tasks := min(n, len(p.Workers)*p.tasksPerThread)
	run := p.Trace.begin(do, tasks)
	var begun atomic.Int64
	_ = parallel.Each(tasks, len(p.Workers), func(next func() (int, bool)) error {
		w := p.Workers[begun.Add(1)-1]
		for t, more := next(); more && p.Cause() == nil; t, more = next() {
			run(t, func() {
				first, end := from+t*n/tasks, from+(t+1)*n/tasks
				for unit := first; unit < end; unit++ {
					do(w, unit)
				}
				if done != nil {
					done(end - first)
				}
			})
		}
		return nil
	})
	return p.Cause()
}

// Cause returns the error that stopped the pool, else nil.
func (p *Pool) Cause() error {
	if p.ctx.Err() != nil {
		return context.Cause(p.ctx)
	}
	if err := p.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Context returns the context of the pool.
func (p *Pool) Context() context.Context { return p.ctx }

// Fail stops the pool with the error of a unit, unless it is nil.
func (p *Pool) Fail(err error) {
	if err != nil {
		p.failed.CompareAndSwap(nil, &err)
	}
}
