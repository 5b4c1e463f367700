package grade

import (
	"context"
	"strings"

	"backsolve/game"
	"backsolve/player"
	"backsolve/player/arena"
)

// Anchor is the rating of the first of the fixed agents.
const Anchor = 1000

// Scale is agents whose ratings are fixed by games among them alone, and by which others are
// rated. Who is better by d is expected to score 1/(1 + 10^(−d/400)) of a game, a draw being
// half of one; ratings are those of greatest likelihood, after half a win and half a loss
// were added to each pair. So that of another agent depends on its games against these, and
// on nobody else who is rated.
type Scale struct {
	Rules game.Rules
	// Start is the position that all games begin with.
	Start  game.State
	Agents []player.Agent
	// Games is the number of games of each pair, an even one: each begins half of them.
	Games int
	// Seed is where all chance comes from, Threads how many games are played at once.
	Seed    uint64
	Threads int
	// Ratings are those of the agents, which Fix finds. The first one's is Anchor; the
	// others' intervals, of 95 %, are those of the difference from it.
	Ratings []arena.Estimate
}

// Meeting is what came of the games of an agent against one of the scale.
type Meeting struct {
	arena.Tally
	// Different is how many of the games differ. Agents without chance repeat one.
	Different int
}

// Fix lets the agents play each other and rates them.
func (s *Scale) Fix(ctx context.Context) error {
	last := len(s.Agents) - 1 // numbers of ratings run backwards, as the free ones come first
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

// Rate rates another agent by games against those of the scale, whose ratings must be
// fixed; its interval is that of its own games, as if theirs were known exactly.
func (s *Scale) Rate(ctx context.Context, agent player.Agent) (rating arena.Estimate, against []Meeting, err error) {
	ratings := []float64{0}
	var scores []score
	for j, b := range s.Agents {
		// No two fixed agents meet with these seeds: there the first number is the larger.
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

// ratingOf is the rating that belongs to log odds with a standard error.
func ratingOf(value, deviation float64) arena.Estimate {
	rating, half := Anchor+pointsOfUnit*value, arena.Normal95*pointsOfUnit*deviation
	return arena.Estimate{Value: rating, Low: rating - half, High: rating + half}
}

func (m *Meeting) score(first, second int) score {
	return newScore(first, second, float64(m.Wins)+float64(m.Draws)/2, m.Games())
}

// play lets two agents meet.
func (s *Scale) play(ctx context.Context, a, b player.Agent, seed uint64) (Meeting, error) {
	summary, different, err := Play(ctx, &arena.Match{
		Rules: s.Rules, Start: s.Start, Agents: [2]player.Agent{a, b},
		Games: s.Games, Turns: MostTurns, Seed: seed, Threads: s.Threads,
	})
	if err != nil {
		return Meeting{}, err
	}
	return Meeting{summary.Total(), different}, nil
}

// Play plays a match, and counts how many of its games differ: in a move, or in who began.
func Play(ctx context.Context, m *arena.Match) (s *arena.Summary, different int, err error) {
	games := map[string]bool{}
	s, err = m.Play(ctx, func(r *arena.Record) error {
		games[r.First+" "+strings.Join(r.Moves, " ")] = true
		return nil
	})
	return s, len(games), err
}
