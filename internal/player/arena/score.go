package arena

import (
	"encoding/json"
	"math"

	"backsolve/game"
)

// Tally counts results.
type Tally struct {
	Wins   int `json:"wins"`
	Draws  int `json:"draws"`
	Losses int `json:"losses"`
}

// Count counts a result.
func (t *Tally) Count(o game.Outcome) {
	switch o {
	case game.Win:
		t.Wins++
	case game.Draw:
		t.Draws++
	case game.Lose:
		t.Losses++
	}
}

// Plus returns the counts of both.
func (t Tally) Plus(u Tally) Tally {
	return Tally{t.Wins + u.Wins, t.Draws + u.Draws, t.Losses + u.Losses}
}

// Games is the number of results.
func (t Tally) Games() int { return t.Wins + t.Draws + t.Losses }

// Strength is the score for 100 games, 100·(w + d/2)/g, from tallies as first and as second player. Equal agents score 50,
// however much the first move is worth, because each begins half of the games.
func Strength(sides ...Tally) Estimate {
	won, games := 0, 0
	for _, t := range sides {
		won, games = won+2*t.Wins+t.Draws, games+t.Games()
	}
	e := mean(sides)
	// A single division, so that 28.5 is not 28.499999999999996.
	return Estimate{float64(50*won) / float64(games), 100 * e.Low, 100 * e.High}
}

// Elo is the difference in ratings at which the logistic model expects the mean score m:
// 400·log₁₀(m/(1 − m)). It is infinite if all games were won or lost.
func Elo(sides ...Tally) Estimate {
	e, elo := mean(sides), func(mean float64) float64 { return 400 * math.Log10(mean/(1-mean)) }
	return Estimate{elo(e.Value), elo(e.Low), elo(e.High)}
}

func mean(sides []Tally) Estimate {
	var all []numbers
	for _, t := range sides {
		n, w, d := float64(t.Games()), float64(t.Wins), float64(t.Draws)
		all = append(all, numbers{n, w + d/2, w + d/4})
	}
	return meanOf(all)
}

// Difference is the difference between the strengths of two agents in the same games, given Summary.Results of each. Games with the same
// number had the same seeds and so the same luck; therefore the interval is that of paired differences.
func Difference(results, others string) (Estimate, bool) {
	if len(results) != len(others) || results == "" {
		return Estimate{}, false
	}
	sides := make([]numbers, 2)
	for i := range len(results) {
		// From −1 to 1, mapped to 0 to 1.
		x, s := (1+worthOf[results[i]]-worthOf[others[i]])/2, &sides[i%2]
		s.n, s.sum, s.squares = s.n+1, s.sum+x, s.squares+x*x
	}
	e := meanOf(sides)
	return Estimate{200*e.Value - 100, 200*e.Low - 100, 200*e.High - 100}, true
}

// worthOf has the score of each letter of a result.
var worthOf = [256]float64{'w': 1, 'd': 0.5}

// numbers are n numbers from 0 to 1.
type numbers struct{ n, sum, squares float64 }

// meanOf returns the mean of all numbers; each side has its own distribution. The
// interval of a side is Wilson's for as many games as would have the same variance if there were only
// wins and losses; half a win and half a loss are added, so that results not seen yet
// remain possible. Newcombe's square-and-add method joins the sides: an end is as far from the
// mean as the weighted distances of the sides' ends from their means, added as the root of the sum of
// squares. TestCoverage simulates how often such intervals contain the true value.
func meanOf(sides []numbers) Estimate {
	var games, sum, below, above float64
	for _, s := range sides {
		games, sum = games+s.n, sum+s.sum
	}
	if games == 0 {
		return Estimate{math.NaN(), 0, 1}
	}
	for _, s := range sides {
		if s.n == 0 {
			continue
		}
		smooth := (s.sum + 0.5) / (s.n + 1)
		spread := max(0, (s.squares+0.5)/(s.n+1)-smooth*smooth)
		e := Share(s.sum/s.n, s.n*smooth*(1-smooth)/spread)
		below += math.Pow(s.n/games*(e.Value-e.Low), 2)
		above += math.Pow(s.n/games*(e.High-e.Value), 2)
	}
	middle := sum / games
	return Estimate{middle, max(0, middle-math.Sqrt(below)), min(1, middle+math.Sqrt(above))}
}

// Estimate is an estimated number with its 95 % confidence interval.
type Estimate struct {
	Value, Low, High float64
}

// Normal95 is the number of standard deviations on each side of the mean that cover 95 % of a normal distribution.
const Normal95 = 1.959963984540054

// Share returns a share of n with its Wilson score interval. If n is 0, they are NaN and 0 to 1.
func Share(share, n float64) Estimate {
	if n == 0 {
		return Estimate{math.NaN(), 0, 1}
	}
	const z2 = Normal95 * Normal95
	middle := (share + z2/(2*n)) / (1 + z2/n)
	half := Normal95 / (1 + z2/n) * math.Sqrt(share*(1-share)/n+z2/(4*n*n))
	// Because of rounding the ends can miss 0 and 1 by a little.
	e := Estimate{share, max(0, middle-half), min(1, middle+half)}
	if share == 0 {
		e.Low = 0
	}
	if share == 1 {
		e.High = 1
	}
	return e
}

// MarshalJSON writes {"value":…,"low":…,"high":…}, with null for infinite or unknown numbers.
func (e Estimate) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Value *float64 `json:"value"`
		Low   *float64 `json:"low"`
		High  *float64 `json:"high"`
	}{finite(e.Value), finite(e.Low), finite(e.High)})
}

func finite(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}
