package grade

import (
	"context"
	"errors"
	"math"
	"testing"

	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/player/zero"
)

// An agent that plays by the table keeps the value everywhere; the shortest one is right by
// the strict measure, too.
func TestExpertOfPerfectPlay(t *testing.T) {
	for _, c := range []struct {
		name   string
		n      int
		policy player.Policy
	}{{"notakto", 3, player.Optimal}, {"notakto", 3, player.Shortest}, {"tictactoe", 3, player.Shortest}, {"quixo", 2, player.Optimal}} {
		a := newSubject(t, c.name, c.n, true)
		a.Agent = perfect(t, a, player.Strength{Policy: c.policy})
		x, err := a.Expert(t.Context(), 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		if x.All.States == 0 || x.All.Keep != x.All.States || x.Won.Keep != x.Won.States || !x.HasSteps || x.Estimate {
			t.Errorf("%s %d: %+v", c.name, c.n, x.All)
		}
		if (x.All.Strict == x.All.States) != (c.policy == player.Shortest) && c.name != "quixo" {
			t.Errorf("%s %d, %s: strict in %d of %d", c.name, c.n, c.policy, x.All.Strict, x.All.States)
		}
		total := 0
		for _, s := range x.AllBy {
			total += s.States
		}
		if total != x.All.States {
			t.Errorf("%d states by marks, %d in all", total, x.All.States)
		}
	}
}

// Of the states that are not lost, an untrained network keeps as many as are counted with values
// found by repeated passes over all states.
func TestExpertOfStatesNotLost(t *testing.T) {
	for _, name := range []string{"tictactoe", "quixo"} {
		a := newSubject(t, name, 3, false)
		a.Agent = untrained(t, a.Rules, 7, 0, nil)
		open, err := reachable(t.Context(), a.Rules, a.Start())
		if err != nil {
			t.Fatal(err)
		}
		values := passes(a.Rules, open)
		notLost, kept, drawn := 0, 0, 0
		for _, s := range open {
			worth := values(s)
			if worth == game.Lose {
				continue
			}
			notLost++
			if worth == game.Draw {
				drawn++
			}
			if _, m := a.network().Estimate(s); values(a.Rules.Play(s, m)).Flip() == worth {
				kept++
			}
		}
		x, err := a.Expert(t.Context(), 0, nil)
		if err != nil || x.NotLost.States != notLost || x.NotLost.Policy != kept || x.NotLost.Keep != kept || x.Won.States != notLost-drawn {
			t.Errorf("%s: %+v, %v; want %d states, %d kept, %d drawn", name, x.NotLost, err, notLost, kept, drawn)
		}
		if drawn == 0 && name == "tictactoe" || kept == notLost {
			t.Errorf("%s: %d drawn, %d of %d kept, which shows little", name, drawn, kept, notLost)
		}
	}
}

// The random mover's share is exact: counting without the table gives the same, and the
// random agent comes near it.
func TestExpertOfRandomPlay(t *testing.T) {
	for _, name := range []string{"notakto", "tictactoe"} {
		a := newSubject(t, name, 3, false)
		known := map[game.State]game.Outcome{}
		truth(a.Rules, a.Rules.Start(), known)
		sum, wonSum, won := 0.0, 0.0, 0
		for s, o := range known {
			kept, moves := 0, a.Rules.Moves(nil, s)
			for _, m := range moves {
				if truth(a.Rules, a.Rules.Play(s, m), known).Flip() == o {
					kept++
				}
			}
			sum += float64(kept) / float64(len(moves))
			if o == game.Win {
				won++
				wonSum += float64(kept) / float64(len(moves))
			}
		}
		a.Agent = player.Random(a.Rules)
		kept, states := 0, 0
		for seed := range uint64(20) {
			a.Seed = seed
			x, err := a.Expert(t.Context(), 0, nil)
			if err != nil {
				t.Fatal(err)
			}
			all, strict := x.All.Random()
			wins, _ := x.Won.Random()
			if x.All.States != len(known) || x.Won.States != won || math.Abs(all-sum/float64(len(known))) > 1e-12 || math.Abs(wins-wonSum/float64(won)) > 1e-12 || strict > all {
				t.Fatalf("%s: %d states, random %v and %v; want %d, %v and %v", name, x.All.States, all, wins, len(known), sum/float64(len(known)), wonSum/float64(won))
			}
			kept, states = kept+x.All.Keep, states+x.All.States
		}
		// One seed decides of all states, so that they are not independent.
		if got, want := float64(kept)/float64(states), sum/float64(len(known)); math.Abs(got-want) > 0.1 {
			t.Errorf("%s: the random agent keeps the value in %v, expected in %v", name, got, want)
		}
	}
}

// An agent that errs in one state has one wrong state, with any threads and with drawn
// states.
func TestExpertFindsOneFault(t *testing.T) {
	a := newSubject(t, "notakto", 3, false)
	fault := losing(t, a, func(s game.State) bool { return a.progress(s) == 3 })
	best := perfect(t, a, player.Strength{Policy: player.Optimal})
	a.Agent = &scripted{best, fault}
	for _, threads := range []int{1, 3} {
		a.Threads = threads
		x, err := a.Expert(t.Context(), 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		if x.All.Keep != x.All.States-1 || x.Won.Keep != x.Won.States-1 || x.WonBy[3].Keep != x.WonBy[3].States-1 || x.AllBy[4].Keep != x.AllBy[4].States {
			t.Errorf("%d threads: %d of %d", threads, x.All.Keep, x.All.States)
		}
	}
	x, err := a.Expert(t.Context(), 5000, nil)
	if err != nil || x.All.States != 5000 || x.Whole || x.All.Keep == 5000 || x.All.Keep < 4900 {
		t.Errorf("%+v, %v", x, err)
	}
	a.Agent = &scripted{best, map[game.State]game.Move{a.Rules.Start(): game.Pass}}
	if _, err := a.Expert(t.Context(), 0, nil); err == nil {
		t.Error("an illegal move is counted")
	}
}

// Cancelling the context stops the work, and too large boards are refused.
func TestStopped(t *testing.T) {
	a := newSubject(t, "notakto", 3, false)
	a.Agent = player.Random(a.Rules)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Expert(ctx, 0, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := a.Champion(ctx, game.X, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Nim is measured by counters left. Held-out states are counted apart.
func TestExpertOfNim(t *testing.T) {
	a := nimSubject(t, 3, 1, 10, func(m *zero.Made) { m.HeldOut = 0.3 })
	x, err := a.Expert(t.Context(), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	open, err := reachable(t.Context(), a.Rules, a.Start())
	if err != nil {
		t.Fatal(err)
	}
	if progressName(a) != "counters" || x.All.States != len(open) || x.AllBy[9].States != 1 || x.AllBy[0] != nil || x.All.Different != 30-1 {
		t.Errorf("%d states of %d, %d different, %d at the start", x.All.States, len(open), x.All.Different, x.AllBy[9].States)
	}
	heldOut, won := 0, 0
	for _, s := range open {
		if a.network().HeldOut(s) {
			heldOut++
			if value, _, err := a.Answers.Rate(a.Rules, s, nil); err != nil {
				t.Fatal(err)
			} else if value.Outcome == game.Win {
				won++
			}
		}
	}
	if x.HeldOut.States != heldOut || x.HeldOutWon.States != won || heldOut == 0 || heldOut == len(open) || x.HeldOut.Keep > heldOut {
		t.Errorf("%+v, want %d states and %d won", x.HeldOut, heldOut, won)
	}
	drawn, err := a.Expert(t.Context(), 1000, nil)
	if err != nil || drawn.All.States != 1000 || drawn.Whole || drawn.HeldOut.States == 0 {
		t.Errorf("%+v, %v", drawn, err)
	}
	a = nimSubject(t, 3, 1, 10, nil)
	if x, err = a.Expert(t.Context(), 0, nil); err != nil || x.HeldOut != nil {
		t.Errorf("%+v are held out of nothing, %v", x.HeldOut, err)
	}
}
