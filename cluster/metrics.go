package cluster

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"backsolve/internal/plan"
	"backsolve/partition"
)

// Metrics says what a worker has done, and for how many seconds. Uploads run concurrently and are not timed.
type Metrics struct {
	// Tasks is how many tasks the worker has finished.
	Tasks int `json:"tasks"`
	// Solving, Reading and Waiting are the times of solving and counting, of reading for that, and without a task.
	Solving float64 `json:"seconds_solving"`
	Reading float64 `json:"seconds_reading"`
	Waiting float64 `json:"seconds_waiting"`
	// Read and Written are the bytes of objects, without the store's checksums.
	Read    int64 `json:"bytes_read"`
	Written int64 `json:"bytes_written"`
	// Failed is how many tasks have failed, StoreFull of them because the store was full.
	Failed    int `json:"tasks_failed"`
	StoreFull int `json:"store_full"`
}

func (m Metrics) since(b Metrics) Metrics {
	return Metrics{m.Tasks - b.Tasks, m.Solving - b.Solving, m.Reading - b.Reading, m.Waiting - b.Waiting, m.Read - b.Read, m.Written - b.Written, m.Failed - b.Failed, m.StoreFull - b.StoreFull}
}

// Busy returns the share of its time in which a worker solved blocks, 0 before it has begun.
func (m Metrics) Busy() float64 {
	if all := m.Solving + m.Reading + m.Waiting; all > 0 {
		return m.Solving / all
	}
	return 0
}

func (w *worker) spend(began time.Time, on *float64) {
	w.set(func(*WorkerStatus) { *on += time.Since(began).Seconds() })
}

func (w *worker) metrics() (m Metrics) {
	w.set(func(s *WorkerStatus) { m = s.Metrics })
	return m
}

func (w *worker) export() {
	counter := func(name, help string, labels prometheus.Labels, read func(m Metrics) float64) {
		w.o.Metrics.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "backsolve_worker_" + name, Help: help, ConstLabels: labels},
			func() float64 { return read(w.metrics()) }))
	}
	counter("tasks_total", "Tasks finished.", nil, func(m Metrics) float64 { return float64(m.Tasks) })
	counter("failures_total", "Tasks failed.", prometheus.Labels{"cause": "store full"}, func(m Metrics) float64 { return float64(m.StoreFull) })
	counter("failures_total", "Tasks failed.", prometheus.Labels{"cause": "other"}, func(m Metrics) float64 { return float64(m.Failed - m.StoreFull) })
	const seconds = "Time by what the worker did."
	counter("seconds_total", seconds, prometheus.Labels{"doing": "solving"}, func(m Metrics) float64 { return m.Solving })
	counter("seconds_total", seconds, prometheus.Labels{"doing": "reading"}, func(m Metrics) float64 { return m.Reading })
	counter("seconds_total", seconds, prometheus.Labels{"doing": "waiting"}, func(m Metrics) float64 { return m.Waiting })
	const moved = "Bytes of objects moved between the worker and the store."
	counter("bytes_total", moved, prometheus.Labels{"direction": "read"}, func(m Metrics) float64 { return float64(m.Read) })
	counter("bytes_total", moved, prometheus.Labels{"direction": "written"}, func(m Metrics) float64 { return float64(m.Written) })
	w.o.Metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "backsolve_worker_refused", Help: "1 if the worker gets no work."},
		func() (refused float64) {
			w.set(func(s *WorkerStatus) { refused = float64(min(1, len(s.Refused))) })
			return refused
		}))
}

