package grade

import (
	"context"
	"strings"

	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/player/arena"
)

// Anchor is the rating of the first of the fixed agents.
const Anchor = 1000

// Scale is a set of agents with ratings fixed by games among them, which rate other agents. An
// agent better by d is expected to score 1/(1 + 10^(−d/400)), a draw counting ½. Ratings are of
// maximum likelihood, with half a win and half a loss added to each pair. So the rating of
// another agent depends only on its games against the scale.
type Scale struct {
	Rules   game.Rules
	Start   game.State // the first position of all games
	Agents  []player.Agent
	Games   int // of each pair, even: each begins half of them
	Seed    uint64
	Threads int // games at once
	// Ratings are those of the agents, set by Fix. The first is Anchor; the 95 % intervals of
	// the others are of the difference from it.
	Ratings []arena.Estimate
}

// Meeting is the result of an agent against one of the scale.
type Meeting struct {
	arena.Tally
	// Different is how many of the games differ. Deterministic agents repeat games.
	Different int
}

// Fix plays the agents against each other and rates them.
func (s *Scale) Fix(ctx context.Context) error {
	last := len(s.Agents) - 1 // ratings are in reverse order, as the free ones come first
	var scores []score
	for i, a := range s.Agents {
		for j, b := range s.Agents[:i] {
			m, err := s.play(ctx, a, b, arena.Seed(s.Seed, i, j))
			if err != nil {
				return err
			}
			scores = append(scores, m.score(last-i, last-j))
		}
	}
	ratings := make([]float64, len(s.Agents))
	deviations := append(likeliest(ratings, last, scores), 0)
	s.Ratings = make([]arena.Estimate, len(s.Agents))
	for i := range ratings {
		s.Ratings[last-i] = ratingOf(ratings[i], deviations[i])
	}
	return nil
}

// Rate rates another agent by games against the scale, after Fix. Its interval takes the
// scale's ratings as exact.
func (s *Scale) Rate(ctx context.Context, agent player.Agent) (rating arena.Estimate, against []Meeting, err error) {
	ratings := []float64{0}
	var scores []score
	for j, b := range s.Agents {
		// Fix uses other seeds: there the first index is the larger.
		m, err := s.play(ctx, agent, b, arena.Seed(s.Seed, j, len(s.Agents)))
		if err != nil {
			return arena.Estimate{}, nil, err
		}
		against = append(against, m)
		ratings = append(ratings, (s.Ratings[j].Value-Anchor)/pointsOfUnit)
		scores = append(scores, m.score(0, j+1))
	}
	deviations := likeliest(ratings, 1, scores)
	return ratingOf(ratings[0], deviations[0]), against, nil
}

// ratingOf converts log odds with a standard error to a rating.
func ratingOf(value, deviation float64) arena.Estimate {
	rating, half := Anchor+pointsOfUnit*value, arena.Normal95*pointsOfUnit*deviation
	return arena.Estimate{Value: rating, Low: rating - half, High: rating + half}
}

func (m *Meeting) score(first, second int) score {
	return newScore(first, second, float64(m.Wins)+float64(m.Draws)/2, m.Games())
}

func (s *Scale) play(ctx context.Context, a, b player.Agent, seed uint64) (Meeting, error) {
	summary, different, err := Play(ctx, &arena.Match{
		Rules: s.Rules, Start: s.Start, Agents: [2]player.Agent{a, b},
		Games: s.Games, Turns: MostTurns, Seed: seed, Threads: s.Threads,
	}, nil)
	if err != nil {
		return Meeting{}, err
	}
	return Meeting{summary.Total(), different[0].Games() + different[1].Games()}, nil
}

// GameText is the same for games in which the same agents make the same moves.
func GameText(r *arena.Record) string {
	return r.First + " " + r.Start + " " + strings.Join(r.Moves, " ")
}

// Play plays a match, and counts the games that differ as the first agent's results as first and as
// second player: deterministic agents repeat games. After each game it calls report, unless nil.
func Play(ctx context.Context, m *arena.Match, report func(*arena.Record)) (s *arena.Summary, different [2]arena.Tally, err error) {
	games := map[string]bool{}
	own := m.Labels()[0]
	s, err = m.Play(ctx, func(r *arena.Record) error {
		if report != nil {
			report(r)
		}
		key := GameText(r)
		if games[key] {
			return nil
		}
		games[key] = true
		t := &different[0]
		if r.First != own {
			t = &different[1]
		}
		switch {
		case r.Winner == nil:
			t.Draws++
		case *r.Winner == own:
			t.Wins++
		default:
			t.Losses++
		}
		return nil
	})
	return s, different, err
}
