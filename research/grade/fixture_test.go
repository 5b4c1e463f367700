package grade

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/player"
	"backsolve/internal/player/agents"
	"backsolve/internal/player/zero"
	"backsolve/internal/player/zero/network"
	"backsolve/internal/probe"
	"backsolve/internal/probe/endgame"
	"backsolve/internal/probe/probetest"
	"backsolve/internal/search"
)

// newSubject returns a board with its table, without an agent.
func newSubject(t *testing.T, name string, n int, steps bool) *Subject {
	t.Helper()
	grid := probetest.Rules(t, name, n)
	return &Subject{Rules: game.Opaque[game.Position](grid), Answers: probetest.Open(t, grid, 0, steps), Seed: 3, Threads: 2}
}

func progressName(a *Subject) string {
	name, _ := a.Progress(a.Start())
	return name
}

func (a *Subject) progress(s game.State) int {
	_, n := a.Progress(s)
	return n
}

func perfect(t *testing.T, a *Subject, s player.Strength) player.Agent {
	t.Helper()
	agent, err := player.Perfect(a.Rules, a.Answers, s)
	if err != nil {
		t.Fatal(err)
	}
	return agent
}

// scripted plays as another agent, except in some positions.
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

func (p *scriptedPlayer) Think(ctx context.Context, s game.State, search *player.Search) (game.Move, error) {
	if m, ok := p.of.moves[s]; ok {
		return m, nil
	}
	return p.Player.Think(ctx, s, search)
}

// truth solves a state by trying all moves.
func truth(rules game.Rules, s game.State, known map[game.State]game.Outcome) game.Outcome {
	if o, over := rules.Terminal(s); over {
		return o
	}
	if o, ok := known[s]; ok {
		return o
	}
	best := game.Lose
	for _, m := range rules.Moves(nil, s) {
		if o := truth(rules, rules.Play(s, m), known).Flip(); search.Sign(o) > search.Sign(best) {
			best = o
		}
	}
	known[s] = best
	return best
}

// passes solves states, in which games may cycle, by passes over all of them until nothing changes.
func passes(rules game.Rules, open []game.State) func(s game.State) game.Outcome {
	known := map[game.State]game.Outcome{}
	value := func(s game.State) game.Outcome {
		if o, over := rules.Terminal(s); over {
			return o
		}
		if o, ok := known[s]; ok {
			return o
		}
		return game.Draw
	}
	for changed := true; changed; {
		changed = false
		for _, s := range open {
			best := game.Lose
			for _, m := range rules.Moves(nil, s) {
				if o := value(rules.Play(s, m)).Flip(); search.Sign(o) > search.Sign(best) {
					best = o
				}
			}
			if best != value(s) {
				known[s], changed = best, true
			}
		}
	}
	return value
}

// losing returns a move that gives away a win, in one of the wanted states.
func losing(t *testing.T, a *Subject, wanted func(s game.State) bool) map[game.State]game.Move {
	t.Helper()
	open, err := reachable(t.Context(), a.Rules, a.Start())
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

// nimSubject returns Nim with its formula and an untrained network.
func nimSubject(t *testing.T, heaps int, seed uint64, simulations int, made func(m *zero.Made)) *Subject {
	t.Helper()
	return networkSubject(t, &agents.Env{}, "nim", heaps, seed, simulations, made)
}

// othelloSubject returns Othello with endgame search and an untrained network.
func othelloSubject(t *testing.T, n int, seed uint64, simulations int, made func(m *zero.Made)) *Subject {
	t.Helper()
	limits := endgame.Limits{Timeout: time.Hour, Threads: 1, Concurrency: 4}
	return networkSubject(t, &agents.Env{OnDemand: probe.OnDemand{Solver: endgame.New(limits)}}, "othello", n, seed, simulations, made)
}

func networkSubject(t *testing.T, env *agents.Env, name string, n int, seed uint64, simulations int, made func(m *zero.Made)) *Subject {
	t.Helper()
	rules, err := games.New(name, n)
	if err != nil {
		t.Fatal(err)
	}
	env.Rules = rules
	answers, err := env.Answerer(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	return &Subject{Rules: rules, Answers: answers, Agent: untrained(t, rules, seed, simulations, made), Seed: 3, Threads: 2}
}

// untrained returns an agent with a network of random weights.
func untrained(t *testing.T, rules game.Rules, seed uint64, simulations int, made func(m *zero.Made)) player.Agent {
	t.Helper()
	info := rules.Info()
	m := zero.Made{Game: info.Name, Size: info.Size, Encoding: zero.Finest(info), Search: zero.DefaultSearch(1), Seed: seed}
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
	return agent
}
