package grade

import "math"

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
