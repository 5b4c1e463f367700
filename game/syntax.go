package game

import "fmt"

// SyntaxError reports where and why the text of a position or a move is malformed.
type SyntaxError struct {
	// Text is the whole text, as given.
	Text string
	// Column is the character at which reading stopped, the first one being 1;
	// one past the last character if the text ends too early. A byte that is
	// not UTF-8 counts as a character.
	Column int
	// Reason is what is wrong there and the remedy, without a full stop.
	Reason string
	// Example is a well-formed text.
	Example string
}

// maxEcho is the longest text, in bytes, that an error message repeats or shows
// as an example.
const maxEcho = 96

// Error returns a sentence that points at the column and shows an example. It repeats neither a
// long text nor a long example.
func (e *SyntaxError) Error() string {
	where := fmt.Sprintf("column %d", e.Column)
	if len(e.Text) <= maxEcho {
		where = fmt.Sprintf("%q, column %d", e.Text, e.Column)
	}
	if len(e.Example) > maxEcho {
		return where + ": " + e.Reason
	}
	return fmt.Sprintf("%s: %s; an example is %q", where, e.Reason, e.Example)
}

// IllegalMoveError says why a move that can be read is not legal in a position.
type IllegalMoveError struct {
	// Move is the text of the move.
	Move string
	// Reason is why it is not legal, without a full stop.
	Reason string
}

// Error returns a sentence with the move and the reason.
func (e *IllegalMoveError) Error() string {
	return fmt.Sprintf("the move %s is not legal here: %s", e.Move, e.Reason)
}

// Legal returns a move that was read, or an *IllegalMoveError if there is a reason against it.
func Legal(m Move, text, reason string) (Move, error) {
	if reason != "" {
		return Move{}, &IllegalMoveError{Move: text, Reason: reason}
	}
	return m, nil
}

// count returns a number with its noun: 1 cell, 2 cells.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
