package cluster

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
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

// spend adds the time since began to one of the times of the worker's metrics.
func (w *worker) spend(began time.Time, on *float64) {
	w.set(func(*WorkerStatus) { *on += time.Since(began).Seconds() })
}

func (w *worker) metrics() (m Metrics) {
	w.set(func(s *WorkerStatus) { m = s.Metrics })
	return m
}

func (w *worker) export() {
	counter := func(name, help, label, value string, read func(m Metrics) float64) {
		labels := prometheus.Labels{}
		if label != "" {
			labels[label] = value
		}
		w.o.Metrics.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "backsolve_worker_" + name, Help: help, ConstLabels: labels},
			func() float64 { return read(w.metrics()) }))
	}
	counter("tasks_total", "Tasks finished.", "", "", func(m Metrics) float64 { return float64(m.Tasks) })
	counter("failures_total", "Tasks failed.", "cause", "store full", func(m Metrics) float64 { return float64(m.StoreFull) })
	counter("failures_total", "Tasks failed.", "cause", "other", func(m Metrics) float64 { return float64(m.Failed - m.StoreFull) })
	const seconds = "Time by what the worker did."
	counter("seconds_total", seconds, "doing", "solving", func(m Metrics) float64 { return m.Solving })
	counter("seconds_total", seconds, "doing", "reading", func(m Metrics) float64 { return m.Reading })
	counter("seconds_total", seconds, "doing", "waiting", func(m Metrics) float64 { return m.Waiting })
	const moved = "Bytes of objects moved between the worker and the store."
	counter("bytes_total", moved, "direction", "read", func(m Metrics) float64 { return float64(m.Read) })
	counter("bytes_total", moved, "direction", "written", func(m Metrics) float64 { return float64(m.Written) })
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
