package tablebase_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"backsolve/tablebase"
	"backsolve/tablebase/internal/tabletest"
)

// TestSealRefusesCounts hands over counts with one thing wrong at a time. Those
// that overflow are what subtracting too much makes.
func TestSealRefusesCounts(t *testing.T) {
	shapes := []tablebase.Shape{tabletest.QuixoShape, {Game: "notakto", Size: 4, Planes: 1, Steps: true}}
	for name, spoil := range map[string]func(n *tablebase.Counts){
		"a win too many":  func(n *tablebase.Counts) { n.ByWeight[2].Wins++ },
		"a loss too few":  func(n *tablebase.Counts) { n.ByWeight[1].Losses-- },
		"a draw too many": func(n *tablebase.Counts) { n.ByWeight[5].Draws++ },
		"wrapped draws":   func(n *tablebase.Counts) { n.ByWeight[3].Wins += 7; n.ByWeight[3].Draws -= 7 + n.ByWeight[3].Draws },
		"more wins than states": func(n *tablebase.Counts) {
			more := n.ByWeight[3].Losses + n.ByWeight[3].Draws + 1
			n.ByWeight[3].Wins += more
			n.ByWeight[3].Losses -= more // below zero
		},
		"a binomial off":  func(n *tablebase.Counts) { n.ByWeight[0], n.ByWeight[1] = n.ByWeight[1], n.ByWeight[0] },
		"terminal wins":   func(n *tablebase.Counts) { n.ByWeight[4].TerminalWins = n.ByWeight[4].Wins + 1 },
		"terminal losses": func(n *tablebase.Counts) { n.ByWeight[4].TerminalLosses = n.ByWeight[4].Losses + 1 },
		"fewer masks": func(n *tablebase.Counts) {
			*n = tablebase.Counts{ByWeight: make([]tablebase.OutcomeCounts, 6), BySteps: nil}
		},
		"too large":          func(n *tablebase.Counts) { n.ByWeight[5].Wins = math.MaxUint64; n.ByWeight[5].Draws = math.MaxUint64 },
		"steps of a win":     func(n *tablebase.Counts) { n.BySteps[1].Wins++ },
		"steps of a loss":    func(n *tablebase.Counts) { n.BySteps[1].Losses-- },
		"terminal, by steps": func(n *tablebase.Counts) { n.BySteps[0].Wins++; n.BySteps[1].Wins-- },
		"no steps":           func(n *tablebase.Counts) { n.BySteps = nil },
	} {
		t.Run(name, func(t *testing.T) {
			for _, s := range shapes {
				w := tabletest.Create(t, filepath.Join(t.TempDir(), "t.tb"), s, false)
				c := tabletest.RandomClass(rand.New(rand.NewPCG(1, 1)), s, 5, 5, 7, 2)
				spoil(&c.Counts)
				if err := w.Seal(c.Class, c.Planes, c.Counts); !errors.Is(err, tablebase.ErrInput) {
					t.Errorf("%v: Seal: %v", s, err)
				}
				if n := len(w.Sealed()); n != 0 {
					t.Errorf("%v: %d classes sealed", s, n)
				}
			}
		})
	}
}

// Counts that add up are sealed, whatever the shape.
func TestCountsThatAddUp(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := tablebase.Shape{Game: "quixo", Size: 4, Planes: 1 + r.IntN(2), Steps: r.IntN(2) == 1}
		digits := 0
		if s.Steps {
			digits = r.IntN(4)
		}
		indexBits, blocks := r.IntN(18), 1+r.IntN(50)
		if err := tabletest.RandomCounts(r, s, indexBits, blocks, digits).Check(s, indexBits, blocks); err != nil {
			t.Errorf("seed %d, %v: %v", seed, s, err)
		}
	}
}
