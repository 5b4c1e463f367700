package game

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// The words of a position given by moves, as in UGI.
const (
	startWord = "startpos"
	movesWord = "moves"
)

// ParsePosition reads the text of a position: what r.Parse reads, or startpos, which means start.
// Moves may follow after the word moves: startpos moves a1d1 b4b1. The error is a *SyntaxError or
// wraps an *IllegalMoveError.
func ParsePosition[S comparable](r RulesOf[S], start S, text string) (s S, err error) {
	if WrittenOut(text) {
		return r.Parse(text)
	}
	words := strings.Fields(text)
	var moves []string
	if i := slices.Index(words, movesWord); i >= 0 {
		words, moves = words[:i], words[i+1:]
		text = strings.Join(words, " ")
	}
	switch {
	case len(words) == 0 || words[0] != startWord:
		if start, err = r.Parse(text); err != nil {
			return s, err
		}
	case len(words) > 1:
		return s, noMoves(r, start, text, words[1])
	}
	return PlayMoves(r, start, moves)
}

// noMoves returns the error for a word after startpos other than moves.
func noMoves[S comparable](r RulesOf[S], start S, text, word string) error {
	after := strings.Index(text, startWord) + len(startWord)
	at := after + strings.Index(text[after:], word)
	example := startWord
	if moves := r.Moves(nil, start); len(moves) > 0 {
		example += " " + movesWord + " " + MoveText(r, start, moves[0])
	}
	return &SyntaxError{
		Text: text, Column: utf8.RuneCountInString(text[:at]) + 1, Example: example,
		Reason: fmt.Sprintf("only the word %s may follow %s, not %.40q", movesWord, startWord, word),
	}
}

// WrittenOut reports whether the text of a position gives neither the start nor moves.
func WrittenOut(text string) bool {
	return !strings.Contains(text, movesWord) && !strings.Contains(text, startWord)
}
