// Package measure puts a server under load, beside a handler that answers the
// same requests with constants of the same size, and checks what it answers.
package measure

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"backsolve/probe"
	"backsolve/tools/load/child"
)

// Server is a server that can be put under load.
type Server struct {
	// Addr is its host and port.
	Addr string
	// CPU returns the seconds that it has used since its start; ok is false where
	// they cannot be known.
	CPU func() (seconds float64, ok bool)
}

// Options say what is measured.
type Options struct {
	Sizes
	// Rounds is how often each workload is sent to each server, RoundTime for how
	// long.
	Rounds    int
	RoundTime time.Duration
	// Requests are sent at the end, to see whether memory grows; 0 for none.
	Requests int64
	// Token is what the server wants to be shown, "" for nothing.
	Token string
}

// Constant starts the constant handler, with the mean sizes of the answers of
// each kind, in bytes. It runs until stop is called.
type Constant func(ctx context.Context, means map[Kind]int) (s Server, stop func(), err error)

// keepEvery is of how many answers to single requests one is checked.
const keepEvery = 1000

// checkedFirst is how many requests of a workload are sent before the others,
// with every answer checked.
const checkedFirst = 2000

// Run measures a server that answers from a table. An error says that nothing was
// measured to the end; what the server did wrong is in the report.
func Run(ctx context.Context, t *probe.Table, served Server, constant Constant, o Options, progress io.Writer) (*Report, error) {
	workloads, err := NewWorkloads(t, o.Sizes)
	if err != nil {
		return nil, err
	}
	b := &bench{table: t, options: o, served: served, progress: progress, report: newReport(t, o)}
	defer b.close()
	for i := range workloads {
		if err := b.prepare(ctx, &workloads[i], constant); err != nil {
			return nil, err
		}
	}
	for n := range o.Rounds {
		for _, p := range b.pairs {
			fmt.Fprintf(progress, "measuring %s, round %d of %d\n", p.workload.Name, n+1, o.Rounds)
			if err := b.measure(ctx, p, n); err != nil {
				return nil, err
			}
		}
	}
	for _, p := range b.pairs {
		b.report.Workloads = append(b.report.Workloads, p.figures())
	}
	if err := b.watchMemory(ctx); err != nil {
		return nil, err
	}
	return b.report, nil
}

// bench is a run.
type bench struct {
	table    *probe.Table
	options  Options
	served   Server
	progress io.Writer
	pairs    []*pair
	report   *Report
}

func (b *bench) close() {
	for _, p := range b.pairs {
		p.close()
	}
}

// pair is a workload with the two servers that it is sent to.
type pair struct {
	workload *Workload
	mean     int // bytes of an answer
	means    map[Kind]int
	served   *subject
	constant *subject
	stop     func() // ends the constant handler
}

func (p *pair) close() {
	p.served.client.close()
	p.constant.client.close()
	p.stop()
}

// subject is a server with what was measured of it in each round.
type subject struct {
	Server
	client    *client
	rates     []float64 // requests a second
	latency   latencies
	answers   int64
	cpu       float64 // seconds
	clientCPU float64
	noCPU     bool
}

// prepare checks the answers to the first requests of a workload, and starts the
// constant handler with their sizes.
func (b *bench) prepare(ctx context.Context, w *Workload, constant Constant) error {
	fmt.Fprintf(b.progress, "checking answers to %s\n", w.Name)
	c := newClient(b.served.Addr, b.options.Token, w)
	r := c.run(ctx, effort{requests: int64(min(len(w.questions), checkedFirst)), keepEvery: 1})
	if err := b.note(ctx, r); err != nil {
		c.close()
		return err
	}
	mean, means := r.means()
	s, stop, err := constant(ctx, means)
	if err != nil {
		c.close()
		return fmt.Errorf("the constant handler cannot be started: %w", err)
	}
	b.pairs = append(b.pairs, &pair{
		workload: w, mean: mean, means: means, stop: stop,
		served:   &subject{Server: b.served, client: c, latency: newLatencies()},
		constant: &subject{Server: s, client: newClient(s.Addr, b.options.Token, w), latency: newLatencies()},
	})
	return nil
}

// note takes up what came of a round. The error says that there is no sense in
// going on.
func (b *bench) note(ctx context.Context, r *round) error {
	differ, first := r.check(b.table)
	b.report.Checked += int64(len(r.samples))
	b.report.Differences += differ
	b.report.Failed += r.failed
	for _, err := range []error{first, r.failure} {
		if err != nil && len(b.report.Failures) < maxFailures {
			b.report.Failures = append(b.report.Failures, err.Error())
		}
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if r.answers() == 0 {
		return fmt.Errorf("no request was answered: %w", r.failure)
	}
	return nil
}

// measure sends a workload to both servers, in turns as to which is the first.
func (b *bench) measure(ctx context.Context, p *pair, n int) error {
	order := []*subject{p.served, p.constant}
	if n%2 == 1 {
		order[0], order[1] = order[1], order[0]
	}
	for _, s := range order {
		e := effort{time: b.options.RoundTime}
		if s == p.served && p.workload.Connections > 1 {
			e.keepEvery = keepEvery // a large batch that is kept would slow the client
		}
		if err := b.note(ctx, s.round(ctx, e)); err != nil {
			return err
		}
	}
	return nil
}

// round sends a workload and adds what was measured.
func (s *subject) round(ctx context.Context, e effort) *round {
	before, ok := s.CPU()
	mine, _ := child.CPU(os.Getpid())
	r := s.client.run(ctx, e)
	after, _ := s.CPU()
	mineAfter, _ := child.CPU(os.Getpid())
	s.rates = append(s.rates, float64(r.answers())/r.seconds)
	s.latency.merge(r.latency)
	s.answers += r.answers()
	s.cpu += after - before
	s.clientCPU += mineAfter - mine
	s.noCPU = s.noCPU || !ok
	return r
}

// memoryPoints is how often the memory is looked at.
const memoryPoints = 10

// watchMemory sends the single positions so many times, and looks now and then
// at what the server uses.
func (b *bench) watchMemory(ctx context.Context) error {
	if b.options.Requests == 0 {
		return nil
	}
	c := b.pairs[0].served.client
	for sent := int64(0); ; {
		u, err := child.Scrape(ctx, b.served.Addr, b.options.Token)
		if err != nil {
			return err
		}
		b.report.Memory = append(b.report.Memory, MemoryFigures{sent, u})
		if sent >= b.options.Requests {
			return nil
		}
		fmt.Fprintf(b.progress, "watching the memory, %d of %d requests\n", sent, b.options.Requests)
		part := min((b.options.Requests+memoryPoints-1)/memoryPoints, b.options.Requests-sent)
		r := c.run(ctx, effort{requests: part, keepEvery: keepEvery})
		if err := b.note(ctx, r); err != nil {
			return err
		}
		sent += part
	}
}
