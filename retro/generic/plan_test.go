package generic

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/game/examples/connect4"
	"backsolve/game/examples/dobutsu"
	"backsolve/game/examples/dominoes"
	"backsolve/game/examples/morris"
	"backsolve/game/holestest"
	"backsolve/tablebase"
)

// estimateOnce estimates with a number of keys.
func estimateOnce(t *testing.T, rules custom.Rules, keys int, seed uint64) (Plan, error) {
	p := newEstimator(t.Context(), rules, keys, math.MaxInt)
	p.random = rand.New(rand.NewPCG(seed, 1))
	return p.estimate()
}

// Estimates from samples have the known numbers of states in their intervals, with tiers
// that loop and without. A game that is small enough is counted.
func TestEstimate(t *testing.T) {
	connect4, err := connect4.New(4, 4, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, game := range []struct {
		rules  custom.Rules
		states int64
		keys   int
	}{
		{custom.NewRules(connect4), 161029, 501},
		{custom.NewRules(othello4{}), 58533, 300},
		{custom.NewRules(dominoes.Game{Rows: 5, Columns: 5}), 114134, 300},
		{custom.NewRules(holestest.Game{}), 3910, 100},
		{custom.NewRules(morris.Game{Men: 3, Turn: true}), 370721, 2000},
		{custom.NewRules(morris.Game{Men: 3, Turn: true}), 370721, 500}, // too few for an upper bound
		{custom.NewRules(connect4), 161029, 10000},
	} {
		if testing.Short() && game.states > 60_000 {
			continue // it takes long under the race detector
		}
		bounded := 0
		for seed := range uint64(3) {
			p, err := estimateOnce(t, game.rules, game.keys, seed)
			if err != nil {
				t.Fatal(err)
			}
			if p.Low > game.states || p.Low < game.states/2 || p.High != 0 && p.High < game.states || p.States < game.states/2 || p.States > game.states*2 {
				t.Errorf("%s with %d keys: %d states, from %d to %d; want %d", game.rules.Name(), game.keys, p.States, p.Low, p.High, game.states)
			}
			if game.keys == 10000 && (p.Exact != p.Tiers || p.Low != p.High) {
				t.Errorf("%s: %d of %d tiers are exact, %d to %d", game.rules.Name(), p.Exact, p.Tiers, p.Low, p.High)
			}
			if p.High != 0 && p.High < 4*p.Low {
				bounded++
			}
		}
		if bounded < 2 && game.keys != 500 {
			t.Errorf("%s with %d keys: only %d of 3 estimates are bounded", game.rules.Name(), game.keys, bounded)
		}
	}
}

// More than half of the positions of Dōbutsu shōgi lead to the one without a lion. It does
// not hide the others from small samples.
func TestEstimateHub(t *testing.T) {
	p, err := estimateOnce(t, custom.NewRules(dobutsu.Game{}), 1000, 0)
	if err != nil || p.Low > 246803168 || p.High != 0 && p.High < 246803168 || p.States < 10000 {
		t.Errorf("%d states, from %d to %d, %v; want 246803168", p.States, p.Low, p.High, err)
	}
}

// A move to an earlier tier, or to none, is an error.
func TestEstimateRefuses(t *testing.T) {
	for _, tier := range []int{-1, 0, 1, 2} {
		g := &graph{tiers: 2, loops: []bool{true, false}, nodes: map[custom.Child]node{
			{Key: 1}: {children: []custom.Child{{Key: 2, Tier: 1}}}, {Key: 2, Tier: 1}: {children: []custom.Child{{Key: 3, Tier: tier}}},
		}, start: custom.Child{Key: 1}}
		if _, err := Estimate(t.Context(), g, PlanOptions{}); !errors.Is(err, ErrRules) {
			t.Errorf("a move from tier 1 to %d: %v", tier, err)
		}
	}
}

// slowRules takes its time for each position.
type slowRules struct {
	custom.Rules
	takes time.Duration
}

func (r slowRules) NewExpander() custom.Expander { return slowExpander{r.Rules.NewExpander(), r.takes} }

type slowExpander struct {
	custom.Expander
	takes time.Duration
}

func (e slowExpander) Expand(dst []custom.Child, from custom.Child) ([]custom.Child, game.Outcome, bool, error) {
	time.Sleep(e.takes)
	return e.Expander.Expand(dst, from)
}

// An estimate keeps its bounds however slow the rules are. It has an interval, or says that it knows
// too little. It ends with its context.
func TestEstimateBounds(t *testing.T) {
	usual := mostSamples
	t.Cleanup(func() { mostSamples = usual })
	for _, c := range []struct {
		takes   time.Duration
		samples int
		told    bool
	}{
		{100 * time.Microsecond, mostSamples, true},
		{time.Second, mostSamples, false},
		{0, 1_000_000 / 48, true},
		{0, 2, false},
	} {
		mostSamples = c.samples
		synctest.Test(t, func(t *testing.T) {
			began, reports := time.Now(), 0
			o := PlanOptions{Progress: func(now tablebase.Event) { reports++ }}
			p, err := Estimate(t.Context(), slowRules{custom.NewRules(dobutsu.Game{}), c.takes}, o)
			if err != nil || p.Low < 1 || p.Low > 246803168 || p.High != 0 && p.High < 246803168 || (p.States > 0) != c.told {
				t.Errorf("%+v: %+v, %v", c, p, err)
			}
			if took := time.Since(began); took > 5*time.Second+c.takes || (reports > 0) != c.told {
				t.Errorf("%+v: %v and %d reports", c, took, reports)
			}
		})
	}
	mostSamples = usual
	gone := errors.New("the client left")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, gone)
		defer cancel()
		if p, err := Estimate(ctx, slowRules{custom.NewRules(dobutsu.Game{}), time.Millisecond}, PlanOptions{}); !errors.Is(err, gone) {
			t.Errorf("%+v, %v", p, err)
		}
	})
}
