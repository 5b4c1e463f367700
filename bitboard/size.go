package bitboard

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Size chooses a board of a game, and is a plain int wherever boards are chosen. n is the
// n×n board. Other boards have rows, columns and a variant packed by Sized, or are several
// boards packed by Summed.
type Size int

// Variant is a set of changes to the rules.
type Variant uint16

// The variants. Each game has its own.
const (
	// NoDiagonals: diagonals do not count as lines.
	NoDiagonals Variant = 1 << iota
	// Torus: the edges are joined, so that there are n diagonals in each direction.
	Torus
	// Misere: the player who completes a line loses.
	Misere
	// Normal: the player who completes a line wins.
	Normal
	// BothWin and BothDraw: a move that completes a line for each player wins, or draws.
	BothWin
	BothDraw
)

// variantWords are the words of the variants in the order of their bits, runWords of the lengths of lines.
var (
	variantWords = []string{"no-diagonals", "torus", "misere", "normal", "both-win", "both-draw"}
	runWords     = []string{2: "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
)

// Bits of a packed size.
const (
	packed   = 1 << 24 // marks a packed size
	summed   = 1 << 25 // marks several boards
	runShift = 8
	varShift = 12
	farRows  = 1 << 22 // 16 more rows
	farCols  = 1 << 23 // 16 more columns
)

const mostSide = 31

// Sized returns the size of a board of at most 31 rows and columns, whose lines are all
// straight runs of that many cells; 0 for whole rows, columns and main diagonals.
func Sized(rows, cols, run int, v Variant) Size {
	if rows == cols && run == 0 && v == 0 {
		return Size(rows)
	}
	return packed | Size(rows&15) | Size(rows>>4)*farRows | Size(cols&15)<<4 | Size(cols>>4)*farCols |
		Size(run)<<runShift | Size(v)<<varShift
}

const mostSummed = 5

// Summed returns the size of one to five n×n boards with sides from 1 to 15.
func Summed(sides ...int) Size {
	s := Size(0)
	for _, side := range sides {
		s = s<<4 | Size(side)
	}
	return s | summed
}

// Sides returns the sides of several n×n boards, none for one board.
func (s Size) Sides() (sides []int) {
	if s&summed == 0 {
		return nil
	}
	for rest := s &^ summed; rest > 0; rest >>= 4 {
		sides = append([]int{int(rest & 15)}, sides...)
	}
	return sides
}

// Plain reports whether the board is n×n without a variant.
func (s Size) Plain() bool { return s < packed }

// Rows returns the number of rows.
func (s Size) Rows() int {
	if s.Plain() {
		return int(s)
	}
	return int(s&15 + s&farRows/farRows<<4)
}

// Cols returns the number of columns.
func (s Size) Cols() int {
	if s.Plain() {
		return int(s)
	}
	return int(s>>4&15 + s&farCols/farCols<<4)
}

// Cells returns the number of cells.
func (s Size) Cells() int { return s.Rows() * s.Cols() }

// Run returns the length of lines, 0 for whole rows, columns and main diagonals.
func (s Size) Run() int {
	if s.Plain() {
		return 0
	}
	return int(s >> runShift & 15)
}

// Variant returns the changes to the rules.
func (s Size) Variant() Variant {
	if s.Plain() {
		return 0
	}
	return Variant(s >> varShift & (farRows>>varShift - 1))
}

// Has reports whether the variant includes all of the given changes.
func (s Size) Has(v Variant) bool { return s.Variant()&v == v }

// Words returns the words of the variant.
func (s Size) Words() (words []string) {
	if run := s.Run(); run > 0 {
		words = append(words, runWords[run])
	}
	for i, word := range variantWords {
		if s.Has(1 << i) {
			words = append(words, word)
		}
	}
	return words
}

// Board returns the word for the board in names of files: 4x4, 4x5, 5x5,torus.
func (s Size) Board() string {
	if sides := s.Sides(); sides != nil {
		return strings.Trim(strings.ReplaceAll(fmt.Sprint(sides), " ", "+"), "[]")
	}
	return strings.Join(append([]string{fmt.Sprintf("%dx%d", s.Rows(), s.Cols())}, s.Words()...), ",")
}

// String returns the word for the board on command lines and in addresses: 4, 4x5, 5x5,torus.
func (s Size) String() string {
	if s.Plain() {
		return strconv.Itoa(int(s))
	}
	return s.Board()
}

// Title returns the board for people: 4×4, 4×5, 5×5 torus.
func (s Size) Title() string {
	if s&summed != 0 {
		return s.Board()
	}
	return strings.Join(append([]string{fmt.Sprintf("%d×%d", s.Rows(), s.Cols())}, s.Words()...), " ")
}

// ParseSize reads what String or Board returns, with the words of the variant in any order; ok is
// false for other texts. No game need have a board of that size.
func ParseSize(text string) (s Size, ok bool) {
	if strings.Contains(text, "+") {
		return parseSummed(text)
	}
	board, variant, varied := strings.Cut(text, ",")
	rows, cols, ok := strings.Cut(board, "x")
	if !ok {
		n, err := strconv.Atoi(board)
		return Size(n), err == nil && n < packed && !varied
	}
	m, err := strconv.Atoi(rows)
	n, wrong := strconv.Atoi(cols)
	if err != nil || wrong != nil || m < 1 || n < 1 || max(m, n) > mostSide && (m != n || varied) || board != fmt.Sprintf("%dx%d", m, n) {
		return 0, false
	}
	run, v := 0, Variant(0)
	for word := range strings.SplitSeq(variant, ",") {
		bit, length := slices.Index(variantWords, word), slices.Index(runWords, word)
		switch {
		case !varied:
		case length > 0 && run == 0:
			run = length
		case bit >= 0 && v>>bit&1 == 0:
			v |= 1 << bit
		default:
			return 0, false
		}
	}
	return Sized(m, n, run, v), true
}

func parseSummed(text string) (s Size, ok bool) {
	var sides []int
	for word := range strings.SplitSeq(text, "+") {
		side, err := strconv.Atoi(word)
		if err != nil || side < 1 || side > 15 || len(sides) == mostSummed {
			return 0, false
		}
		sides = append(sides, side)
	}
	return Summed(sides...), true
}

// MarshalJSON writes n for the n×n board, and String's text for other boards.
func (s Size) MarshalJSON() ([]byte, error) { return s.AppendJSON(nil), nil }

// AppendJSON appends what MarshalJSON returns.
func (s Size) AppendJSON(dst []byte) []byte {
	if s.Plain() {
		return strconv.AppendInt(dst, int64(s), 10)
	}
	return strconv.AppendQuote(dst, s.String())
}

// UnmarshalText reads what String writes.
func (s *Size) UnmarshalText(text []byte) error {
	size, ok := ParseSize(string(text))
	if !ok {
		return fmt.Errorf("%.40q is not the size of a board", text)
	}
	*s = size
	return nil
}

// Bind is UnmarshalText, for parameters in the query of a request.
func (s *Size) Bind(text string) error { return s.UnmarshalText([]byte(text)) }

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Size) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) != nil {
		text = string(data)
	}
	return s.UnmarshalText([]byte(text))
}
