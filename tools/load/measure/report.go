package measure

import (
	"encoding/json"
	"io"
	"runtime"
	"slices"

	"backsolve/probe"
	"backsolve/tools/load/child"
)

// Report is what a run has measured. Its field names are those of the JSON
// object that WriteJSON writes.
type Report struct {
	Machine   Machine           `json:"machine"`
	Table     string            `json:"table"`
	Rounds    int               `json:"rounds"`
	RoundTime float64           `json:"round_seconds"`
	Workloads []WorkloadFigures `json:"workloads"`
	Memory    []MemoryFigures   `json:"memory"`
	// Checked answers were compared with the table, and so many of them differ.
	Checked     int64 `json:"checked"`
	Differences int64 `json:"differences"`
	// Failed requests have no answer of status 200, of either server.
	Failed int64 `json:"failed"`
	// Failures are some of the differences and failures in words.
	Failures []string `json:"failures"`
}

const maxFailures = 10

// OK reports whether every request was answered, and every answer that was
// checked is right.
func (r *Report) OK() bool { return r.Failed == 0 && r.Differences == 0 }

// Machine is what a run was made on.
type Machine struct {
	Processor string `json:"processor"`
	Cores     int    `json:"cores"`
	Platform  string `json:"platform"`
	Go        string `json:"go"`
}

// WorkloadFigures is what was measured of a workload.
type WorkloadFigures struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Connections int    `json:"connections"`
	// Mean is the mean size of the answers in bytes, and Means that by kind.
	Mean     int            `json:"mean_answer_bytes"`
	Means    map[Kind]int   `json:"mean_answer_bytes_by_kind"`
	Served   SubjectFigures `json:"served"`
	Constant SubjectFigures `json:"constant"`
	// Ratio is that of the requests a second of each round, served over constant.
	Ratio Spread `json:"ratio"`
}

// SubjectFigures is what was measured of one server.
type SubjectFigures struct {
	Answers   int64  `json:"answers"`
	PerSecond Spread `json:"requests_per_second"`
	// P50, P99 and P999 are quantiles of the latency over all rounds, in seconds.
	P50  float64 `json:"p50_seconds"`
	P99  float64 `json:"p99_seconds"`
	P999 float64 `json:"p999_seconds"`
	// CPU is what the server used for a request, and ClientCPU what this program
	// did, in seconds; null where the system does not tell.
	CPU       *float64 `json:"cpu_seconds_per_request"`
	ClientCPU *float64 `json:"client_cpu_seconds_per_request"`
}

// Spread sums up what was measured in several rounds.
type Spread struct {
	Median float64 `json:"median"`
	Least  float64 `json:"least"`
	Most   float64 `json:"most"`
}

// newSpread sums up one number at least.
func newSpread(numbers []float64) Spread {
	s := slices.Sorted(slices.Values(numbers))
	return Spread{(s[(len(s)-1)/2] + s[len(s)/2]) / 2, s[0], s[len(s)-1]}
}

// MemoryFigures is what a server uses after so many requests.
type MemoryFigures struct {
	Requests int64 `json:"requests"`
	child.Usage
}

func newReport(t *probe.Table, o Options) *Report {
	return &Report{
		Machine: Machine{child.Processor(), runtime.NumCPU(), runtime.GOOS + "/" + runtime.GOARCH, runtime.Version()},
		Table:   t.Board(), Rounds: o.Rounds, RoundTime: o.RoundTime.Seconds(),
	}
}

func (p *pair) figures() WorkloadFigures {
	var ratios []float64
	for i, rate := range p.served.rates {
		ratios = append(ratios, rate/p.constant.rates[i])
	}
	return WorkloadFigures{
		Name: p.workload.Name, Description: p.workload.Description, Connections: p.workload.Connections,
		Mean: p.mean, Means: p.means,
		Served: p.served.figures(), Constant: p.constant.figures(), Ratio: newSpread(ratios),
	}
}

func (s *subject) figures() SubjectFigures {
	f := SubjectFigures{
		Answers: s.answers, PerSecond: newSpread(s.rates),
		P50: s.latency.seconds(0.5), P99: s.latency.seconds(0.99), P999: s.latency.seconds(0.999),
	}
	if !s.noCPU {
		server, client := s.cpu/float64(s.answers), s.clientCPU/float64(s.answers)
		f.CPU, f.ClientCPU = &server, &client
	}
	return f
}

// WriteJSON writes the report as one JSON object.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}
