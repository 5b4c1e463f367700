package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"backsolve/internal/player/arena"
	"backsolve/internal/probe/probetest"
	"backsolve/research/grade"
	"backsolve/research/selfplay"
)

// Arms are compared seed by seed, so what all trainings of a seed share cancels out.
func TestExperimentTable(t *testing.T) {
	x := &experiment{Base: &selfplay.Run{}, Arms: []arm{{Name: "plain"}, {Name: "better"}}}
	trained := func(keep float64, wrong int) *trial {
		s := &shares{States: 10, Keep: keep, Random: 0.25}
		return &trial{Grades: []keptGrade{{0, &result{Expert: newTestExpert(s), Champion: []*grade.Walk{{Kept: 4, Wrong: wrong}}}}}}
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
	for at, want := range map[[2]int]string{{1, 4}: "30.0 (10.4–49.6)", {1, 5}: "-", {2, 4}: "50.0 (30.4–69.6)", {2, 5}: "20.0 (20.0–20.0)", {1, 10}: "0 of 5", {1, 11}: "15 of 20"} {
		if got := rows[at[0]][at[1]]; got != want {
			t.Errorf("row %d, %s: %s, want %s", at[0], rows[0][at[1]], got, want)
		}
	}
	// An arm may have more numbers of simulations than the first.
	for _, t := range done[1] {
		t.Grades = append(t.Grades, t.Grades[0])
	}
	if rows := x.table(done); len(rows) != 4 || rows[3][0] != "better" || rows[3][5] != "-" {
		t.Errorf("%q", rows)
	}
	if one := x.table([][]*trial{done[0][:1], nil}); one[1][4] != "10.00" {
		t.Errorf("of one seed: %q", one)
	}
}

// Games are counted by side, with exact intervals of those that differ in all seeds.
func TestExperimentGames(t *testing.T) {
	tally := func(wins, losses int) arena.Tally { return arena.Tally{Wins: wins, Losses: losses} }
	trained := func(won int) *trial {
		played := []gamesResult{
			{"greedy", tally(won, 10-won), tally(10, 0), [2]arena.Tally{tally(1, 1), tally(1, 0)}},
			{"plain", tally(10-won, won), tally(5, 5), [2]arena.Tally{tally(10-won, won), tally(5, 5)}},
		}
		if won > 6 {
			slices.Reverse(played) // the order of opponents does not matter
		}
		r := &result{Games: played, Control: &result{Games: []gamesResult{{"greedy", tally(1, 9), tally(0, 10), [2]arena.Tally{}}}}}
		return &trial{Grades: []keptGrade{{25, r}}}
	}
	x := &experiment{Arms: []arm{{Name: "plain"}}}
	rows := x.games([][]*trial{{trained(6), trained(8)}})
	want := [][]string{
		{"plain", "25", "2", "greedy", "40", "6", "70.00", "50.0 (6.8–93.2)", "100.00", "100.0 (15.8–100.0)"},
		{"plain", "25", "2", "plain", "40", "40", "30.00", "30.0 (11.9–54.3)", "50.00", "50.0 (27.2–72.8)"},
		{"plain, zeros", "25", "2", "greedy", "40", "0", "10.00", "-", "0.00", "-"},
	}
	if !reflect.DeepEqual(rows[1:], want) {
		t.Errorf("%q, want %q", rows[1:], want)
	}
}

// An arm may change the widths of layers, and the others keep those of the base.
func TestArmsChangeWidths(t *testing.T) {
	base := selfplay.DefaultRun(probetest.Rules(t, "notakto", 3).Info())
	base.Network = selfplay.Network{Width: 16, Widths: []int{32, 8}}
	x := &experiment{Base: &base, Seeds: 2, Arms: []arm{{Name: "narrow", Change: json.RawMessage(`{"network": {"widths": [8, 4]}}`)}, {Name: "base"}}}
	x.Simulations = []int{1}
	works, err := x.works("")
	if err != nil || len(works) != 4 || !slices.Equal(works[0].run.Network.Widths, []int{8, 4}) || !slices.Equal(works[1].run.Network.Widths, []int{32, 8}) {
		t.Errorf("%+v, %v", works, err)
	}
}

func newTestExpert(s *shares) *expertResult { return &expertResult{All: s, Won: s} }

// The descriptions of the published trainings of Nim can be run, and the arms of the one with 4
// heaps are that training but for what they change.
func TestPublishedNim(t *testing.T) {
	dir := filepath.Join(reports, "learning")
	x, works, err := readExperiment(filepath.Join(dir, "published-nim-4.json"))
	if err != nil || len(works) != 4*x.Seeds {
		t.Fatalf("%d trainings, %v", len(works), err)
	}
	for heaps, simulations := range map[int]int{5: 50, 6: 60, 7: 100} {
		r, err := readDescription(filepath.Join(dir, fmt.Sprintf("published-nim-%d.json", heaps)))
		if err != nil {
			t.Fatal(err)
		}
		want := *x.Base
		want.Size, want.Search.Simulations = heaps, simulations
		if heaps == 7 {
			want.Training.Tenth, want.Iterations = 0, 500 // there the published rate does not fall, and its data end
		}
		if !reflect.DeepEqual(*r, want) {
			t.Errorf("%d heaps: %+v, want %+v", heaps, *r, want)
		}
	}
}

// Arms may have boards of their own, unless they play each other.
func TestArmsHaveBoards(t *testing.T) {
	x, _, err := readExperiment(filepath.Join(reports, "learning", "ablation-notakto-3.json"))
	if err != nil {
		t.Fatal(err)
	}
	x.Arms = append(x.Arms[:1], arm{Name: "larger", Change: []byte(`{"size": 4}`)})
	all, err := x.works("")
	if err != nil || len(all) != 2*x.Seeds || all[0].run.Size != 3 || all[1].run.Size != 4 {
		t.Errorf("%d trainings, %v", len(all), err)
	}
	x.Games = 2
	if _, err := x.works(""); err == nil {
		t.Error("networks of two boards play each other")
	}
}
