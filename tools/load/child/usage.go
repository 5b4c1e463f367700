package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// Usage is what a server uses, as it tells at /metrics.
type Usage struct {
	// CPU is in seconds since the start of the process, 0 where it is not known.
	CPU float64 `json:"cpu_seconds"`
	// Resident and Heap are in bytes: of the process, files that are mapped
	// included, and of Go's heap in use. Resident is 0 where it is not known.
	Resident   int64 `json:"resident_bytes"`
	Heap       int64 `json:"heap_bytes"`
	Goroutines int   `json:"goroutines"`
	// InFlight is the number of requests that are being answered.
	InFlight int `json:"requests_in_flight"`
}

// Scrape asks a server what it uses, with the token that it wants, "" for none.
func Scrape(ctx context.Context, addr, token string) (Usage, error) {
	status, text, err := get(ctx, addr, "/metrics", token)
	if err != nil {
		return Usage{}, err
	}
	if status != http.StatusOK {
		return Usage{}, fmt.Errorf("/metrics of %s answers with %d: %.200s", addr, status, text)
	}
	return parseUsage(text)
}

// once asks on a connection of its own each time, so that nothing of it is left at
// the server.
var once = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute}

// get asks a server for a path.
func get(ctx context.Context, addr, path, token string) (status int, body []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+path, nil)
	if err != nil {
		return 0, nil, err
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	a, err := once.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer a.Body.Close()
	body, err = io.ReadAll(a.Body)
	return a.StatusCode, body, err
}

// parseUsage reads the text of /metrics.
func parseUsage(text []byte) (Usage, error) {
	var u Usage
	heap := false
	for line := range bytes.Lines(text) {
		name, number, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		value, err := strconv.ParseFloat(number, 64)
		if err != nil {
			continue
		}
		switch name {
		case "process_cpu_seconds_total":
			u.CPU = value
		case "process_resident_memory_bytes":
			u.Resident = int64(value)
		case "go_memstats_heap_inuse_bytes":
			u.Heap, heap = int64(value), true
		case "go_goroutines":
			u.Goroutines = int(value)
		case "backsolve_http_requests_in_flight":
			u.InFlight = int(value) - 1 // without that for /metrics
		}
	}
	if !heap {
		return u, errors.New("/metrics does not tell the heap in use; is this a tbserve?")
	}
	return u, nil
}

// clockTicks is the unit of times in /proc on every Linux that Go runs on.
const clockTicks = 100

// CPU returns the seconds that a process has used; ok is false where the system
// does not tell.
func CPU(pid int) (seconds float64, ok bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	return parseStat(string(text))
}

// parseStat reads the line of /proc/PID/stat. The second field is a name in
// parentheses, in which anything may stand.
func parseStat(text string) (seconds float64, ok bool) {
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	const user, system = 11, 12 // counted from the field behind the name
	if len(fields) <= system {
		return 0, false
	}
	u, err := strconv.ParseUint(fields[user], 10, 64)
	if err != nil {
		return 0, false
	}
	s, err := strconv.ParseUint(fields[system], 10, 64)
	if err != nil {
		return 0, false
	}
	return float64(u+s) / clockTicks, true
}

// Processor returns the name of the machine's processor, "" where the system does
// not tell.
func Processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
