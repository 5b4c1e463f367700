package grade

import (
	"testing"

	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/player/arena"
)

// Deterministic agents play two different games, others more; each result counts for its side.
func TestPlayCountsDifferentGames(t *testing.T) {
	rules := nimSubject(t, 3, 1, 0, nil).Rules
	for _, c := range []struct {
		agents [2]player.Agent
		same   bool
	}{{[2]player.Agent{first(rules), first(rules)}, true}, {[2]player.Agent{first(rules), player.Random(rules)}, false}} {
		reported := 0
		m := arena.Match{Rules: rules, Start: rules.Start(), Agents: c.agents, Games: 20, Turns: MostTurns, Seed: 1, Threads: 2}
		s, different, err := Play(t.Context(), &m, func(*arena.Record) { reported++ })
		if err != nil || reported != 20 || s.Began.Plus(s.Replied).Games() != 20 {
			t.Fatalf("%+v, %d reported, %v", s, reported, err)
		}
		n := different[0].Games() + different[1].Games()
		if (n == 2) != c.same || n > 20 {
			t.Errorf("%d different games: %+v", n, different)
		}
		if c.same && (different[0].Wins > 0) != (s.Began.Wins == 10) || c.same && (different[1].Wins > 0) != (s.Replied.Wins == 10) {
			t.Errorf("%+v of %+v", different, s)
		}
	}
}

// first plays the first move of the list.
func first(rules game.Rules) player.Agent {
	moves := map[game.State]game.Move{}
	var visit func(s game.State)
	visit = func(s game.State) {
		if _, over := rules.Terminal(s); over {
			return
		}
		if _, met := moves[s]; met {
			return
		}
		all := rules.Moves(nil, s)
		moves[s] = all[0]
		for _, m := range all {
			visit(rules.Play(s, m))
		}
	}
	visit(rules.Start())
	return named{&scripted{player.Random(rules), moves}}
}

// named renames an agent.
type named struct{ player.Agent }

func (named) Name() string { return "first" }
