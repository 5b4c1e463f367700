package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// measured is what a solve took, in a file that `simulate measure` writes.
type measured struct {
	// Command is what was run.
	Command string `json:"command"`
	// Note says what there is to know of it, "" for nothing.
	Note string `json:"note,omitempty"`
	// Threads is how many it ran in.
	Threads int `json:"threads"`
	// Processor is the seconds of processor time, in the program and the system, 0 where
	// nobody measured them: then all threads count as busy all the time.
	Processor float64 `json:"processor_seconds,omitempty"`
	// Worker is the seconds that the same solve took by one worker with as many threads, 0 where
	// nobody measured that.
	Worker float64 `json:"worker_seconds,omitempty"`
	// Runs are what the command printed with --json: one object, or one for each time that
	// it went on after an interruption.
	Runs []run `json:"runs"`
}

// run is what is read of the JSON of a solve.
type run struct {
	Game     string          `json:"game"`
	Size     int             `json:"size"`
	HasSteps bool            `json:"has_steps,omitempty"`
	Seconds  float64         `json:"seconds"`
	Classes  json.RawMessage `json:"classes,omitempty"` // a number, or what is known of each
}

// readMeasured reads such a file.
func readMeasured(path string) (*measured, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m := &measured{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("%s is not what simulate measure writes (%w); measure the solve again", path, err)
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
		return errors.New("the solve took no time; measure one that solves and does not find its table there already")
	}
	for _, r := range m.Runs {
		if r.Game != m.Runs[0].Game || r.Size != m.Runs[0].Size {
			return errors.New("its runs are of different boards")
		}
	}
	return nil
}

// seconds is how long all runs took.
func (m *measured) seconds() (sum float64) {
	for _, r := range m.Runs {
		sum += r.Seconds
	}
	return sum
}

// cores is the seconds of cores that the solve took.
func (m *measured) cores() float64 {
	if m.Processor > 0 {
		return m.Processor
	}
	return m.seconds() * float64(m.Threads)
}

// streamed is a class in the JSON of a solve whose table is not kept.
type streamed struct {
	Class     int     `json:"class"`
	Blocks    float64 `json:"blocks"`
	IndexBits int     `json:"index_bits"`
}

// streamedStates returns the stored states of a solve whose table was not kept.
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
