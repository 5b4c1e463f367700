package abuse

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"backsolve/tools/load/child"
	"backsolve/tools/load/grid"
)

// Report is what has come of attacks. Its field names are those of the JSON
// object that WriteJSON writes.
type Report struct {
	Attacks []Result `json:"attacks"`
}

// Result is what has come of an attack.
type Result struct {
	Name string `json:"name"`
	// Sent says what was done, and Observed what the server did.
	Sent     string `json:"sent"`
	Observed string `json:"observed"`
	// Others are those who were served meanwhile.
	Others Others `json:"others"`
	// Before and After are what the server used; After is empty where it has ended.
	Before child.Usage `json:"before"`
	After  child.Usage `json:"after"`
	// Problems are what should not have happened, none where all is well.
	Problems []string `json:"problems"`
}

// Others are the requests of other clients, with the time that they took, in
// seconds.
type Others struct {
	Requests int `json:"requests"`
	// Failed requests were not answered as they were before the attack; Failure
	// says what happened to the first one.
	Failed  int     `json:"failed"`
	Failure string  `json:"failure"`
	P50     float64 `json:"p50_seconds"`
	P99     float64 `json:"p99_seconds"`
	Longest float64 `json:"longest_seconds"`
}

func (r *Result) problem(format string, args ...any) {
	r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
}

// OK reports whether the server has withstood.
func (r *Result) OK() bool { return len(r.Problems) == 0 }

// OK reports whether the server has withstood all attacks.
func (r *Report) OK() bool {
	for _, a := range r.Attacks {
		if !a.OK() {
			return false
		}
	}
	return true
}

// WriteJSON writes the report as one JSON object.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// Write writes the report for people.
func (r *Report) Write(w io.Writer, table grid.Writer) error {
	rows := [][]string{{"attack", "verdict", "others: requests", "p50", "p99", "longest", "goroutines", "heap in use", "resident"}}
	for _, a := range r.Attacks {
		row := []string{a.Name, a.verdict(), fmt.Sprint(a.Others.Requests)}
		for _, seconds := range []float64{a.Others.P50, a.Others.P99, a.Others.Longest} {
			row = append(row, millisecondsText(seconds))
		}
		rows = append(rows, append(row, a.usageTexts()...))
	}
	if err := table(w, rows); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, a := range r.Attacks {
		fmt.Fprintf(w, "- %s: %s %s\n", a.Name, a.Sent, a.Observed)
		for _, problem := range a.Problems {
			fmt.Fprintf(w, "  - NOT OK: %s\n", strings.ReplaceAll(problem, "\n", "; "))
		}
	}
	return nil
}

func (r *Result) verdict() string {
	if r.OK() {
		return "ok"
	}
	return "NOT OK"
}

// usageTexts writes what the server used before and after.
func (r *Result) usageTexts() []string {
	if r.After == (child.Usage{}) {
		return []string{"ended", "ended", "ended"}
	}
	bytes := func(before, after int64) string {
		return humanize.IBytes(uint64(before)) + " → " + humanize.IBytes(uint64(after))
	}
	return []string{
		fmt.Sprintf("%d → %d", r.Before.Goroutines, r.After.Goroutines),
		bytes(r.Before.Heap, r.After.Heap), bytes(r.Before.Resident, r.After.Resident),
	}
}

func millisecondsText(seconds float64) string {
	return fmt.Sprintf("%.1f ms", seconds*float64(time.Second/time.Millisecond))
}
