package grade

import (
	"context"
	"math"

	"backsolve/game"
	"backsolve/player"
	"backsolve/player/arena"
)

// Elo keeps ratings by the rule of Zhou and Riis (Impartial games: a challenge for
// reinforcement learning): after a game the rating of a player changes by K·(s − e), where s is 1 for a win, ½ for a draw and 0 for a loss, and e is
// 1/(1 + 10^(d/400)) for an opponent who is better by d. K is 32 for a player of more than
// 20 games, else 16. With what rating a player enters is for the caller to say.
type Elo struct {
	// Either makes K 32 for both players if either has 20 games or more, as in the published
	// program.
	Either bool

	ratings []float64
	games   []int
}

// Enter adds a player with a rating and returns its index.
func (e *Elo) Enter(rating float64) int {
	e.ratings, e.games = append(e.ratings, rating), append(e.games, 0)
	return len(e.ratings) - 1
}

// Rating returns the rating of a player.
func (e *Elo) Rating(i int) float64 { return e.ratings[i] }

// Game counts a game of players i and j, with the score 1, ½ or 0 of i.
func (e *Elo) Game(i, j int, score float64) {
	expected := 1 / (1 + math.Pow(10, (e.ratings[j]-e.ratings[i])/400))
	change := score - expected
	k, l := e.factor(i), e.factor(j)
	if e.Either {
		if k = 16; max(e.games[i], e.games[j]) >= 20 {
			k = 32
		}
		l = k
	}
	e.ratings[i] += k * change
	e.ratings[j] -= l * change
	e.games[i]++
	e.games[j]++
}

func (e *Elo) factor(i int) float64 {
	if e.games[i] > 20 {
		return 32
	}
	return 16
}

// MostTurns exceeds the length of any game here without cycles.
const MostTurns = 1000

// firstRating is the rating of the first player.
const firstRating = 1000

// Ratings has the rating of each agent after its games against all earlier ones, and after all
// games.
type Ratings struct{ Entered, Final []float64 }

// Tournament rates successive agents. Each plays all before it, one game with either side, from
// a position. It rates the same games twice: level where every agent enters with 1000, and
// inherited where it enters with the rating of its predecessor, as in the published program. If
// progress is not nil, it is called after the two games of each pair with the index of the later
// agent and the number of pairs that have played.
func Tournament(ctx context.Context, rules game.Rules, start game.State, agents []player.Agent, seed uint64, threads int, progress func(agent, pairs int)) (level, inherited *Ratings, err error) {
	level, inherited = &Ratings{}, &Ratings{}
	own, heir := &Elo{}, &Elo{Either: true}
	for i, agent := range agents {
		own.Enter(firstRating)
		if i == 0 {
			heir.Enter(firstRating)
		} else {
			heir.Enter(heir.Rating(i - 1))
		}
		for j, other := range agents[:i] {
			m := arena.Match{
				Rules: rules, Start: start, Agents: [2]player.Agent{agent, other},
				Games: 2, Turns: MostTurns, Seed: seed + uint64(i*len(agents)+j), Threads: min(threads, 2),
			}
			s, err := m.Play(ctx, nil)
			if err != nil {
				return nil, nil, err
			}
			for _, e := range []*Elo{own, heir} {
				e.Game(i, j, arena.Strength(s.Began).Value/100)
				e.Game(i, j, arena.Strength(s.Replied).Value/100)
			}
			if progress != nil {
				progress(i, i*(i-1)/2+j+1)
			}
		}
		level.Entered = append(level.Entered, own.Rating(i))
		inherited.Entered = append(inherited.Entered, heir.Rating(i))
	}
	level.Final, inherited.Final = own.ratings, heir.ratings
	return level, inherited, nil
}
