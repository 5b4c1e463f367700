package qlearning

import (
	"math"
	"math/bits"

	"backsolve/bitboard"
)

// features are what is seen of an n×n board: 4n + 7 numbers. The first is a constant. The others
// come in pairs, first for the marks of the player whose view it is, then for the opponent's: the
// share of all cells that are marked; of the cells of each row, from the top; of each column,
// from the left; of the two diagonals. In Notakto all marks are the player's, and the opponent's
// shares are 0.
//
// All are divided by √(4n + 7), the constant 1 too. So the sum of their squares is at most 1, and
// learning at a rate of up to 1 does not overshoot: undivided, a rate of 0.5 lets the weights
// grow without bound.
type features struct {
	areas    []area
	constant float64
}

// area is cells whose marks are counted, and what each of them adds.
type area struct {
	cells uint64
	each  float64
}

func newFeatures(n int) features {
	constant := 1 / math.Sqrt(float64(4*n+7))
	areas := []area{{bitboard.All(n), constant / float64(n*n)}}
	lines := bitboard.Lines(n) // rows, columns and two diagonals, even where some are the same
	if n == 1 {
		lines = []uint64{1, 1, 1, 1}
	}
	for _, line := range lines {
		areas = append(areas, area{line, constant / float64(n)})
	}
	return features{areas, constant}
}

func (f features) number() int { return 1 + 2*len(f.areas) }

// write puts the features of a board into a slice, as the player with the own marks sees it.
func (f features) write(own, other uint64, into []float64) {
	into[0] = f.constant
	for i, a := range f.areas {
		into[1+2*i] = float64(bits.OnesCount64(own&a.cells)) * a.each
		into[2+2*i] = float64(bits.OnesCount64(other&a.cells)) * a.each
	}
}
