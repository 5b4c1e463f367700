package probe

import (
	"fmt"
	"strconv"
)

// Score is how a game ends under best play, for the player to move, in games that end
// with a score, as a number of discs more or fewer: above 0 where it is won. The zero
// value says that there is none.
type Score struct {
	known bool
	value int16
}

// ScoreOf returns a score, −1<<15 ≤ value < 1<<15.
func ScoreOf(value int) Score { return Score{true, int16(value)} }

// Value returns the score, and whether there is one.
func (s Score) Value() (value int, known bool) { return int(s.value), s.known }

// String returns the score with its sign, a dash where there is none.
func (s Score) String() string {
	switch {
	case !s.known:
		return "-"
	case s.value == 0:
		return "0"
	}
	return fmt.Sprintf("%+d", s.value)
}

// appendJSON appends the field of a score that there is.
func (s Score) appendJSON(dst []byte) []byte {
	if !s.known {
		return dst
	}
	return strconv.AppendInt(append(dst, `,"score":`...), int64(s.value), 10)
}