func (c *Coordinator) export() {
	gauge := func(name, help string, read func(p Progress) float64) {
		c.o.Metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "backsolve_cluster_" + name, Help: help},
			func() float64 { return read(c.progress.read()) }))
	}
	gauge("states", "States to be stored.", func(p Progress) float64 { return float64(p.States) })
	gauge("states_decided", "States that are decided.", func(p Progress) float64 { return float64(p.Decided) })
	gauge("class", "Class in progress.", func(p Progress) float64 { return float64(p.Class) })
	gauge("tasks", "Tasks of the class in progress.", func(p Progress) float64 { return float64(p.Tasks) })
	gauge("tasks_done", "Finished tasks of the class in progress.", func(p Progress) float64 { return float64(p.Done) })
	gauge("tasks_repeated", "Tasks that had to be repeated.", func(p Progress) float64 { return float64(p.Repeated) })
	gauge("seconds_left", "Estimated time to the end, negative if unknown.", func(p Progress) float64 { return p.Left })
	gauge("workers", "Workers that are alive.", func(Progress) float64 { return float64(c.workers.Load()) })
	gauge("workers_faulty", "Workers whose results were wrong.", func(Progress) float64 { return float64(c.wrong.Load()) })
}

// Progress says how far a solve is.
type Progress struct {
	// Class is the class in progress. Done of its Tasks are finished.
	Class int `json:"class"`
	Tasks int `json:"tasks"`
	Done  int `json:"tasks_done"`
	// Decided of the States to be stored are decided, PerSecond of them a second since the
	// coordinator began.
	Decided   uint64  `json:"states_decided"`
	States    uint64  `json:"stored_states"`
	PerSecond float64 `json:"per_second"`
	// Left estimates the time to the end in seconds; it is negative if unknown.
	Left float64 `json:"seconds_left"`
	// Repeated is how many tasks had to be repeated since the coordinator began.
	Repeated int `json:"tasks_repeated"`
}

// progress tracks the Progress of a solve. It is safe for concurrent use.
type progress struct {
	space  *partition.Space
	blocks []int64  // by class
	above  []uint64 // states of a class and those above it
	began  time.Time
	halved bool                        // classes are solved in halves
	work   func(share float64) float64 // planned, of a share of the states

	repeated atomic.Int64 // tasks

	lock   sync.Mutex // guards what follows
	now    Progress
	before uint64 // states decided when the coordinator began
}

func (p *progress) begin(space *partition.Space, o plan.Options, halved bool) {
	p.space, p.blocks, p.began, p.halved = space, partition.BlockCounts(space), time.Now(), halved
	p.work = plan.WorkOf(plan.New(space, o).Classes)
	p.above = make([]uint64, len(p.blocks)+1)
	for class, blocks := range slices.Backward(p.blocks) {
		p.above[class] = p.above[class+1] + uint64(blocks)<<uint(space.IndexBits[class])
	}
	p.now.Class, p.now.States = -1, p.above[0]
}

func (p *progress) beginStage(c stage, tasks int) {
	p.lock.Lock()
	defer p.lock.Unlock()
	first := p.now.Class < 0
	p.now.Class, p.now.Tasks, p.now.Done, p.now.Decided = c.Class, tasks, 0, p.above[c.Class+1]
	if c.Write || p.halved && !c.Set {
		p.now.Decided += p.states(c.Class, int(p.blocks[c.Class]))
	}
	if first {
		p.before = p.now.Decided
	}
}

// add notes that a task is finished (1), or that its result was revoked (−1).
func (p *progress) add(g shard, sign int) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.now.Done += sign
	if !g.Check && !g.Write {
		p.now.Decided += uint64(sign) * p.states(g.Class, g.Blocks)
	}
}

func (p *progress) states(class, blocks int) uint64 {
	states := uint64(blocks) << uint(p.space.IndexBits[class])
	if p.halved {
		states /= 2
	}
	return states
}

func (p *progress) read() Progress {
	p.lock.Lock()
	defer p.lock.Unlock()
	now := p.now
	now.Left, now.Repeated = -1, int(p.repeated.Load())
	if seconds := time.Since(p.began).Seconds(); now.Decided > p.before && seconds > 0 {
		now.PerSecond = float64(now.Decided-p.before) / seconds
		work := func(decided uint64) float64 { return p.work(float64(decided) / float64(now.States)) }
		now.Left = (work(now.States) - work(now.Decided)) / (work(now.Decided) - work(p.before)) * seconds
	}
	return now
}
