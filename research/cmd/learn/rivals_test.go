package main

import (
	"reflect"
	"testing"

	"backsolve/internal/player/arena"
)

// What one network wins as first player the other does not win as second; the measured
// network is listed with all its simulations.
func TestTablesOfRivals(t *testing.T) {
	rated := func(value, half float64) arena.Estimate {
		return arena.Estimate{Value: value, Low: value - half, High: value + half}
	}
	k := &kept{
		Plan: plan{Name: "key", Elo: 10, Simulations: []int{0, 100}}, Iteration: 25,
		Meetings: []meeting{{Rival: "plain", Iteration: 5, Games: []meetingGames{
			{Simulations: 100, First: arena.Tally{Wins: 9, Losses: 1}, Second: arena.Tally{Wins: 4, Losses: 5, Draws: 1}, Different: 7},
		}}},
		Fixed: &fixedRatings{
			Games:  100,
			Agents: []agentRating{{"random", rated(1000, 0)}, {"greedy", rated(1200.4, 30)}},
			Networks: []networkRating{
				{Iteration: 10, Rating: rated(1100, 50)}, {Iteration: 20, Rating: rated(1300, 40)}, {Iteration: 30, Rating: rated(1250, 40)}, {Iteration: 40, Rating: rated(1350, 40)},
				{Iteration: 25, Rating: rated(1400, 60)}, {Iteration: 25, Simulations: 100, Rating: rated(1500, 70)},
			},
		},
	}
	r := &report{Measured: []*kept{k, {Plan: plan{Name: "other"}}}}
	wantRows(t, r, "meetings", [][]string{
		{"training / rival", "iterations", "simulations", "as first", "as second", "games", "different"},
		{"key / plain", "25 / 5", "100", "90.00 / 50.00", "40.00 / 10.00", "20", "7"},
	})
	wantRows(t, r, "fixed-ratings", [][]string{
		{"training", "fixed agents", "iteration: without search", "the measured one"},
		{
			"key", "random 1000; greedy 1200 (1170 to 1230)", "10: 1100 (1050 to 1150); 30: 1250 (1210 to 1290); 40: 1350 (1310 to 1390)",
			"25: alone 1400 (1340 to 1460); with 100 simulations 1500 (1430 to 1570)",
		},
	})
}

func wantRows(t *testing.T, r *report, table string, want [][]string) {
	t.Helper()
	if got, err := r.table(table); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q, %v\nwant %q", got, err, want)
	}
}
