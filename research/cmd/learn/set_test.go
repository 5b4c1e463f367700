package main

import (
	"os"
	"path/filepath"
	"testing"

	"backsolve/research/selfplay"
)

// The measured network is the last that is kept, also where an earlier one has a better grade.
func TestLast(t *testing.T) {
	var log []logged
	for i, policy := range []float64{0.2, 0.9, 0.3} {
		log = append(log, logged{Report: &selfplay.Report{Iteration: i + 1}, Grade: &graded{Policy: policy}})
	}
	for lost, want := range map[int]int{0: 3, 3: 2} {
		if got := last(log, func(i int) bool { return i != lost }); got != want {
			t.Errorf("without the weights of %d: iteration %d, want %d", lost, got, want)
		}
	}
	if got := last(nil, nil); got != 0 {
		t.Errorf("of no log: iteration %d", got)
	}
}

// The set of docs/reports/learning is valid: each training has a valid description.
func TestKeptSet(t *testing.T) {
	s, err := loadSet(filepath.Join("..", "..", "..", "docs", "reports", "learning"), "")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, row := range s.Rows {
		for _, name := range row.Runs {
			named[name] = true
		}
	}
	for _, p := range s.Runs {
		if _, err := s.description(p.Name); err != nil {
			t.Error(err)
		}
		if !named[p.Name] {
			t.Errorf("%s is in no row of the page", p.Name)
		}
	}
	if len(s.Rows) != 9 || len(s.Runs) < 20 {
		t.Errorf("%d rows and %d trainings", len(s.Rows), len(s.Runs))
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

// A training that was renamed keeps its measurements: the directory names it.
func TestRenamedTraining(t *testing.T) {
	s := &set{dir: filepath.Join("..", "..", "..", "docs", "reports", "learning"), data: t.TempDir()}
	k := &kept{Plan: plan{Name: "notakto-3", Title: "before", Every: 2}, Trained: 20, Iteration: 20}
	if err := s.keep(k); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.dataPath("notakto-3", logFile), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(s.data, "notakto-3"), filepath.Join(s.data, "notakto-4")); err != nil {
		t.Fatal(err)
	}
	k, err := s.results("notakto-4")
	after := plan{Name: "notakto-4", Title: "after", Every: 2}
	if err != nil || k.Plan.Name != "notakto-4" || !k.done(after, 20) {
		t.Errorf("%+v, %v", k, err)
	}
	if k.Iteration = 14; k.done(after, 20) {
		t.Error("the measurements of an earlier network are done")
	}
}
