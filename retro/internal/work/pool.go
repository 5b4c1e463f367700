package work

import (
	"context"
	"reflect"
	"regexp"
	"runtime"
	"sync/atomic"

	"backsolve/internal/parallel"
)

// Pool is the worker threads of a solve.
type Pool struct {
	Context        context.Context
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

func (t Trace) begin(do func(w *Worker, unit int), tasks int) func(task int, do func()) {
	if t == nil {
		return func(_ int, do func()) { do() }
	}
	return t(passName.FindStringSubmatch(runtime.FuncForPC(reflect.ValueOf(do).Pointer()).Name())[1], tasks)
}

// passName finds open in backsolve/retro.(*fixpoint).open-fm, and propagate in ….propagate.func1, a literal.
var passName = regexp.MustCompile(`[^/.]*\.(?:\([^)]*\)\.)?(\w+)[^/]*$`)

// NewPool returns a pool, which stops with the context. Run cuts its units into tasksPerThread tasks a thread.
func NewPool(ctx context.Context, threads, tasksPerThread int) *Pool {
	p := &Pool{Context: ctx, Workers: make([]*Worker, threads), tasksPerThread: tasksPerThread}
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
	if p.Context.Err() != nil {
		return context.Cause(p.Context)
	}
	if err := p.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Fail stops the pool with the error of a unit, unless it is nil.
func (p *Pool) Fail(err error) {
	if err != nil {
		p.failed.CompareAndSwap(nil, &err)
	}
}
