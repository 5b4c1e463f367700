package main

import (
	"fmt"
	"path/filepath"
	"testing"

	"backsolve/research/internal/files"
)

// Arms are compared seed by seed, so what all trainings of a seed share cancels out.
func TestExperimentTable(t *testing.T) {
	x := &experiment{Arms: []arm{{Name: "plain"}, {Name: "better"}}, Simulations: []int{0}}
	trained := func(keep float64, wrong int) *trial {
		s := &shares{States: 10, Keep: keep, Random: 0.25}
		return &trial{Grades: []keptGrade{{0, &result{Expert: newTestExpert(s), Champion: []walkResult{{Wrong: wrong}}}}}}
	}
	done := [][]*trial{}
	for i := range x.Arms {
		var seeds []*trial
		for _, keep := range []float64{0.1, 0.2, 0.3, 0.4, 0.5} {
			seeds = append(seeds, trained(keep+0.2*float64(i), 3-int(10*keep)/2*i))
		}
		done = append(done, seeds)
	}
	rows := x.table(done)
	// The interval of 10, …, 50 is t(4)·√250/√5 = 2.776·7.071.
	for at, want := range map[[2]int]string{{1, 4}: "30.0 ± 19.6", {1, 5}: "-", {2, 4}: "50.0 ± 19.6", {2, 5}: "20.0 ± 0.0", {1, 9}: "0 of 5"} {
		if got := rows[at[0]][at[1]]; got != want {
			t.Errorf("row %d, %s: %s, want %s", at[0], rows[0][at[1]], got, want)
		}
	}
}

func newTestExpert(s *shares) *expertResult { return &expertResult{All: s, Won: s} }

// The experiments of docs/reports/learning can be run, with five seeds.
func TestKeptExperiments(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "docs", "reports", "learning", "ablation-*.json"))
	if err != nil || len(paths) < 3 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		x := &experiment{}
		if err := files.ReadJSON(path, x); err != nil {
			t.Fatal(err)
		}
		if runs, err := x.runs(); err != nil || len(runs) != 8 || x.Seeds != 5 {
			t.Errorf("%s: %d arms, %d seeds, %v", path, len(runs), x.Seeds, err)
		}
	}
}

// The descriptions of the published trainings of Nim can be run, and the arms of the one with 4
// heaps are that training but for what they change.
func TestPublishedNim(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "docs", "reports", "learning")
	x := &experiment{}
	if err := files.ReadJSON(filepath.Join(dir, "published-nim-4.json"), x); err != nil {
		t.Fatal(err)
	}
	if runs, err := x.runs(); err != nil || len(runs) != 4 {
		t.Fatalf("%d arms, %v", len(runs), err)
	}
	for heaps, simulations := range map[int]int{5: 50, 6: 60, 7: 100} {
		r, err := readDescription(filepath.Join(dir, fmt.Sprintf("published-nim-%d.json", heaps)))
		if err != nil {
			t.Fatal(err)
		}
		want := x.Base
		want.Size, want.Search.Simulations = heaps, simulations
		if heaps == 7 {
			want.Training.Tenth = 0 // there the published rate does not fall
		}
		if *r != want {
			t.Errorf("%d heaps: %+v, want %+v", heaps, *r, want)
		}
	}
}
