package main

import (
	"context"
	"fmt"
	"slices"

	"backsolve/cmd/cli"
	"backsolve/internal/player/agents"
	"backsolve/internal/player/arena"
	"backsolve/research/grade"
)

// usedFixedGames is the default number of games of each pair.
const usedFixedGames = 100

// fixedRatings are ratings by games against fixed agents.
type fixedRatings struct {
	Games    int             `json:"games"` // of each pair
	Agents   []agentRating   `json:"agents"`
	Networks []networkRating `json:"networks"`
}

type agentRating struct {
	Agent  string         `json:"agent"`
	Rating arena.Estimate `json:"rating"`
}

type networkRating struct {
	Iteration   int            `json:"iteration"`
	Simulations int            `json:"simulations"`
	Rating      arena.Estimate `json:"rating"`
	Against     []fixedGames   `json:"against"`
}

// fixedGames are games against a fixed agent, of which Different differ.
type fixedGames struct {
	Agent string `json:"agent"`
	arena.Tally
	Different int `json:"different"`
}

func checkFixed(names []string) error {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("the agent %s is named twice; name it once", name)
		}
	}
	return nil
}

// fixedAgents returns a scale of agents, not rated yet. The caller closes them.
func fixedAgents(ctx context.Context, env *agents.Env, names []string) (s *grade.Scale, closeAll func(), err error) {
	s = &grade.Scale{Rules: env.Rules}
	closeAll = func() {
		for _, a := range s.Agents {
			a.Close()
		}
	}
	if err := checkFixed(names); err != nil {
		return nil, nil, &cli.UsageError{Err: err}
	}
	for _, name := range names {
		a, err := parseAgent(ctx, name, env)
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		s.Agents = append(s.Agents, a)
	}
	return s, closeAll, nil
}

// fixed rates networks against the fixed agents.
func (t *tournament) fixed(ctx context.Context, networks []entrant) (*fixedRatings, error) {
	on := networks[0]
	env := newEnv(on.rules, *t.dir, *t.threads)
	defer env.Close()
	s, closeAll, err := fixedAgents(ctx, env, t.against)
	if err != nil {
		return nil, err
	}
	defer closeAll()
	s.Start, s.Games, s.Seed, s.Threads = on.start, t.games, t.seed, *t.threads
	if err := s.Fix(ctx); err != nil {
		return nil, err
	}
	f := &fixedRatings{Games: t.games}
	for i, name := range t.against {
		f.Agents = append(f.Agents, agentRating{name, s.Ratings[i]})
	}
	for _, n := range networks {
		r := networkRating{Iteration: n.iteration, Simulations: n.simulations}
		var meetings []grade.Meeting
		if r.Rating, meetings, err = s.Rate(ctx, n.agent); err != nil {
			return nil, err
		}
		for i, m := range meetings {
			r.Against = append(r.Against, fixedGames{t.against[i], m.Tally, m.Different})
		}
		f.Networks = append(f.Networks, r)
	}
	return f, nil
}

// Different returns the number of games that differ.
func (n *networkRating) Different() (sum int) {
	for _, g := range n.Against {
		sum += g.Different
	}
	return sum
}

// Score returns the mean score, from 0 to 1.
func (g *fixedGames) Score() *float64 {
	mean := arena.Strength(g.Tally).Value / 100
	return &mean
}

// rangeOf formats the interval of a rating, - of the first agent, which others are measured by.
func rangeOf(e arena.Estimate) string {
	if e.Low == e.High {
		return "-"
	}
	return fmt.Sprintf("%.0f to %.0f", e.Low, e.High)
}
