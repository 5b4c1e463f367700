package game

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Scanner reads the text of a position or a move character by character.
type Scanner struct {
	text, example string
	at, end       int // what is left to read, in bytes
}

// NewScanner returns a scanner of a text without the white space around it. Its errors
// show the example.
func NewScanner(text, example string) *Scanner {
	s := &Scanner{text: text, example: example}
	s.trim()
	return s
}

func (s *Scanner) trim() {
	body := strings.TrimSpace(s.text)
	s.at = strings.Index(s.text, body)
	s.end = s.at + len(body)
}

// Peek returns the next character, empty at the end.
func (s *Scanner) Peek() string {
	_, size := utf8.DecodeRuneInString(s.text[s.at:s.end])
	return s.text[s.at : s.at+size]
}

// Skip advances to the next character.
func (s *Scanner) Skip() { s.at += len(s.Peek()) }

// Fail returns a *SyntaxError that points at the next character.
func (s *Scanner) Fail(format string, args ...any) error {
	return &SyntaxError{
		Text:    s.text,
		Column:  utf8.RuneCountInString(s.text[:s.at]) + 1,
		Reason:  fmt.Sprintf(format, args...),
		Example: s.example,
	}
}

// Letter reads one of n letters from a on and returns which. The error, a *SyntaxError, names
// what the letter stands for: a heap.
func (s *Scanner) Letter(n int, of string) (int, error) {
	last := 'a' + byte(n-1)
	switch c := s.Peek(); {
	case c == "":
		return 0, s.Fail("expected the letter of %s, from a to %c", of, last)
	case len(c) > 1 || c[0] < 'a' || c[0] > last:
		return 0, s.Fail("%q is not the letter of %s, from a to %c", c, of, last)
	default:
		s.Skip()
		return int(c[0] - 'a'), nil
	}
}

// Number reads a decimal number without leading zeros. The error, a *SyntaxError, names
// what it counts: counters.
func (s *Scanner) Number(least, most int, of string) (int, error) {
	begin, digits := s.at, 0
	for isDigit(s.Peek()) {
		s.Skip()
		digits++
	}
	text := s.text[begin:s.at]
	n, err := strconv.Atoi(text)
	switch {
	case digits == 0 && s.Peek() == "":
		return 0, s.Fail("expected the number of %s, from %d to %d", of, least, most)
	case digits == 0:
		return 0, s.Fail("%q is not a number of %s, from %d to %d", s.Peek(), of, least, most)
	}
	s.at = begin
	switch {
	case digits > 1 && text[0] == '0':
		return 0, s.Fail("the number of %s is written without leading zeros", of)
	case err != nil || n < least || n > most:
		return 0, s.Fail("the number of %s is from %d to %d", of, least, most)
	}
	s.at += digits
	return n, nil
}

func isDigit(c string) bool { return len(c) == 1 && '0' <= c[0] && c[0] <= '9' }

// Side reads a space and the side to move, which end a position, or nothing if it is x. The
// error, a *SyntaxError, names what comes before them: the board.
func (s *Scanner) Side(after string) (side Side, err error) {
	switch c := s.Peek(); c {
	case "":
		return X, nil
	case " ":
		s.Skip()
	default:
		return 0, s.Fail("%q does not belong here; only a space and the side to move, x or o, follow the %s", c, after)
	}
	switch c := s.Peek(); c {
	case "x":
	case "o":
		side = O
	case "X", "O":
		return 0, s.Fail("the side to move is a small letter; write %s instead of %s", strings.ToLower(c), c)
	default:
		return 0, s.Fail("%q is not a side to move; write x or o after one space", c)
	}
	s.Skip()
	return side, s.End("nothing follows the side to move")
}

// End checks that nothing follows. The error, a *SyntaxError, describes the correct text:
// a move is a file's letter.
func (s *Scanner) End(what string) error {
	if s.Peek() != "" {
		return s.Fail("%s; leave out the rest", what)
	}
	return nil
}
