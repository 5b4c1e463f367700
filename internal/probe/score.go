package probe

import (
	"fmt"
	"strconv"
)

// Score is the result of a game under best play for the player to move, as a difference in
// discs, empty cells counting for the winner: above 0 if won. The zero value means no score, as in
// games without scores.
type Score struct {
	known bool
	value int16
}

// ScoreOf returns a score, −1<<15 ≤ value < 1<<15.
func ScoreOf(value int) Score { return Score{true, int16(value)} }

// Value returns the score, and whether there is one.
func (s Score) Value() (value int, known bool) { return int(s.value), s.known }

// String returns the score with its sign, or a dash if there is none.
func (s Score) String() string {
	switch {
	case !s.known:
		return "-"
	case s.value == 0:
		return "0"
	}
	return fmt.Sprintf("%+d", s.value)
}

// appendJSON appends the field of a score if there is one.
func (s Score) appendJSON(dst []byte) []byte {
	if !s.known {
		return dst
	}
	return strconv.AppendInt(append(dst, `,"score":`...), int64(s.value), 10)
}
