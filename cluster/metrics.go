package cluster

import (
	"fmt"
	"time"

	"github.com/dustin/go-humanize"
)

// Metrics says what a worker has done for solves, and for how long, in seconds. Uploads run
// concurrently and are not timed.
type Metrics struct {
	// Tasks is how many tasks the worker has finished.
	Tasks int `json:"tasks"`
	// Solving, Reading and Waiting are the times in which it solved blocks, read what they need
	// and waited for tasks.
	Solving float64 `json:"seconds_solving"`
	Reading float64 `json:"seconds_reading"`
	Waiting float64 `json:"seconds_waiting"`
	// Read and Written are the bytes of parts, without the store's checksums.
	Read    int64 `json:"bytes_read"`
	Written int64 `json:"bytes_written"`
}

// since returns the difference to earlier metrics.
func (m Metrics) since(b Metrics) Metrics {
	return Metrics{m.Tasks - b.Tasks, m.Solving - b.Solving, m.Reading - b.Reading, m.Waiting - b.Waiting, m.Read - b.Read, m.Written - b.Written}
}

// Busy returns the share of its time in which a worker solved blocks, 0 before it has begun.
func (m Metrics) Busy() float64 {
	if all := m.Solving + m.Reading + m.Waiting; all > 0 {
		return m.Solving / all
	}
	return 0
}

// summary formats the metrics for people.
func (m Metrics) summary() string {
	return fmt.Sprintf("%d tasks, %.1f s solving, %.1f s reading, %.1f s waiting, %s read, %s written",
		m.Tasks, m.Solving, m.Reading, m.Waiting, humanize.IBytes(uint64(m.Read)), humanize.IBytes(uint64(m.Written)))
}

// spend adds the time since began to one of the times of the worker's metrics.
func (w *worker) spend(began time.Time, on *float64) {
	w.set(func(*WorkerStatus) { *on += time.Since(began).Seconds() })
}

// metrics returns the metrics so far.
func (w *worker) metrics() Metrics {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.status.Metrics
}
