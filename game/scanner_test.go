package game

import (
	"errors"
	"testing"
)

// Each part is read in its place, and errors point at the wrong character.
func TestScanner(t *testing.T) {
	read := func(text string) (letter, number int, err error) {
		s := NewScanner(text, "b12")
		if letter, err = s.Letter(3, "a heap"); err != nil {
			return 0, 0, err
		}
		if number, err = s.Number(1, 15, "counters"); err != nil {
			return 0, 0, err
		}
		return letter, number, s.End("a move is a heap and a number")
	}
	for text, want := range map[string][2]int{"a1": {0, 1}, " c15\n": {2, 15}, "b9": {1, 9}} {
		if letter, number, err := read(text); err != nil || letter != want[0] || number != want[1] {
			t.Errorf("%q is read as %d and %d, %v", text, letter, number, err)
		}
	}
	for _, c := range []struct {
		text   string
		column int
		reason string
	}{
		{"", 1, "expected the letter of a heap, from a to c"},
		{"  d1", 3, `"d" is not the letter of a heap, from a to c`},
		{"é1", 1, `"é" is not the letter of a heap, from a to c`},
		{"a", 2, "expected the number of counters, from 1 to 15"},
		{"a-1", 2, `"-" is not a number of counters, from 1 to 15`},
		{"a0", 2, "the number of counters is from 1 to 15"},
		{"a16", 2, "the number of counters is from 1 to 15"},
		{"a99999999999999999999", 2, "the number of counters is from 1 to 15"},
		{"a01", 2, "the number of counters is written without leading zeros"},
		{"a1 2", 3, "a move is a heap and a number; leave out the rest"},
	} {
		_, _, err := read(c.text)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || syntax.Column != c.column || syntax.Reason != c.reason || syntax.Text != c.text || syntax.Example != "b12" {
			t.Errorf("%q: %v, want column %d: %s", c.text, err, c.column, c.reason)
		}
	}
}
