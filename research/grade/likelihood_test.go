package grade

import (
	"math"
	"math/rand/v2"
	"testing"
)

func nearly(t *testing.T, what string, got, want, off float64) {
	t.Helper()
	if !(math.Abs(got-want) <= off) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// Two players differ by 400·log₁₀(w/l), with an error in log odds of √(1/w + 1/l), with half
// a game more for either.
func TestLikeliestOfTwo(t *testing.T) {
	for _, c := range []struct {
		points float64
		games  int
	}{{7, 10}, {2.5, 10}, {5, 10}, {100, 100}, {0, 100}, {0, 0}, {999_999, 1_000_000}} {
		ratings := []float64{3, 0.25}
		deviations := likeliest(ratings, 1, []score{newScore(0, 1, c.points, c.games)})
		w, l := c.points+0.5, float64(c.games)-c.points+0.5
		nearly(t, "rating", pointsOfUnit*(ratings[0]-0.25), 400*math.Log10(w/l), 1e-6)
		nearly(t, "error", deviations[0], math.Sqrt(1/w+1/l), 1e-6)
		if ratings[1] != 0.25 {
			t.Errorf("who is fixed has %v", ratings[1])
		}
	}
}

// Against fixed ratings the maximum is that of a fine grid search, and the error follows
// from the curvature there.
func TestLikeliestIsThatOfGrid(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 1))
	for range 20 {
		ratings := []float64{0}
		var scores []score
		for j := range 1 + r.IntN(4) {
			ratings = append(ratings, 3*r.NormFloat64())
			games := 2 * r.IntN(60)
			scores = append(scores, newScore(0, j+1, float64(r.IntN(2*games+1))/2, games))
		}
		deviations := likeliest(ratings, 1, scores)
		at := func(x float64) float64 { return logLikelihood(append([]float64{x}, ratings[1:]...), scores) }
		low, width := -20.0, 40.0
		for width > 1e-5 {
			best := 0
			for i := range 401 {
				if at(low+float64(i)*width/400) > at(low+float64(best)*width/400) {
					best = i
				}
			}
			low, width = low+float64(best)*width/400-width/100, width/50
		}
		nearly(t, "rating", ratings[0], low+width/2, 1e-5)
		const h = 1e-3
		curvature := (2*at(ratings[0]) - at(ratings[0]+h) - at(ratings[0]-h)) / (h * h)
		nearly(t, "error", deviations[0], 1/math.Sqrt(curvature), 1e-3*deviations[0])
	}
}

// Ratings of players that met each other are those of Zermelo's iteration, and the errors
// follow from the profile's curvature.
func TestLikeliestIsZermelos(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 2))
	for _, n := range []int{2, 3, 5} {
		var scores []score
		for i := range n {
			for j := range i {
				games := 2 * (1 + r.IntN(50))
				scores = append(scores, newScore(i, j, float64(r.IntN(2*games+1))/2, games))
			}
		}
		ratings := make([]float64, n)
		deviations := likeliest(ratings, n-1, scores)
		for i, slow := range zermelo(n, scores) {
			nearly(t, "rating", ratings[i], slow, 1e-6)
		}
		// The second derivative of the likelihood in one rating while the others are the best.
		for i := range n - 1 {
			profile := func(d float64) float64 {
				moved, swapped := append([]float64(nil), ratings...), append([]score(nil), scores...)
				moved[i] += d
				moved[i], moved[n-2] = moved[n-2], moved[i]
				swap := func(k int) int {
					switch k {
					case i:
						return n - 2
					case n - 2:
						return i
					}
					return k
				}
				for k, s := range swapped {
					swapped[k].first, swapped[k].second = swap(s.first), swap(s.second)
				}
				likeliest(moved, n-2, swapped)
				return logLikelihood(moved, swapped)
			}
			const h = 1e-3
			curvature := (2*profile(0) - profile(h) - profile(-h)) / (h * h)
			nearly(t, "error", deviations[i], 1/math.Sqrt(curvature), 1e-3*deviations[i])
		}
	}
}

// zermelo computes all ratings, the last being 0, by the iteration of Zermelo (Die
// Berechnung der Turnier-Ergebnisse, 1929).
func zermelo(n int, scores []score) []float64 {
	strengths := make([]float64, n)
	for i := range strengths {
		strengths[i] = 1
	}
	for range 20000 {
		points, shares := make([]float64, n), make([]float64, n)
		for _, s := range scores {
			share := s.games / (strengths[s.first] + strengths[s.second])
			points[s.first] += s.points
			points[s.second] += s.games - s.points
			shares[s.first] += share
			shares[s.second] += share
		}
		for i := range strengths {
			strengths[i] = points[i] / shares[i]
		}
	}
	ratings := make([]float64, n)
	for i, x := range strengths {
		ratings[i] = math.Log(x / strengths[n-1])
	}
	return ratings
}

// Opposite scores have opposite ratings if the fixed ones are symmetric.
func TestLikeliestIsSymmetric(t *testing.T) {
	for _, points := range []float64{20, 14.5, 10} {
		up, down := []float64{0, 1.5, 0, -1.5}, []float64{0, 1.5, 0, -1.5}
		above := likeliest(up, 1, []score{newScore(0, 1, points, 20), newScore(0, 2, points, 20), newScore(0, 3, points, 20)})
		below := likeliest(down, 1, []score{newScore(0, 1, 20-points, 20), newScore(0, 2, 20-points, 20), newScore(0, 3, 20-points, 20)})
		nearly(t, "rating", up[0], -down[0], 1e-9)
		nearly(t, "error", above[0], below[0], 1e-9)
	}
}

// The interval holds the true rating in about 95 of 100 cases.
func TestIntervalHoldsTruth(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 3))
	const trials, games = 2000, 50
	for _, truth := range []float64{0, 1, 2.5} {
		held := 0
		for range trials {
			ratings := []float64{0, -0.5, 0, 1}
			var scores []score
			for j := 1; j < len(ratings); j++ {
				won := 0
				for range games {
					if r.Float64() < odds(truth-ratings[j]) {
						won++
					}
				}
				scores = append(scores, newScore(0, j, float64(won), games))
			}
			deviations := likeliest(ratings, 1, scores)
			if e := ratingOf(ratings[0], deviations[0]); e.Low <= Anchor+pointsOfUnit*truth && Anchor+pointsOfUnit*truth <= e.High {
				held++
			}
		}
		if share := float64(held) / trials; share < 0.93 || share > 0.975 {
			t.Errorf("true rating %v: held in %v of the cases", truth, share)
		}
	}
}
