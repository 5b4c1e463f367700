package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// measured is the cost of a solve, in a file that `simulate measure` writes.
type measured struct {
	Command string `json:"command"`
	Note    string `json:"note,omitempty"`
	Threads int    `json:"threads"`
	// Processor is the processor time in seconds; if 0, all threads count as busy.
	Processor float64 `json:"processor_seconds,omitempty"`
	// Runs is the JSON output, one object for each time that the solve was resumed.
	Runs []run `json:"runs"`
}

// run is the part of a solve's JSON that is used.
type run struct {
	Game     string          `json:"game"`
	Size     int             `json:"size"`
	HasSteps bool            `json:"has_steps,omitempty"`
	Seconds  float64         `json:"seconds"`
	Classes  json.RawMessage `json:"classes,omitempty"` // a number, or a list
}

func readMeasured(path string) (*measured, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m := &measured{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("%s is not a file of simulate measure (%w); measure the solve again", path, err)
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("%s cannot be used: %w", path, err)
	}
	return m, nil
}

func (m *measured) check() error {
	switch {
	case len(m.Runs) == 0:
		return errors.New("it has no runs; measure a solve that prints JSON")
	case m.Threads < 1:
		return errors.New("it does not say how many threads the solve had")
	case m.seconds() <= 0:
		return errors.New("the solve took no time; its table existed already")
	}
	for _, r := range m.Runs {
		if r.Game != m.Runs[0].Game || r.Size != m.Runs[0].Size {
			return errors.New("its runs are of different boards")
		}
	}
	return nil
}

// seconds returns the time of all runs.
func (m *measured) seconds() (sum float64) {
	for _, r := range m.Runs {
		sum += r.Seconds
	}
	return sum
}

// cores returns the core seconds of the solve.
func (m *measured) cores() float64 {
	if m.Processor > 0 {
		return m.Processor
	}
	return m.seconds() * float64(m.Threads)
}

// streamed is a class in the JSON of a streamed solve.
type streamed struct {
	Class     int     `json:"class"`
	Blocks    float64 `json:"blocks"`
	IndexBits int     `json:"index_bits"`
}

// streamedStates returns the stored states of a streamed solve.
func (m *measured) streamedStates() (states float64, err error) {
	var classes []streamed
	if err := json.Unmarshal(m.Runs[0].Classes, &classes); err != nil {
		return 0, fmt.Errorf("the solve has no list of its classes: %w", err)
	}
	for _, c := range classes {
		states += c.Blocks * float64(uint64(1)<<uint(c.IndexBits))
	}
	return states, nil
}
