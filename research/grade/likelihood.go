package grade

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// score is the result of two players: the points of the first, ½ for a draw, of a number of
// games.
type score struct {
	first, second int
	points, games float64
}

// newScore adds half a win and half a loss, so that all ratings are finite.
func newScore(first, second int, points float64, games int) score {
	return score{first, second, points + 0.5, float64(games) + 1}
}

// pointsOfUnit converts log odds to Elo points.
const pointsOfUnit = 400 / math.Ln10

// odds converts log odds to a probability.
func odds(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// logLikelihood is that of ratings in log odds, by the model of Bradley and Terry (Rank
// analysis of incomplete block designs, 1952): a player better by d scores 1/(1 + e^−d) on
// average.
func logLikelihood(ratings []float64, scores []score) (sum float64) {
	for _, s := range scores {
		d := ratings[s.first] - ratings[s.second]
		sum -= s.points*math.Log1p(math.Exp(-d)) + (s.games-s.points)*math.Log1p(math.Exp(d))
	}
	return sum
}

// slope returns the gradient of the log likelihood in the first free ratings, and the Fisher
// information, the negative of its second derivatives.
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

// The step in log odds at which iteration stops, and the most iterations; Newton's method needs
// about ten.
const (
	smallStep = 1e-9
	mostSteps = 1000
)

// likeliest sets the first free ratings to those of maximum likelihood, and returns their
// standard errors. These players must not have met only each other. The likelihood is concave,
// so Newton's method converges if no step decreases it.
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
		for scale := 0.5; longest*scale > smallStep && logLikelihood(moved, scores) < before; scale /= 2 {
			moved = move(ratings, &step, scale)
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

// invert inverts the information, which is positive definite. If rounding makes it nearly
// singular, the inverse is inexact.
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

// move returns the ratings after a scaled step.
func move(ratings []float64, step mat.Vector, scale float64) []float64 {
	moved := append([]float64(nil), ratings...)
	for i := range step.Len() {
		moved[i] += scale * step.AtVec(i)
	}
	return moved
}
