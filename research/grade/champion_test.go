package grade

import (
	"math"
	"math/rand/v2"
	"testing"

	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/player/zero"
	"backsolve/internal/player/zero/network"
	"backsolve/internal/search"
)

// beatable tries everything against an agent, and returns the plies of the shortest game in
// which it gets less than wanted, 0 if there is none.
func beatable(t *testing.T, a *Subject, s game.State, side game.Side, want game.Outcome) (plies int) {
	t.Helper()
	if o, over := a.Rules.Terminal(s); over {
		if a.Rules.Turn(s) != side {
			o = o.Flip()
		}
		if search.Sign(o) < search.Sign(want) {
			return 1
		}
		return 0
	}
	moves := a.Rules.Moves(nil, s)
	if a.Rules.Turn(s) == side {
		p, err := a.Agent.Begin(a.Seed)
		if err != nil {
			t.Fatal(err)
		}
		m, err := player.Move(t.Context(), p, s)
		if err != nil {
			t.Fatal(err)
		}
		moves = []game.Move{m}
	}
	for _, m := range moves {
		if n := beatable(t, a, a.Rules.Play(s, m), side, want); n > 0 && (plies == 0 || n+1 < plies) {
			plies = n + 1
		}
	}
	return plies
}

// The walk with small and large batches agrees with trying everything, for perfect and other
// agents on 3×3.
func TestChampionIsBruteForce(t *testing.T) {
	for _, name := range []string{"notakto", "tictactoe"} {
		a := newSubject(t, name, 3, true)
		sides, err := a.Sides()
		if err != nil {
			t.Fatal(err)
		}
		if want := map[string]int{"notakto": 1, "tictactoe": 2}[name]; len(sides) != want {
			t.Errorf("%s: %d sides", name, len(sides))
		}
		champions, beaten := 0, 0
		for seed := range uint64(12) {
			for _, agent := range []player.Agent{
				perfect(t, a, player.Strength{Policy: player.Optimal}),
				perfect(t, a, player.Strength{Policy: player.Optimal, Blunder: 0.1}),
				player.Greedy(a.Rules), player.Random(a.Rules),
			} {
				a.Agent, a.Seed = agent, seed
				for _, side := range sides {
					w, err := a.champion(t.Context(), side, 1+int(seed), nil)
					if err != nil {
						t.Fatal(err)
					}
					want := beatable(t, a, a.Rules.Start(), side, worthOf(w))
					if w.Champion != (want == 0) || len(w.Line) != max(want-1, 0) || w.Champion != (w.Wrong == 0) {
						t.Errorf("%s, %s as %v, seed %d: %+v, want a game of %d plies", name, agent.Name(), side, seed, w, want-1)
					}
					checkLine(t, a, w)
					if w.Champion {
						champions++
					} else {
						beaten++
					}
				}
			}
		}
		if champions < 12 || beaten < 12 {
			t.Errorf("%s: %d champions, %d beaten", name, champions, beaten)
		}
	}
}

func worthOf(w *Walk) game.Outcome {
	return map[string]game.Outcome{"win": game.Win, "draw": game.Draw}[w.Worth]
}

// checkLine plays the line of a walk: the agent's moves must be its own, and it must get
// less than it could.
func checkLine(t *testing.T, a *Subject, w *Walk) {
	t.Helper()
	if w.Champion {
		return
	}
	s := a.Start()
	for _, text := range w.Line {
		m, err := a.Rules.ParseMove(s, text)
		if err != nil {
			t.Fatal(err)
		}
		if a.Rules.Turn(s).String() == w.Side {
			_, rated, err := a.Answers.Rate(a.Rules, s, nil)
			if err != nil {
				t.Fatal(err)
			}
			if own, _, err := a.ask(t.Context(), s, rated); err != nil || own != m {
				t.Fatalf("the agent plays %v in %s, not %v", own, a.Rules.Format(s), m)
			}
		}
		s = a.Rules.Play(s, m)
	}
	o, over := a.Rules.Terminal(s)
	if a.Rules.Turn(s).String() != w.Side {
		o = o.Flip()
	}
	if !over || search.Sign(o) >= search.Sign(worthOf(w)) {
		t.Errorf("the line ends in %s", a.Rules.Format(s))
	}
}

