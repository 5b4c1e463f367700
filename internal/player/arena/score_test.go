package arena

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"strings"
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
		share, n float64
		want     Estimate
	}{
		{0.8, 10, Estimate{0.8, 0.49016, 0.94332}},
		{0.5, 100, Estimate{0.5, 0.40383, 0.59617}},
		// z²/(n + z²) is left where all is the same.
		{0, 10, Estimate{0, 0, 0.27753}},
		{1, 10, Estimate{1, 0.72247, 1}},
		{1, 200, Estimate{1, 0.98115, 1}},
	} {
		if got := Share(c.share, c.n); !got.near(c.want) {
			t.Errorf("%v of %v: %+v, want %+v", c.share, c.n, got, c.want)
		}
	}
	if got := Share(math.NaN(), 0); !math.IsNaN(got.Value) || got.Low != 0 || got.High != 1 {
		t.Errorf("of nothing: %+v", got)
	}
}

// Wilson's interval holds the shares whose distance from the observed one is at most 1.96 of
// their own standard deviations; the ends solve that as an equation.
func TestShareIsWilsons(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 1000).Draw(t, "n")
		share := float64(rapid.IntRange(0, 2*n).Draw(t, "half points")) / float64(2*n)
		e := Share(share, float64(n))
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
	began, replied := Tally{Wins: 80, Draws: 20}, Tally{Wins: 40, Draws: 40, Losses: 20}
	if got := Strength(began, replied).Value; got != 75 {
		t.Errorf("strength %v", got)
	}
	if got := Elo(began, replied); !near(got.Value, 190.84850) || got.Low >= got.Value || got.High <= got.Value {
		t.Errorf("Elo %+v", got)
	}
	// One side without draws has Wilson's interval.
	if got, want := Strength(Tally{Wins: 8, Losses: 2}), Share(0.8, 10); !got.near(Estimate{80, 100 * want.Low, 100 * want.High}) {
		t.Errorf("one side: %+v, want 100 times %+v", got, want)
	}
	// Draws vary less: 5 wins, 90 draws and 5 losses vary as ten games of a hundred do, here
	// (5.5 + 22.5)/101 − ¼ = 0.0272, that is as 918 wins and losses: ±3.23 of 100 for a side, and
	// for two 3.23/√2.
	even := Tally{Wins: 5, Draws: 90, Losses: 5}
	if s, e := Strength(even, even), Elo(even, even); s.Value != 50 || e.Value != 0 || !(Estimate{50, 47.71791, 52.28209}).near(s) || !near(e.Low, -e.High) {
		t.Errorf("even: strength %+v, Elo %+v", s, e)
	}
	if e := Elo(Tally{Wins: 10}); !math.IsInf(e.Value, 1) || !near(e.Low, 166.20153) || !math.IsInf(e.High, 1) {
		t.Errorf("all won: Elo %+v", e)
	}
	if e := Elo(Tally{Losses: 10}); !math.IsInf(e.Value, -1) || !math.IsInf(e.Low, -1) || !near(e.High, -166.20153) {
		t.Errorf("all lost: Elo %+v", e)
	}
	if e := Strength(); !math.IsNaN(e.Value) || e.Low != 0 || e.High != 100 {
		t.Errorf("no game: %+v", e)
	}
}

// Pairs that go together leave no chance in their difference, pairs that do not the chance of
// both.
func TestDifference(t *testing.T) {
	same := strings.Repeat("wlwwddll", 25)
	if e, ok := Difference(same, same); !ok || e.Value != 0 || e.High-e.Low > 3 {
		t.Errorf("the same games: %+v, %v", e, ok)
	}
	other := same[3:] + same[:3]
	apart, ok := Difference(same, other)
	if !ok || apart.Value != 0 || apart.High-apart.Low < 15 {
		t.Errorf("other games: %+v, %v", apart, ok)
	}
	if e, ok := Difference(strings.Repeat("w", 200), strings.Repeat("l", 200)); !ok || e.Value != 100 || e.High != 100 || e.Low < 94 {
		t.Errorf("all won and all lost: %+v, %v", e, ok)
	}
	if _, ok := Difference("wl", "w"); ok {
		t.Error("matches of other lengths are compared")
	}
}

// truths are possible matches: the probabilities of a win and a draw as first and as second
// player. The first come from mcts on won boards, from drawn boards, and from weak agents.
var truths = [][4]float64{
	{0.39, 0, 0, 0}, {0.39, 0, 0.02, 0}, {0.62, 0, 0, 0}, {0.5, 0, 0.5, 0}, {0.7, 0, 0.3, 0},
	{0.1, 0.8, 0.1, 0.8}, {0, 0.4, 0, 0.3}, {0.2, 0.6, 0.05, 0.5}, {0.9, 0.05, 0.3, 0.3}, {0.3, 0.5, 0, 0.2},
	{0, 0.05, 0, 0.02}, {0.02, 0, 0.02, 0}, {0, 0.97, 0, 0.97},
}

// The intervals of matches of 200 games hold the true strength as often as they say. With more
// replicates BACKSOLVE_LONG prints the shares: see the report of ladders.
func TestCoverage(t *testing.T) {
	replicates := 2000
	if os.Getenv("BACKSOLVE_LONG") != "" {
		replicates = 100_000
	}
	random := rand.New(rand.NewPCG(1, 1))
	play := func(win, draw float64) (t Tally) {
		for range 100 {
			switch x := random.Float64(); {
			case x < win:
				t.Wins++
			case x < win+draw:
				t.Draws++
			default:
				t.Losses++
			}
		}
		return t
	}
	for _, p := range truths {
		want, held, width := 50*(p[0]+p[2])+25*(p[1]+p[3]), 0, 0.0
		for range replicates {
			e := Strength(play(p[0], p[1]), play(p[2], p[3]))
			width += (e.High - e.Low) / float64(replicates)
			if e.Low <= want+1e-9 && want-1e-9 <= e.High {
				held++
			}
		}
		share := 100 * float64(held) / float64(replicates)
		t.Logf("%v: %.1f %% of the intervals hold %.2f, mean width %.1f", p, share, want, width)
		if share < 92.5 || share > 97.5 {
			t.Errorf("%v: %.1f %% of the intervals hold the truth, not 95", p, share)
		}
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
