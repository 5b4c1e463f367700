package grade

import (
	"context"
	"math"

	"backsolve/game"
	"backsolve/player"
	"backsolve/player/arena"
)

// Elo keeps ratings by the rule of Zhou and Riis (Impartial games: a challenge for
// reinforcement learning): each player begins with 1000, and after a game its rating
// changes by K·(s − e), where s is 1 for a win, ½ for a draw and 0 for a loss, and e is
// 1/(1 + 10^(d/400)) for an opponent who is better by d. K is 32 for a player of more than
// 20 games, else 16.
type Elo struct {
	ratings []float64
	games   []int
}

// Enter adds a player and returns its index.
func (e *Elo) Enter() int {
	e.ratings, e.games = append(e.ratings, 1000), append(e.games, 0)
	return len(e.ratings) - 1
}

// Rating returns the rating of a player.
func (e *Elo) Rating(i int) float64 { return e.ratings[i] }

// Game counts a game of players i and j, with the score 1, ½ or 0 of i.
func (e *Elo) Game(i, j int, score float64) {
	expected := 1 / (1 + math.Pow(10, (e.ratings[j]-e.ratings[i])/400))
	change := score - expected
	k, l := e.factor(i), e.factor(j)
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

// Tournament rates successive agents. Each plays all before it, one game with either side, from
// a position. It returns the rating of each after these games, and the final ratings.
func Tournament(ctx context.Context, rules game.Rules, start game.State, agents []player.Agent, seed uint64, threads int) (entered, final []float64, err error) {
	e := &Elo{}
	for i, agent := range agents {
		e.Enter()
		for j, other := range agents[:i] {
			m := arena.Match{
				Rules: rules, Start: start, Agents: [2]player.Agent{agent, other},
				Games: 2, Turns: MostTurns, Seed: seed + uint64(i*len(agents)+j), Threads: min(threads, 2),
			}
			s, err := m.Play(ctx, nil)
			if err != nil {
				return nil, nil, err
			}
			e.Game(i, j, s.Began.Mean())
			e.Game(i, j, s.Replied.Mean())
		}
		entered = append(entered, e.Rating(i))
	}
	return entered, append(final, e.ratings...), nil
}
