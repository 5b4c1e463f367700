package arena

import (
	"encoding/json"
	"math"
)

// Tally counts results.
type Tally struct {
	Wins   int `json:"wins"`
	Draws  int `json:"draws"`
	Losses int `json:"losses"`
}

// Games is the number of results.
func (t Tally) Games() int { return t.Wins + t.Draws + t.Losses }

// Mean is what a game brought on average, a win 1, a draw ½ and a loss 0: a number
// from 0 to 1, NaN where there is no game.
func (t Tally) Mean() float64 {
	return (float64(t.Wins) + float64(t.Draws)/2) / float64(t.Games())
}

// Strength is the score for 100 games, 100·(w + d/2)/g, from 0 to 100: ½(w + d/2)
// of 200 games. Who is as strong as the opponent has 50, whatever the
// first move is worth, as either begins half of the games.
func (t Tally) Strength() Estimate {
	e := Share(t.Mean(), t.Games())
	// The value is worked out in one division, so that 28.5 is not 28.499999999999996.
	return Estimate{float64(100*t.Wins+50*t.Draws) / float64(t.Games()), 100 * e.Low, 100 * e.High}
}

// Elo is the difference of ratings at which the logistic model expects the mean:
// 400·log₁₀(m/(1 − m)). Where all games were won or lost it is infinite.
func (t Tally) Elo() Estimate {
	e, elo := Share(t.Mean(), t.Games()), func(mean float64) float64 { return 400 * math.Log10(mean/(1-mean)) }
	return Estimate{elo(e.Value), elo(e.Low), elo(e.High)}
}

// Estimate is a number found by trying and an interval that contains the true one
// with a probability of 95 %.
type Estimate struct {
	Value, Low, High float64
}

// Normal95 is the number of standard deviations around the mean of a normal
// distribution that have a probability of 95 %.
const Normal95 = 1.959963984540054

// Share returns the Wilson score interval of a share, or of the mean of n numbers
// from 0 to 1. For the latter it is wider than need be, as no numbers of that mean
// vary more than zeros and ones. The value is NaN and the interval from 0 to 1 where
// n is 0.
func Share(share float64, n int) Estimate {
	if n == 0 {
		return Estimate{math.NaN(), 0, 1}
	}
	const z2 = Normal95 * Normal95
	size := float64(n)
	middle := (share + z2/(2*size)) / (1 + z2/size)
	half := Normal95 / (1 + z2/size) * math.Sqrt(share*(1-share)/size+z2/(4*size*size))
	// In numbers of finite precision the ends can miss 0 and 1 by a little.
	e := Estimate{share, max(0, middle-half), min(1, middle+half)}
	if share == 0 {
		e.Low = 0
	}
	if share == 1 {
		e.High = 1
	}
	return e
}

// MarshalJSON writes {"value":…,"low":…,"high":…}, where null stands for what is
// infinite or not known.
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
