package grade

import (
	"errors"
	"math"
	"testing"

	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/player/zero"
	"backsolve/internal/probe"
	"backsolve/internal/search"
)

// Late states are reachable, open and have at most the given cells left, all numbers of
// them. Another seed draws others.
func TestLate(t *testing.T) {
	for _, n := range []int{4, 6} {
		a := othelloSubject(t, n, 1, 0, nil)
		a.Late = 7
		ending, ok := search.NewEnding(a.Rules)
		if !ok {
			t.Fatal("nothing solves the ends of Othello")
		}
		reached := map[game.State]game.Outcome{}
		if n == 4 {
			truth(a.Rules, a.Rules.Start(), reached)
		}
		positions, err := a.positions(t.Context(), 300)
		if err != nil || len(positions) != 300 {
			t.Fatalf("%d positions, %v", len(positions), err)
		}
		by := map[int]int{}
		for _, s := range positions {
			if _, over := a.Rules.Terminal(s); over || ending.Left(s) > a.Late || a.progress(s) != ending.Left(s) {
				t.Fatalf("%s is drawn, with %d cells left", a.Rules.Format(s), a.progress(s))
			}
			if _, known := reached[s]; n == 4 && !known {
				t.Errorf("play does not reach %s", a.Rules.Format(s))
			}
			by[a.progress(s)]++
		}
		for left := 1; left <= a.Late; left++ {
			if by[left] < 10 {
				t.Errorf("%d×%d: %d positions with %d cells left", n, n, by[left], left)
			}
		}
		a.Seed++
		others, err := a.positions(t.Context(), 300)
		if err != nil || others[0] == positions[0] && others[1] == positions[1] && others[2] == positions[2] {
			t.Errorf("another seed draws the same positions, %v", err)
		}
	}
	a := nimSubject(t, 3, 1, 0, nil)
	a.Late = 3
	if _, err := a.Expert(t.Context(), 5, nil); err == nil {
		t.Error("of Nim, which counts no cells, positions are drawn late")
	}
}

// The shares of Othello equal those of exhaustive search, of the random mover exactly, by
// cells left; perfect play keeps the value everywhere.
func TestExpertOfOthello(t *testing.T) {
	a := othelloSubject(t, 4, 1, 0, nil)
	a.Late = 8
	known := map[game.State]game.Outcome{}
	truth(a.Rules, a.Rules.Start(), known)
	positions, err := a.positions(t.Context(), 400)
	if err != nil {
		t.Fatal(err)
	}
	keep, sum, won, signed, right := 0, 0.0, 0, 0, 0
	agent := a.Agent.(*zero.Agent)
	for _, s := range positions {
		worth, kept, moves := known[s], 0, a.Rules.Moves(nil, s)
		value, best := agent.Estimate(s)
		for _, m := range moves {
			if truth(a.Rules, a.Rules.Play(s, m), known).Flip() == worth {
				kept++
				if m == best {
					keep++
				}
			}
		}
		sum += float64(kept) / float64(len(moves))
		if worth == game.Win {
			won++
		}
		if worth != game.Draw {
			if signed++; (value > 0) == (worth == game.Win) {
				right++
			}
		}
	}
	x, err := a.Expert(t.Context(), 400, nil)
	if err != nil {
		t.Fatal(err)
	}
	random, _ := x.All.Random()
	if x.All.States != 400 || x.All.Keep != keep || x.All.Policy != keep || x.Won.States != won || x.All.Signed != signed || x.All.Sign != right ||
		math.Abs(random-sum/400) > 1e-9 || x.HasSteps || x.Whole || progressName(a) != "empty" || x.AllBy[9] != nil || x.AllBy[8] == nil {
		t.Errorf("%+v, random %v; want %d kept, %d won, %d of %d signs, random %v", x.All, random, keep, won, right, signed, sum/400)
	}
	a.Agent = perfect(t, a, player.Strength{Policy: player.Optimal})
	if x, err = a.Expert(t.Context(), 400, nil); err != nil || x.All.Keep != 400 {
		t.Errorf("perfect play keeps the value in %d of 400 states, %v", x.All.Keep, err)
	}
}

// A champion of Othello 4×4 plays White, who moves second. The walk, which merges images,
// agrees with trying everything.
func TestChampionOfOthello(t *testing.T) {
	champions := 0
	for seed := range uint64(4) {
		a := othelloSubject(t, 4, seed, 400*int(seed), func(m *zero.Made) { m.Search.Proved = true })
		network := a.Agent
		for _, agent := range []player.Agent{network, perfect(t, a, player.Strength{Policy: player.Optimal}), player.Greedy(a.Rules)} {
			a.Agent = agent
			sides, err := a.Sides()
			if err != nil || len(sides) != 1 || sides[0] != game.O {
				t.Fatalf("%v, %v", sides, err)
			}
			w, err := a.Champion(t.Context(), game.O, nil)
			if err != nil {
				t.Fatal(err)
			}
			want := beatable(t, a, a.Rules.Start(), game.O, game.Win)
			if w.Champion != (want == 0) || len(w.Line) != max(want-1, 0) || w.Champion != (w.Wrong == 0) || w.States == 0 {
				t.Errorf("%s, seed %d: %+v, want a game of %d plies", agent.Name(), seed, w, want-1)
			}
			checkLine(t, a, w)
			if w.Champion {
				champions++
			}
		}
	}
	if champions < 4 || champions == 12 {
		t.Errorf("%d of 12 are champions, which shows little", champions)
	}
}

// A board whose start has no known value has no champion.
func TestUnknownStart(t *testing.T) {
	a := othelloSubject(t, 8, 1, 0, nil)
	if _, err := a.Sides(); !errors.Is(err, probe.ErrUnknown) {
		t.Errorf("who wins 8×8 is known: %v", err)
	}
}
