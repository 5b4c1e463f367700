package grade

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

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
func slope(ratings []float64, free int, scores []score) (gradient *mat.VecDense, information *mat.SymDense) {
	gradient, information = mat.NewVecDense(free, nil), mat.NewSymDense(free, nil)
	add := func(i, j int, weight float64) { information.SetSym(i, j, information.At(i, j)+weight) }
	for _, s := range scores {
		d := ratings[s.first] - ratings[s.second]
		surplus, weight := s.points-s.games*odds(d), s.games*odds(d)*odds(-d)
		if s.first < free {
			gradient.SetVec(s.first, gradient.AtVec(s.first)+surplus)
			add(s.first, s.first, weight)
		}
		if s.second < free {
			gradient.SetVec(s.second, gradient.AtVec(s.second)-surplus)
			add(s.second, s.second, weight)
		}
		if s.first < free && s.second < free {
			add(s.first, s.second, -weight)
		}
	}
	return gradient, information
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
	if free == 0 {
		return nil
	}
	var covariance mat.SymDense
	for range mostSteps {
		gradient, information := slope(ratings, free, scores)
		invert(&covariance, information)
		var step mat.VecDense
		step.MulVec(&covariance, gradient)
		longest := mat.Norm(&step, math.Inf(1))
		moved := move(ratings, &step, 1)
		before := logLikelihood(ratings, scores)
		for part := 0.5; longest*part > smallStep && logLikelihood(moved, scores) < before; part /= 2 {
			moved = move(ratings, &step, part)
		}
		copy(ratings, moved)
		if longest <= smallStep {
			break
		}
	}
	_, information := slope(ratings, free, scores)
	invert(&covariance, information)
	for i := range free {
		deviations = append(deviations, math.Sqrt(covariance.At(i, i)))
	}
	return deviations
}

// invert inverts information. That is positive definite, as all who are free have met
// others; where rounding leaves little of it, the inverse is as inexact as what it is of.
func invert(covariance, information *mat.SymDense) {
	var cholesky mat.Cholesky
	cholesky.Factorize(information)
	if err := cholesky.InverseTo(covariance); err != nil {
		var condition mat.Condition
		if !errors.As(err, &condition) {
			panic(err)
		}
	}
}

// move returns the ratings after a part of a step of the first ones.
func move(ratings []float64, step mat.Vector, part float64) []float64 {
	moved := append([]float64(nil), ratings...)
	for i := range step.Len() {
		moved[i] += part * step.AtVec(i)
	}
	return moved
}
