package grade

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/player"
	"backsolve/player/agents"
	"backsolve/player/zero"
	"backsolve/player/zero/network"
	"backsolve/probe/solved"
)

// newSubject returns a board with its table, and an agent that is yet to be named.
func newSubject(t *testing.T, name string, n int, steps bool) *Subject {
	t.Helper()
	grid := solved.Rules(t, name, n)
	return &Subject{Rules: game.Opaque[game.Position](grid), Answers: solved.Open(t, grid, 0, steps), Seed: 3, Threads: 2}
}

func perfect(t *testing.T, a *Subject, s player.Strength) player.Agent {
	t.Helper()
	agent, err := player.Perfect(a.Rules, a.Answers, s)
	if err != nil {
		t.Fatal(err)
	}
	return agent
}

// scripted is an agent that plays as another one, except in some positions.
type scripted struct {
	player.Agent
	moves map[game.State]game.Move
}

func (a *scripted) Begin(seed uint64) (player.Player, error) {
	p, err := a.Agent.Begin(seed)
	return &scriptedPlayer{p, a}, err
}

type scriptedPlayer struct {
	player.Player
	of *scripted
}

func (p *scriptedPlayer) Move(ctx context.Context, s game.State) (game.Move, error) {
	if m, ok := p.of.moves[s]; ok {
		return m, nil
	}
	return p.Player.Move(ctx, s)
}

// truth is the outcome of a state by trying all moves.
func truth(rules game.Rules, s game.State, known map[game.State]game.Outcome) game.Outcome {
	if o, over := rules.Terminal(s); over {
		return o
	}
	if o, ok := known[s]; ok {
		return o
	}
	best := game.Lose
	for _, m := range rules.Moves(nil, s) {
		if o := truth(rules, rules.Play(s, m), known).Flip(); goodness(o) > goodness(best) {
			best = o
		}
	}
	known[s] = best
	return best
}

// Who plays by the table keeps the value everywhere, and who plays the shortest way is
// right by the strict measure, too.
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

// The random mover's share is exact: it is counted again without the table, and the random
// agent comes near it.
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

// One state in which the agent errs is one that is not kept; threads and drawn states
// change nothing in that.
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

// losing returns a move that gives away a win, in one of the states that are wanted.
func losing(t *testing.T, a *Subject, wanted func(s game.State) bool) map[game.State]game.Move {
	t.Helper()
	open, err := a.reached(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range open {
		value, rated, err := a.Answers.Rate(a.Rules, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if worst := rated[len(rated)-1]; value.Outcome == game.Win && worst.Outcome == game.Lose && wanted(s) {
			return map[game.State]game.Move{s: worst.Move}
		}
	}
	t.Fatal("there is no such state")
	return nil
}

// beatable tries everything against an agent, and returns the number of plies of the
// shortest game in which it gets less than wanted, 0 where there is none.
func beatable(t *testing.T, a *Subject, s game.State, side game.Side, want game.Outcome) (plies int) {
	t.Helper()
	if o, over := a.Rules.Terminal(s); over {
		if a.Rules.Turn(s) != side {
			o = o.Flip()
		}
		if goodness(o) < goodness(want) {
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
		m, err := p.Move(t.Context(), s)
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

// The walk agrees with trying everything: with perfect agents, and with all kinds of
// others, on 3×3.
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
					w, err := a.Champion(t.Context(), side, nil)
					if err != nil {
						t.Fatal(err)
					}
					want := beatable(t, a, a.Rules.Start(), side, w.Worth)
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

// checkLine plays the line of a walk, in which the agent's moves must be its own, and
// wants the agent to get less than it could.
func checkLine(t *testing.T, a *Subject, w *Walk) {
	t.Helper()
	if w.Champion {
		return
	}
	s := a.Rules.Start()
	for _, m := range w.Line {
		if !slices.Contains(a.Rules.Moves(nil, s), m) {
			t.Fatalf("%v is not legal in %s", m, a.Rules.Format(s))
		}
		if a.Rules.Turn(s) == w.Side {
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
	if a.Rules.Turn(s) != w.Side {
		o = o.Flip()
	}
	if !over || goodness(o) >= goodness(w.Worth) {
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
	open, err := a.reached(t.Context())
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

// An agent that plays alike in images of a position is walked through with these taken
// for one; the answer is that of a walk through all of them.
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

// What ends the context ends the work, and what is too large is refused.
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

// nimSubject returns Nim with its formula, and an untrained network as the agent.
func nimSubject(t *testing.T, heaps int, seed uint64, simulations int, made func(m *zero.Made)) *Subject {
	t.Helper()
	rules, err := games.New("nim", heaps)
	if err != nil {
		t.Fatal(err)
	}
	env := &agents.Env{Rules: rules}
	answers, err := env.Answers(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	m := zero.Made{Game: "nim", Size: heaps, Encoding: zero.Finest(rules.Info()), Search: zero.DefaultSearch(1), Seed: seed}
	if made != nil {
		made(&m)
	}
	view, err := zero.NewView(rules, m.Encoding)
	if err != nil {
		t.Fatal(err)
	}
	m.Shape = network.Shape{Inputs: view.Inputs(), Actions: view.Actions(), Width: 16}
	w := &zero.Weights{Network: network.New(m.Shape), Made: m}
	w.Network.Init(rand.New(rand.NewPCG(seed, 2)))
	agent, err := zero.New(rules, w, simulations)
	if err != nil {
		t.Fatal(err)
	}
	return &Subject{Rules: rules, Answers: answers, Agent: agent, Seed: 3, Threads: 2}
}

// In Nim either player can be to move before the same heaps, which an agent does not see,
// but the walk does: it agrees with one that takes no two states for one.
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

// Of Nim all positions are looked at, by the counters that are left; those held out stand
// apart, and are those of which the agent says so.
func TestExpertOfNim(t *testing.T) {
	a := nimSubject(t, 3, 1, 10, func(m *zero.Made) { m.HeldOut = 0.3 })
	x, err := a.Expert(t.Context(), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	open, err := a.reached(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if a.Progress() != "counters" || x.All.States != len(open) || x.AllBy[9].States != 1 || x.AllBy[0] != nil || x.All.Different != 30-1 {
		t.Errorf("%d states of %d, %d different, %d at the start", x.All.States, len(open), x.All.Different, x.AllBy[9].States)
	}
	heldOut, won := 0, 0
	for _, s := range open {
		if a.Agent.(Holder).HeldOut(s) {
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
