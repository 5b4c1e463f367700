package game

import (
	"fmt"
	"slices"
	"strings"

	"backsolve/bitboard"
)

// Variants are the boards of a game that are not n×n, or not played by its usual rules.
type Variants struct {
	// Least and Most bound the numbers of rows and columns. A board has at most 64 cells.
	Least, Most int
	// Runs says that lines may be straight runs of some length.
	Runs bool
	// Boards and Side bound the numbers and sides of several n×n boards that are not all 3×3.
	Boards, Side int
	// Rules are the changes of the rules. Of two that Exclude has, only one may be chosen.
	Rules, Exclude bitboard.Variant
}

// square are the changes that need a board with diagonals.
const square = bitboard.NoDiagonals | bitboard.Torus

// Has reports whether a size that is not plain is the size of a board.
func (v Variants) Has(s Size) bool {
	if sides := s.Sides(); sides != nil {
		return len(sides) <= v.Boards && slices.Max(sides) <= v.Side && (slices.Min(sides) != 3 || slices.Max(sides) != 3)
	}
	rows, cols, run := s.Rows(), s.Cols(), s.Run()
	exclude := s.Variant() & v.Exclude
	switch {
	case s.Plain() || min(rows, cols) < v.Least || max(rows, cols) > v.Most || rows*cols > 64:
		return false
	case run > 0 && (!v.Runs || run == 1 || run > max(rows, cols) || run == rows && rows == cols):
		return false
	case s.Variant()&^v.Rules != 0 || exclude&(exclude-1) != 0:
		return false
	case s.Variant()&square != 0:
		return rows == cols && rows > 1 && s.Variant()&square != square
	}
	return true
}

// String ends a sentence that refuses a board with the words for others. It is empty if there are
// none.
func (v Variants) String() string {
	if v.Boards > 0 {
		return fmt.Sprintf("; other boards, up to %d from 1×1 to %d×%[2]d, as in 3+4+4", v.Boards, v.Side)
	}
	if v.Most == 0 {
		return ""
	}
	text := fmt.Sprintf("; other boards have %d to %d rows and columns and at most 64 cells, as in 4x5", v.Least, v.Most)
	words := bitboard.Sized(5, 4, 0, v.Rules).Words()
	if v.Runs {
		words = append([]string{"two to twelve in a row"}, words...)
	}
	if len(words) == 0 {
		return text
	}
	text = fmt.Sprintf("%s, and rules after a comma: %s", text, strings.Join(words, ", "))
	if v.Rules&square != 0 {
		text += "; boards with no-diagonals or torus are square"
	}
	return text
}
