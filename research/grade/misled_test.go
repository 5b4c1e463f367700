package grade

import (
	"math"
	"testing"

	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/player/zero"
)

// The misled positions are those of a search through all, the worst first.
func TestMisled(t *testing.T) {
	for _, order := range []zero.Group{zero.NoGroup, zero.HeapOrder} {
		a := nimSubject(t, 4, 1, 0, func(m *zero.Made) { m.Encoding.Canonical = order })
		open, err := reachable(t.Context(), a.Rules, a.Start())
		if err != nil {
			t.Fatal(err)
		}
		wrong := map[zero.State]float32{}
		agent := a.Agent.(*zero.Agent)
		for _, s := range open {
			worth, rated, err := a.Answers.Rate(a.Rules, s, nil)
			if err != nil {
				t.Fatal(err)
			}
			value, best := agent.Estimate(s)
			o, err := a.Opinion(s)
			if err != nil {
				t.Fatal(err)
			}
			if o.Worth != worth.Outcome || o.Value != value || o.Favourite.Move != best || o.Right != (rated[place(rated, best)].Outcome == worth.Outcome) {
				t.Fatalf("%s: %+v, but the network's move is %v, its value %v", a.Rules.Format(s), o, best, value)
			}
			if worth.Outcome == game.Lose && math.Abs(o.Kept()-1) > 1e-5 {
				t.Errorf("%s: of a lost state every move keeps the value, and these have %v", a.Rules.Format(s), o.Kept())
			}
			if !o.Right {
				wrong[agent.Canonical(s)] = o.Favourite.Fraction
			}
		}
		all, err := a.Misled(t.Context(), 0, 1000)
		if err != nil || len(all) != len(wrong) || len(all) < 20 {
			t.Fatalf("%d positions, want %d; %v", len(all), len(wrong), err)
		}
		for i, o := range all {
			if o.Favourite.Fraction != wrong[agent.Canonical(o.State)] || o.Right || o.Worth != game.Win || i > 0 && o.Favourite.Fraction > all[i-1].Favourite.Fraction {
				t.Errorf("place %d: %+v", i, o)
			}
		}
		few, err := a.Misled(t.Context(), 0, 3)
		if err != nil || len(few) != 3 || few[2].State != all[2].State {
			t.Errorf("%+v, %v", few, err)
		}
		if drawn, err := a.Misled(t.Context(), 50, 1000); err != nil || len(drawn) == 0 || len(drawn) >= len(all) {
			t.Errorf("%d of 50 drawn ones, %v", len(drawn), err)
		}
	}
}

// A search that proves values finds out that the network was wrong; the moves that keep the
// value then have all visits.
func TestFollow(t *testing.T) {
	a := nimSubject(t, 3, 1, 0, func(m *zero.Made) { m.Search.Proved = true })
	all, err := a.Misled(t.Context(), 0, 5)
	if err != nil || len(all) != 5 {
		t.Fatalf("%+v, %v", all, err)
	}
	for _, o := range all {
		snapshots, err := a.Follow(t.Context(), o, []int{0, 4, 50_000})
		if err != nil {
			t.Fatal(err)
		}
		if first := snapshots[0]; math.Abs(first.Kept-o.Kept()) > 1e-6 || first.Proved {
			t.Errorf("%s: %+v without simulations, and the probabilities are %v", a.Rules.Format(o.State), first, o.Kept())
		}
		if last := snapshots[2]; !last.Proved || math.Abs(last.Kept-1) > 1e-6 || last.Simulations != 50_000 {
			t.Errorf("%s: %+v at last", a.Rules.Format(o.State), last)
		}
	}
}

// An agent without a network has no opinion.
func TestNoOpinion(t *testing.T) {
	a := nimSubject(t, 3, 1, 0, nil)
	a.Agent = player.Random(a.Rules)
	if _, err := a.Opinion(a.Rules.Start()); err == nil {
		t.Error("who plays at random has an opinion")
	}
	if _, err := a.Misled(t.Context(), 0, 1); err == nil {
		t.Error("who plays at random is misled")
	}
}
