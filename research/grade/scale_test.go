package grade

import (
	"fmt"
	"math"
	"testing"

	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/player/arena"
)

// newScale returns agents of Notakto 3×3, which the first player wins under best play, one
// of them perfect.
func newScale(t *testing.T, games int, agents ...func(game.Rules) player.Agent) (s *Scale, best player.Agent) {
	t.Helper()
	a := newSubject(t, "notakto", 3, false)
	s = &Scale{Rules: a.Rules, Start: a.Rules.Start(), Games: games, Seed: 9, Threads: 1}
	for _, agent := range agents {
		s.Agents = append(s.Agents, agent(a.Rules))
	}
	return s, perfect(t, a, player.Strength{Policy: player.Optimal})
}

func fix(t *testing.T, s *Scale) {
	t.Helper()
	if err := s.Fix(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Perfect players win as first player only: all score half and have the rating of the first,
// with the errors of so many games.
func TestScaleOfEquals(t *testing.T) {
	s, best := newScale(t, 10)
	s.Agents = []player.Agent{best, best}
	fix(t, s)
	rating, against, err := s.Rate(t.Context(), best)
	if err != nil {
		t.Fatal(err)
	}
	if s.Ratings[0] != (arena.Estimate{Value: Anchor, Low: Anchor, High: Anchor}) {
		t.Errorf("the first has %+v", s.Ratings[0])
	}
	nearly(t, "the second", s.Ratings[1].Value, Anchor, 1e-6)
	nearly(t, "the third", rating.Value, Anchor, 1e-6)
	half := arena.Normal95 * pointsOfUnit * math.Sqrt(1/5.5+1/5.5)
	nearly(t, "half the interval of the second", s.Ratings[1].High-s.Ratings[1].Value, half, 1e-6)
	nearly(t, "half the interval of the third", rating.High-rating.Value, half/math.Sqrt2, 1e-6)
	for _, m := range against {
		if m.Tally != (arena.Tally{Wins: 5, Losses: 5}) || m.Different < 2 || m.Different > 10 {
			t.Errorf("%+v", m)
		}
	}
}

// Perfect play is above greedy play, that above random play. Ratings follow the scores, and
// are finite if one wins all games.
func TestScaleOrdersAgents(t *testing.T) {
	s, best := newScale(t, 400, player.Random, player.Greedy)
	fix(t, s)
	rating, against, err := s.Rate(t.Context(), best)
	if err != nil {
		t.Fatal(err)
	}
	random, greedy := s.Ratings[0], s.Ratings[1]
	if random.Value != Anchor || greedy.Low <= random.Value || rating.Low <= greedy.High || math.IsInf(rating.High, 0) {
		t.Errorf("%+v, %+v and %+v", random, greedy, rating)
	}
	m, err := s.play(t.Context(), s.Agents[1], s.Agents[0], arena.Seed(s.Seed, 1, 0))
	if err != nil {
		t.Fatal(err)
	}
	w, l := float64(m.Wins)+0.5, float64(m.Losses)+0.5
	nearly(t, "greedy", greedy.Value, Anchor+400*math.Log10(w/l), 1e-6)
	expected, scored := 0.0, 0.0
	for j, m := range against {
		expected += 401 / (1 + math.Pow(10, (s.Ratings[j].Value-rating.Value)/400))
		scored += float64(m.Wins) + 0.5
	}
	nearly(t, "the expected score", expected, scored, 1e-4)
}

// A rating does not depend on other rated agents or on threads. A deterministic agent
// repeats games.
func TestScaleStays(t *testing.T) {
	s, _ := newScale(t, 20, player.Random, player.Greedy, first)
	fix(t, s)
	again := *s
	again.Threads = 3
	fix(t, &again)
	for _, agent := range []player.Agent{player.Random(s.Rules), first(s.Rules), player.Greedy(s.Rules)} {
		one, meetings, err := s.Rate(t.Context(), agent)
		if err != nil {
			t.Fatal(err)
		}
		other, _, err := again.Rate(t.Context(), agent)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(s.Ratings, one) != fmt.Sprint(again.Ratings, other) {
			t.Errorf("%+v and %+v by one thread, %+v and %+v by three", s.Ratings, one, again.Ratings, other)
		}
		if m := meetings[2]; m.Games() != 20 || (m.Different == 2) != (agent.Name() == "first") {
			t.Errorf("%s: %+v", agent.Name(), m)
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
