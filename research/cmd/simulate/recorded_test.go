package main

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"
)

// The simulation is within 20 % of the recorded runs in time, bytes and messages. Its constants were
// fitted to those by one worker and by two. Those by three were made afterwards.
func TestRecordedRuns(t *testing.T) {
	docs := filepath.Join("..", "..", "..", "docs", "reports")
	for _, name := range []string{stepsJob, afterJob} {
		j, err := newJob(name, docs)
		if err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{1, 2, 3} {
			of, err := readCluster(docs, name, workers)
			if err != nil {
				t.Fatal(err)
			}
			o := j.simulate(of.machine())
			for _, c := range []struct {
				what            string
				predicted, real float64
			}{{"seconds", o.seconds, of.Seconds}, {"bytes read", o.read, of.Read}, {"bytes written", o.written, of.Written}, {"messages", o.messages, of.Messages}} {
				off := c.predicted/c.real - 1
				what := fmt.Sprintf("%s, %d workers: %.4g %s are predicted of %.4g, %+.0f %%", name, workers, c.predicted, c.what, c.real, 100*off)
				if t.Log(what); math.Abs(off) > 0.2 {
					t.Error(what)
				}
			}
		}
	}
}
