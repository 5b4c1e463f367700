package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"backsolve/internal/player/arena"
)

// slowly is monotone by the max-min formula: the value at i is the greatest over all a ≤ i
// of the least over all b ≥ i of the mean of a to b.
func slowly(values, weights []float64) []float64 {
	mean := func(a, b int) float64 {
		sum, weight := 0.0, 0.0
		for i := a; i <= b; i++ {
			sum, weight = sum+values[i]*weights[i], weight+weights[i]
		}
		return sum / weight
	}
	all := make([]float64, len(values))
	for i := range values {
		all[i] = math.Inf(-1)
		for a := 0; a <= i; a++ {
			least := math.Inf(1)
			for b := i; b < len(values); b++ {
				least = min(least, mean(a, b))
			}
			all[i] = max(all[i], least)
		}
	}
	return all
}

// The fast fit equals the slow one, never falls, keeps the mean, and is the closest such
// sequence.
func TestMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		values := rapid.SliceOfN(rapid.Float64Range(0, 100), n, n).Draw(t, "values")
		weights := rapid.SliceOfN(rapid.Float64Range(0.5, 200), n, n).Draw(t, "weights")
		got, want := monotone(values, weights), slowly(values, weights)
		sum := 0.0
		for i := range got {
			if math.Abs(got[i]-want[i]) > 1e-9 {
				t.Fatalf("%v, want %v", got, want)
			}
			if i > 0 && got[i] < got[i-1] {
				t.Fatalf("%v falls", got)
			}
			sum += weights[i] * (got[i] - values[i])
		}
		if math.Abs(sum) > 1e-6 {
			t.Fatalf("the mean has moved by %v", sum)
		}
		other := rapid.SliceOfN(rapid.Float64Range(0, 100), n, n).Draw(t, "other")
		slices.Sort(other)
		if distance(values, weights, other) < distance(values, weights, got)-1e-6 {
			t.Fatalf("%v is closer to %v than %v", other, values, got)
		}
	})
}

func distance(values, weights, fitted []float64) (sum float64) {
	for i, v := range values {
		sum += weights[i] * (v - fitted[i]) * (v - fitted[i])
	}
	return sum
}

// stairs returns points with these strengths, ten times as many iterations at each step.
func stairs(games int, strengths ...float64) (points []matchPoint) {
	iterations := 0
	for _, s := range strengths {
		wins := int(math.Round(s * float64(games) / 100))
		half := games / 2
		began := min(half, wins)
		p := newMatchPoint(fmt.Sprintf("mcts:%d", iterations), perfect.String(), &arena.Summary{
			Began:   arena.Tally{Wins: began, Losses: half - began},
			Replied: arena.Tally{Wins: wins - began, Losses: half - wins + began},
		}, [2]arena.Tally{})
		p.Moves, p.SecondsPerMove = 1000, 1e-6*float64(iterations+1)
		points = append(points, p)
		iterations = max(10, 10*iterations)
	}
	return points
}

// A seed repeats its fits, and another one does not.
func TestFitIsRepeatable(t *testing.T) {
	points := stairs(200, 5, 3, 20, 35, 33, 48, 50)
	one, again, other := fit(points, 7), fit(points, 7), fit(points, 8)
	if !slices.EqualFunc(one.drawn, again.drawn, slices.Equal[[]float64]) || slices.EqualFunc(one.drawn, other.drawn, slices.Equal[[]float64]) {
		t.Error("the seed does not decide the fits")
	}
	if want := []float64{4, 4, 20, 34, 34, 48, 50}; !slices.Equal(one.strength, want) {
		t.Errorf("%v, want %v", one.strength, want)
	}
}

// Results are drawn with their frequencies; those that did not occur are possible.
func TestDrawAgain(t *testing.T) {
	source := rand.NewPCG(1, 2)
	for _, tally := range []arena.Tally{{Wins: 100}, {Losses: 100}, {Wins: 30, Draws: 50, Losses: 20}, {Wins: 10, Losses: 90}, {Draws: 100}} {
		sum, seen := 0.0, map[float64]bool{}
		const times = 4000
		for range times {
			score := drawAgain(tally, source)
			if score < 0 || score > 100 || 2*score != math.Floor(2*score) {
				t.Fatalf("%+v: a score of %v", tally, score)
			}
			sum, seen[score] = sum+score, true
		}
		if mean := sum / times; math.Abs(mean-arena.Strength(tally).Value) > 1 || len(seen) < 2 {
			t.Errorf("%+v: %v on average, %d results", tally, mean, len(seen))
		}
	}
	if got := drawAgain(arena.Tally{}, source); got != 0 {
		t.Errorf("%v of no game", got)
	}
}
