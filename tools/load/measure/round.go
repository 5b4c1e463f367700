package measure

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"backsolve/probe"
)

// client sends the questions of a workload to a server, over connections that it
// keeps between rounds.
type client struct {
	questions []question
	askers    []*asker
	next      atomic.Int64 // number of the next question
}

func newClient(addr, token string, w *Workload) *client {
	c := &client{questions: w.questions}
	for range w.Connections {
		c.askers = append(c.askers, newAsker(addr, token))
	}
	return c
}

func (c *client) close() {
	for _, a := range c.askers {
		a.close()
	}
}

// round is what came of questions that were sent for some time.
type round struct {
	latency latencies
	seconds float64
	kinds   map[Kind]*volume
	samples []sample
	// failed counts requests without an answer of status 200; failure says why the
	// first of them failed.
	failed  int64
	failure error
}

func newRound() *round { return &round{latency: newLatencies(), kinds: map[Kind]*volume{}} }

// volume counts answers and the bytes of their bodies.
type volume struct{ answers, bytes int64 }

// sample is an answer that was kept to be checked.
type sample struct {
	question *question
	body     []byte
}

// effort says how long questions are sent: for a time, or until so many were.
type effort struct {
	time     time.Duration
	requests int64 // 0 for any number
	// keepEvery is of how many answers one is kept, the first one included; 0 for
	// none.
	keepEvery int64
}

// run sends questions on all connections at once, each one after the answer to
// the one before it.
func (c *client) run(ctx context.Context, e effort) *round {
	start := time.Now()
	if e.time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, e.time)
		defer cancel()
	}
	first := c.next.Load()
	parts := make([]*round, len(c.askers))
	var workers sync.WaitGroup
	for i, a := range c.askers {
		parts[i] = newRound()
		workers.Go(func() { c.work(ctx, a, first, e, parts[i]) })
	}
	workers.Wait()
	all := parts[0]
	all.seconds = time.Since(start).Seconds()
	for _, p := range parts[1:] {
		all.merge(p)
	}
	return all
}

// work is what is done on one connection.
func (c *client) work(ctx context.Context, a *asker, first int64, e effort, r *round) {
	start := time.Now()
	for ctx.Err() == nil {
		number := c.next.Add(1) - 1
		if e.requests > 0 && number-first >= e.requests {
			return
		}
		q := &c.questions[number%int64(len(c.questions))]
		keep := e.keepEvery > 0 && (number-first)%e.keepEvery == 0
		body, err := a.ask(q)
		now := time.Now()
		r.latency.add(now.Sub(start))
		start = now
		if err != nil {
			r.fail(err)
			if errors.Is(err, errNobody) {
				return
			}
			continue
		}
		r.count(q, body, keep)
	}
}

// count counts an answer, and keeps a copy of it if wanted.
func (r *round) count(q *question, body []byte, keep bool) {
	v := r.kinds[q.kind]
	if v == nil {
		v = &volume{}
		r.kinds[q.kind] = v
	}
	v.answers++
	v.bytes += int64(len(body))
	if keep {
		r.samples = append(r.samples, sample{q, bytes.Clone(body)})
	}
}

func (r *round) fail(err error) {
	r.failed++
	if r.failure == nil {
		r.failure = err
	}
}

// merge adds what came of another connection.
func (r *round) merge(other *round) {
	r.latency.merge(other.latency)
	for kind, v := range other.kinds {
		if mine := r.kinds[kind]; mine != nil {
			mine.answers += v.answers
			mine.bytes += v.bytes
		} else {
			r.kinds[kind] = v
		}
	}
	r.samples = append(r.samples, other.samples...)
	r.failed += other.failed
	if r.failure == nil {
		r.failure = other.failure
	}
}

// answers is the number of answers of all kinds.
func (r *round) answers() (n int64) {
	for _, v := range r.kinds {
		n += v.answers
	}
	return n
}

// means returns the mean size of the answers in bytes, of all and of each kind.
// There must be some.
func (r *round) means() (mean int, byKind map[Kind]int) {
	byKind = map[Kind]int{}
	var all volume
	for kind, v := range r.kinds {
		byKind[kind] = int(v.bytes / v.answers)
		all.bytes += v.bytes
		all.answers += v.answers
	}
	return int(all.bytes / all.answers), byKind
}

// check compares the samples with the table. It returns the number of those that
// differ and what is wrong with the first one.
func (r *round) check(t *probe.Table) (differ int64, first error) {
	for _, s := range r.samples {
		if err := checkAnswer(t, s.question, s.body); err != nil {
			differ++
			if first == nil {
				first = err
			}
		}
	}
	return differ, first
}
