package arena

import (
	"encoding/json"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func near(a, b float64) bool { return a == b || math.Abs(a-b) < 5e-5 }

func (e Estimate) near(f Estimate) bool {
	return near(e.Value, f.Value) && near(e.Low, f.Low) && near(e.High, f.High)
}

// By hand, for 8 of 10: z² = 3.841459; the middle is (0.8 + 0.192073)/1.384146 =
// 0.716740, half the width 1.959964/1.384146·√(0.016 + 0.009604) = 0.226577.
func TestShare(t *testing.T) {
	for _, c := range []struct {
		share float64
		n     int
		want  Estimate
	}{
		{0.8, 10, Estimate{0.8, 0.49016, 0.94332}},
		{0.5, 100, Estimate{0.5, 0.40383, 0.59617}},
		// z²/(n + z²) is left where all is the same.
		{0, 10, Estimate{0, 0, 0.27753}},
		{1, 10, Estimate{1, 0.72247, 1}},
		{1, 200, Estimate{1, 0.98115, 1}},
	} {
		if got := Share(c.share, c.n); !got.near(c.want) {
			t.Errorf("%v of %d: %+v, want %+v", c.share, c.n, got, c.want)
		}
	}
	if got := Share(math.NaN(), 0); !math.IsNaN(got.Value) || got.Low != 0 || got.High != 1 {
		t.Errorf("of nothing: %+v", got)
	}
}

// Wilson's interval holds the shares that are at most 1.96 of their own standard
// deviations from what was seen: the ends are where that is an equation.
func TestShareIsWilsons(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 1000).Draw(t, "n")
		share := float64(rapid.IntRange(0, 2*n).Draw(t, "half points")) / float64(2*n)
		e := Share(share, n)
		if !(0 <= e.Low && e.Low <= share && share <= e.High && e.High <= 1) {
			t.Fatalf("%v of %d: %+v", share, n, e)
		}
		for _, end := range []float64{e.Low, e.High} {
			if share == end {
				continue // at 0 or 1
			}
			if away := math.Abs(share-end) / math.Sqrt(end*(1-end)/float64(n)); math.Abs(away-1.959964) > 1e-4 {
				t.Fatalf("%v of %d: the end %v is %v standard deviations away", share, n, end, away)
			}
		}
	})
}

// ½(w + d/2) of 200 games, and 400·log₁₀(3) for three quarters.
func TestStrengthAndElo(t *testing.T) {
	tally := Tally{Wins: 120, Draws: 60, Losses: 20}
	if got := tally.Strength().Value; got != 75 {
		t.Errorf("strength %v", got)
	}
	if got := tally.Elo(); !near(got.Value, 190.84850) || got.Low >= got.Value || got.High <= got.Value {
		t.Errorf("Elo %+v", got)
	}
	even := Tally{Wins: 5, Draws: 90, Losses: 5}
	if s, e := even.Strength(), even.Elo(); s.Value != 50 || e.Value != 0 || !near(s.Low, 40.38315) || !near(s.High, 59.61685) || !near(e.Low, -e.High) {
		t.Errorf("even: strength %+v, Elo %+v", s, e)
	}
	won := Tally{Wins: 10}
	if e := won.Elo(); !math.IsInf(e.Value, 1) || !near(e.Low, 166.20153) || !math.IsInf(e.High, 1) {
		t.Errorf("all won: Elo %+v", e)
	}
	lost := Tally{Losses: 10}
	if e := lost.Elo(); !math.IsInf(e.Value, -1) || !math.IsInf(e.Low, -1) || !near(e.High, -166.20153) {
		t.Errorf("all lost: Elo %+v", e)
	}
}

func TestEstimateAsJSON(t *testing.T) {
	for want, e := range map[string]Estimate{
		`{"value":50,"low":40.5,"high":60}`:     {50, 40.5, 60},
		`{"value":null,"low":150,"high":null}`:  {math.Inf(1), 150, math.Inf(1)},
		`{"value":null,"low":0,"high":1}`:       {math.NaN(), 0, 1},
		`{"value":null,"low":null,"high":-150}`: {math.Inf(-1), math.Inf(-1), -150},
	} {
		if got, err := json.Marshal(e); err != nil || string(got) != want {
			t.Errorf("%+v is written as %s, %v", e, got, err)
		}
	}
}