// An agent that errs in one state is no champion if it gets there, and one if it does not.
func TestChampionWithOneFault(t *testing.T) {
	a := newSubject(t, "notakto", 3, true)
	best := perfect(t, a, player.Strength{Policy: player.Shortest})
	a.Agent = best
	w, err := a.Champion(t.Context(), game.X, nil)
	if err != nil || !w.Champion || w.States != w.Kept || w.States == 0 {
		t.Fatalf("%+v, %v", w, err)
	}
	// The states that it meets are those in which an agent that does not answer fails.
	met := map[game.State]bool{}
	a.Agent = &scripted{best, nil}
	open, err := reachable(t.Context(), a.Rules, a.Start())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range open {
		if a.Rules.Turn(s) == game.X {
			a.Agent = &scripted{best, map[game.State]game.Move{s: game.Pass}}
			_, err := a.Champion(t.Context(), game.X, nil)
			met[s] = err != nil
		}
	}
	reached := 0
	for _, is := range met {
		if is {
			reached++
		}
	}
	if reached != w.States {
		t.Errorf("%d states are met, and it says %d", reached, w.States)
	}
	for _, there := range []bool{true, false} {
		a.Agent = &scripted{best, losing(t, a, func(s game.State) bool { return a.Rules.Turn(s) == game.X && met[s] == there })}
		faulty, err := a.Champion(t.Context(), game.X, nil)
		if err != nil {
			t.Fatal(err)
		}
		if faulty.Champion == there || there && faulty.Wrong != 1 {
			t.Errorf("a fault that is met: %t; %+v", there, faulty)
		}
		checkLine(t, a, faulty)
	}
	if _, err := a.Champion(t.Context(), game.O, nil); err == nil {
		t.Error("the side that loses has a champion")
	}
}

// A walk that merges symmetric states gives the answer of a full walk.
func TestChampionUpToSymmetry(t *testing.T) {
	for seed := range uint64(4) {
		a := newSubject(t, "notakto", 3, false)
		e := zero.Encoding{Canonical: zero.LineGroup}
		view, err := zero.NewView(a.Rules, e)
		if err != nil {
			t.Fatal(err)
		}
		shape := network.Shape{Inputs: view.Inputs(), Actions: view.Actions(), Width: 16}
		w := &zero.Weights{Network: network.New(shape), Made: zero.Made{Game: "notakto", Size: 3, Encoding: e, Shape: shape, Search: zero.DefaultSearch(1)}}
		w.Network.Init(rand.New(rand.NewPCG(seed, 1)))
		agent, err := zero.New(a.Rules, w, 10*int(seed))
		if err != nil {
			t.Fatal(err)
		}
		a.Agent = agent
		merged, err := a.Champion(t.Context(), game.X, nil)
		if err != nil {
			t.Fatal(err)
		}
		checkLine(t, a, merged)
		a.Agent = struct{ player.Agent }{agent}
		whole, err := a.Champion(t.Context(), game.X, nil)
		if err != nil {
			t.Fatal(err)
		}
		if merged.Champion != whole.Champion || len(merged.Line) != len(whole.Line) || merged.States >= whole.States || (merged.Wrong == 0) != (whole.Wrong == 0) {
			t.Errorf("seed %d: %+v, without symmetries %+v", seed, merged, whole)
		}
		x, err := (&Subject{Rules: a.Rules, Answers: a.Answers, Agent: agent, Threads: 3}).Expert(t.Context(), 0, nil)
		if err != nil || !x.Estimate || x.All.Policy < 1 || x.All.Sign < 1 || x.All.Signed != x.All.States {
			t.Errorf("%+v, %v", x, err)
		}
		// The positions that are alike are counted as if each had been looked at.
		if each, err := a.Expert(t.Context(), 0, nil); err != nil || each.All.States != x.All.States || each.All.Keep != x.All.Keep || each.Won.Keep != x.Won.Keep {
			t.Errorf("%+v, one by one %+v, %v", x.All, each.All, err)
		} else {
			one, _ := each.Won.Random()
			if other, _ := x.Won.Random(); math.Abs(one-other) > 1e-12 {
				t.Errorf("random %v, one by one %v", other, one)
			}
		}
		if seed == 0 && (x.All.Policy != x.All.Keep || x.Won.Policy != x.Won.Keep) {
			t.Errorf("without simulations the policy keeps %d, the agent %d", x.All.Policy, x.All.Keep)
		}
	}
}

