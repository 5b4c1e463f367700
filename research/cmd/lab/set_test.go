package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"backsolve/research/selfplay"
)

var reports = filepath.Join("..", "..", "..", "docs", "reports")

// The measured network is the last that is kept, also where an earlier one has a better grade.
func TestLast(t *testing.T) {
	var log []logged
	for i, policy := range []float64{0.2, 0.9, 0.3} {
		log = append(log, logged{Report: &selfplay.Report{Iteration: i + 1}, Grade: &graded{Policy: policy}})
	}
	made := &training{out: t.TempDir()}
	for kept := range 4 {
		if got := made.lastSaved(log); got != kept {
			t.Errorf("with %d weights: iteration %d", kept, got)
		}
		if err := os.WriteFile(made.path(weightsFile(kept+1)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := made.lastSaved(nil); got != 0 {
		t.Errorf("of no log: iteration %d", got)
	}
}

// All experiments of docs/reports can be run, with five seeds where they have a base.
func TestKeptExperiments(t *testing.T) {
	all := 0
	for _, pattern := range []string{"learning/*.json", "learning/*/run.json", "ladder/*.json"} {
		paths, err := filepath.Glob(filepath.Join(reports, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if _, err := readDescription(path); err == nil {
				continue
			}
			x, works, err := readExperiment(path)
			switch {
			case err != nil:
				t.Error(err)
			case x.Base != nil && x.Seeds != 5 && !strings.HasSuffix(path, "published-nim-4.json"):
				t.Errorf("%s: %d seeds", path, x.Seeds)
			case len(works) != max(1, x.Seeds)*len(x.Arms):
				t.Errorf("%s: %d trainings", path, len(works))
			}
			all++
		}
	}
	if all < 15 {
		t.Errorf("%d experiments", all)
	}
}

// Weights of all networks that are used later are kept.
func TestKeeps(t *testing.T) {
	for want, p := range map[int]plan{0: {}, 5: {Every: 5}, 7: {Elo: 7}, 2: {Every: 4, Elo: 6}, 4: {Every: 4, Elo: 8}} {
		if got := p.keeps(); got != want {
			t.Errorf("%+v: %d, want %d", p, got, want)
		}
	}
}
