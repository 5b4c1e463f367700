package custom_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"backsolve/game/custom"
	"backsolve/game/examples/endings"
	"backsolve/game/examples/hounds"
	"backsolve/game/examples/morris"
)

// faulty is a game with ranks. Each field breaks them in one way.
type faulty struct {
	*lots
	units                                    int
	wrongRank, none, noSyms, tooHigh         bool
	lost, twice, overwrites, over, other, up bool
	stays, forgets, mixes                    bool
}

func (g faulty) Units() int {
	if g.units != 0 {
		return g.units
	}
	return g.lots.Units()
}

func (g faulty) Size(unit int) uint64 {
	if g.tooHigh {
		return custom.MostRanks + 1
	}
	return g.lots.Size(unit)
}

func (g faulty) Home(s image) int {
	switch {
	case g.up && s.Orbit%5 == 2:
		return g.lots.Units() - 1
	}
	return g.lots.Home(s)
}

func (g faulty) Rank(s image) (uint64, int) {
	rank, symmetries := g.lots.Rank(s)
	switch {
	case g.wrongRank && s.Orbit%5 == 2:
		rank += 1000
	case g.noSyms && s.Orbit%5 == 2:
		symmetries = 0
	case g.other:
		symmetries *= 1 + s.Orbit%2
	}
	return rank, symmetries
}

func (g faulty) Unrank(unit int, rank uint64) (image, bool) {
	s, ok := g.lots.Unrank(unit, rank)
	return s, ok && (!g.none || s.Orbit%2 != 0)
}

func (g faulty) Unmoves(dst []image, s image) []image {
	first := len(dst)
	if g.overwrites {
		dst, first = dst[:0], 0
	}
	dst = g.lots.Unmoves(dst, s)
	switch all := dst[first:]; {
	case g.lost && len(all) > 0:
		return dst[:len(dst)-1]
	case g.twice && len(all) > 0:
		return append(dst, all[0])
	case g.over:
		for i := range 1000 {
			from, ok := g.Unrank(g.Home(s), uint64(i)%g.Size(g.Home(s)))
			if _, over := g.Terminal(from); ok && over {
				return append(dst, from)
			}
		}
	}
	return dst
}

func (g faulty) Leave(dst []image, s image) (left []image, stay int) {
	for _, after := range g.lots.Moves(nil, s) {
		if g.Home(after) != g.Home(s) {
			dst = append(dst, after)
		} else {
			stay++
		}
	}
	switch {
	case g.stays:
		stay++
	case g.forgets && len(dst) > 1:
		dst = dst[:len(dst)-1]
	}
	return dst, stay
}

func (g faulty) Ranks(dst []custom.Place, all []image) []custom.Place {
	for i, s := range all {
		rank, symmetries := g.Rank(s)
		if g.mixes && i == 1 {
			symmetries++
		}
		dst = append(dst, custom.Place{Unit: g.Home(s), Rank: rank, Symmetries: symmetries})
	}
	return dst
}

// Ranks and moves backward of games drawn by lot, with symmetries of all numbers, and of the
// examples pass the check.
func TestCheckDense(t *testing.T) {
	for seed := range uint64(40) {
		g := newLots(rand.New(rand.NewPCG(seed, 2)), 1+int(seed%4), 60)
		if err := custom.Check(g, 50, seed); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	for _, err := range []error{
		custom.Check(hounds.Game{}, 20, 1),
		custom.Check(endings.Game{Piece: 'R'}, 2, 1),
		custom.Check(morris.Game{Men: 4}, 5, 1),
		custom.Check(morris.Game{Men: 3, Turn: true}, 5, 1),
	} {
		if err != nil {
			t.Error(err)
		}
	}
}

// Each way to break the contract is found and named.
func TestCheckDenseFaults(t *testing.T) {
	for want, g := range map[string]faulty{
		"Units returns -1":           {units: -1},
		"Size returns 1099511627777": {tooHigh: true},
		"of the size":                {wrongRank: true},
		"Unrank finds no position":   {none: true},
		"one always does":            {noSyms: true},
		"times among the unmoves":    {lost: true},
		"symmetries keep them":       {other: true},
		"an image is":                {twice: true},
		"must append":                {overwrites: true},
		"where the game is over":     {over: true},
		"a move leads to":            {up: true},
		"stay in its unit":           {stays: true},
		"leave it, and of":           {forgets: true},
		"and Home and Rank return":   {mixes: true},
	} {
		g.lots = newLots(rand.New(rand.NewPCG(5, 5)), 3, 80)
		if err := custom.Check(g, 200, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}
