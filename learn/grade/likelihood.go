package grade

import "math"

// score is what came of the games of two players: of so many the points of the first, a
// draw being half of one.
type score struct {
	first, second int
	points, games float64
}

// newScore counts half a win and half a loss besides the games, so that the ratings of who
// has won all of them, or none, are finite.
func newScore(first, second int, points float64, games int) score {
	return score{first, second, points + 0.5, float64(games) + 1}
}

// Ratings are reckoned with as log odds; a unit of these is so many points of Elo's.
const pointsOfUnit = 400 / math.Ln10

// odds is the probability that belongs to log odds.
func odds(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// logLikelihood is that of ratings, in log odds, by the model of Bradley and Terry (Rank
// analysis of incomplete block designs, 1952), which is Elo's: who is better by d scores
// 1/(1 + e^−d) on average.
func logLikelihood(ratings []float64, scores []score) (sum float64) {
	for _, s := range scores {
		d := ratings[s.first] - ratings[s.second]
		sum -= s.points*math.Log1p(math.Exp(-d)) + (s.games-s.points)*math.Log1p(math.Exp(d))
	}
	return sum
}

// slope returns the gradient of the logarithm of the likelihood in the first ratings, so
// many, and the negative of its second derivatives, which is Fisher's information.
func slope(ratings []float64, free int, scores []score) (gradient []float64, information [][]float64) {
	gradient, information = make([]float64, free), make([][]float64, free)
	for i := range information {
		information[i] = make([]float64, free)
	}
	for _, s := range scores {
		d := ratings[s.first] - ratings[s.second]
		surplus, weight := s.points-s.games*odds(d), s.games*odds(d)*odds(-d)
		if s.first < free {
			gradient[s.first] += surplus
			information[s.first][s.first] += weight
		}
		if s.second < free {
			gradient[s.second] -= surplus
			information[s.second][s.second] += weight
		}
		if s.first < free && s.second < free {
			information[s.first][s.second] -= weight
			information[s.second][s.first] -= weight
		}
	}
	return gradient, information
}

// inverse returns the inverse of a symmetric, positive definite matrix, by Gauss's and
// Jordan's elimination in place; such a matrix needs no exchange of rows. It overwrites it.
func inverse(a [][]float64) [][]float64 {
	for k := range a {
		pivot := a[k][k]
		a[k][k] = 1
		for j := range a {
			a[k][j] /= pivot
		}
		for i := range a {
			if i == k {
				continue
			}
			factor := a[i][k]
			a[i][k] = 0
			for j := range a {
				a[i][j] -= factor * a[k][j]
			}
		}
	}
	return a
}

// The step, in log odds, at which ratings are good enough, and how many are made at most:
// of those that double the digits, about ten are needed.
const (
	smallStep = 1e-9
	mostSteps = 1000
)

// likeliest changes the first ratings, so many, to those of greatest likelihood while the
// others stay, and returns the standard errors of these. Each of the first must have met
// others, and not only each other. The likelihood is concave, so that Newton's method finds
// its greatest value if no step may make it less.
func likeliest(ratings []float64, free int, scores []score) (deviations []float64) {
	for range mostSteps {
		gradient, information := slope(ratings, free, scores)
		covariance := inverse(information)
		step, longest := make([]float64, free), 0.0
		for i, row := range covariance {
			for j, c := range row {
				step[i] += c * gradient[j]
			}
			longest = max(longest, math.Abs(step[i]))
		}
		moved := move(ratings, step, 1)
		before := logLikelihood(ratings, scores)
		for part := 0.5; longest*part > smallStep && logLikelihood(moved, scores) < before; part /= 2 {
			moved = move(ratings, step, part)
		}
		copy(ratings, moved)
		if longest <= smallStep {
			break
		}
	}
	_, information := slope(ratings, free, scores)
	for i, row := range inverse(information) {
		deviations = append(deviations, math.Sqrt(row[i]))
	}
	return deviations
}

// move returns the ratings after a part of a step of the first ones.
func move(ratings, step []float64, part float64) []float64 {
	moved := append([]float64(nil), ratings...)
	for i, d := range step {
		moved[i] += part * d
	}
	return moved
}