// In Nim either player may be to move with the same heaps. The agent does not see that, but
// the walk does.
func TestChampionOfNim(t *testing.T) {
	champions := 0
	for seed := range uint64(12) {
		a := nimSubject(t, 3, seed, 300*int(seed), func(m *zero.Made) { m.Search.Proved = true })
		sides, err := a.Sides()
		if err != nil || len(sides) != 1 {
			t.Fatalf("%v, %v", sides, err)
		}
		merged, err := a.Champion(t.Context(), sides[0], nil)
		if err != nil {
			t.Fatal(err)
		}
		checkLine(t, a, merged)
		a.Agent = struct{ player.Agent }{a.Agent}
		whole, err := a.Champion(t.Context(), sides[0], nil)
		if err != nil {
			t.Fatal(err)
		}
		if merged.Champion != whole.Champion || len(merged.Line) != len(whole.Line) {
			t.Errorf("seed %d: %+v, one by one %+v", seed, merged, whole)
		}
		if merged.Champion {
			champions++
		}
	}
	if champions == 0 || champions == 12 {
		t.Errorf("%d of 12 are champions, which shows little", champions)
	}
}

// Where games can cycle, who wins soonest is a champion, and who keeps every win but delays it for
// ever is none: the walk says so where a search for a state that is met again does.
func TestCyclesAreNoWins(t *testing.T) {
	a := newSubject(t, "quixo", 3, true)
	best := perfect(t, a, player.Strength{Policy: player.Shortest})
	slow := &scripted{best, map[game.State]game.Move{}}
	open, err := reachable(t.Context(), a.Rules, a.Start())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range open {
		value, rated, err := a.Answers.Rate(a.Rules, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rated {
			if last, met := slow.moves[s]; r.Outcome == game.Win && value.Outcome == game.Win && (!met || r.Steps > rated[place(rated, last)].Steps) {
				slow.moves[s] = r.Move
			}
		}
	}
	for _, agent := range []player.Agent{best, slow} {
		a.Agent = agent
		w, err := a.Champion(t.Context(), game.X, nil)
		if err != nil {
			t.Fatal(err)
		}
		if delays := agent == slow; w.Champion == delays || w.Cycles != delays || w.Wrong > 0 || (len(w.Line) > 0) != delays {
			t.Errorf("%+v, delays %t", w, delays)
		}
		if returns := a.returns(t, a.Start(), map[game.State]bool{}); returns != w.Cycles {
			t.Errorf("a state is met again: %t, want %t", returns, w.Cycles)
		}
	}
}

// returns reports whether opponents can lead the agent, which plays X, to a state again.
func (a *Subject) returns(t *testing.T, s game.State, on map[game.State]bool) bool {
	t.Helper()
	if _, over := a.Rules.Terminal(s); over {
		return false
	}
	if open, met := on[s]; met {
		return open
	}
	on[s] = true
	moves := a.Rules.Moves(nil, s)
	if a.Rules.Turn(s) == game.X {
		m, err := a.move(t.Context(), s, a.Seed)
		if err != nil {
			t.Fatal(err)
		}
		moves = []game.Move{m}
	}
	for _, m := range moves {
		if a.returns(t, a.Rules.Play(s, m), on) {
			return true
		}
	}
	on[s] = false
	return false
}
