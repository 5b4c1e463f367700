package main

import (
	"bytes"
	"encoding/json"
	"testing"
)

// The JSON of a match has exactly these fields.
func TestMatchJSON(t *testing.T) {
	dir := tables(t)
	var out bytes.Buffer
	root := newRoot()
	root.SetArgs([]string{"match", "quixo", "3", "random", "optimal:blunder=0.5", "--games", "5", "--turn-limit", "4",
		"--json", "--quiet", "--dir", dir})
	root.SetOut(&out)
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	type estimate struct{ Value, Low, High *float64 }
	type results struct {
		Wins, Draws, Losses, Games int
		WinShare                   estimate `json:"win_share"`
		DrawShare                  estimate `json:"draw_share"`
		LossShare                  estimate `json:"loss_share"`
	}
	var got struct {
		Game, Version       string
		Size                int
		TurnLimit           int `json:"turn_limit"`
		Seed                uint64
		Agents              [2]string
		Began, Replied, All results
		Strength, Elo       estimate
		Failures            [2]int
		Different           int
		Times               [2]struct {
			Moves   int
			Seconds float64
			PerMove float64 `json:"seconds_per_move"`
			Longest float64 `json:"longest_seconds"`
		}
		Games []struct {
			Number              int
			Game, First, Second string
			Size                int
			Seeds               [2]uint64
			TurnLimit           int `json:"turn_limit"`
			Start               string
			Moves               []string
			Plies               int
			Winner              *string
			Result, Reason      string
		}
	}
	decoder := json.NewDecoder(&out)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if len(got.Games) != 5 || got.All.Games != 5 || got.Began.Games != 3 || got.Agents != [2]string{"random", "optimal:blunder=0.5"} {
		t.Errorf("%+v", got)
	}
	for _, times := range got.Times {
		if times.Longest <= 0 || times.Longest > times.Seconds || times.PerMove > times.Longest {
			t.Errorf("times %+v", times)
		}
	}
	wins := map[string]int{}
	for i, g := range got.Games {
		if g.First != got.Agents[i%2] || g.Second != got.Agents[1-i%2] || g.Plies != len(g.Moves) || g.Plies == 0 || g.Number != i+1 {
			t.Errorf("%+v", g)
		}
		if g.Winner == nil {
			wins[""]++
		} else {
			wins[*g.Winner]++
		}
	}
	if wins["random"] != got.All.Wins || wins["optimal:blunder=0.5"] != got.All.Losses || wins[""] != got.All.Draws {
		t.Errorf("%v, but %+v", wins, got.All)
	}
	if *got.Strength.Value != 10*float64(2*got.All.Wins+got.All.Draws) {
		t.Errorf("strength %v of %+v", *got.Strength.Value, got.All)
	}
}
