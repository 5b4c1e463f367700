package game

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// PlayMoves returns the state after moves, given as text. The error says which move is
// wrong, and wraps a *SyntaxError or an *IllegalMoveError.
func PlayMoves(rules Rules, s State, moves []string) (State, error) {
	for i, text := range moves {
		m, err := rules.ParseMove(s, text)
		if err != nil {
			return nil, fmt.Errorf("move %d: %w", i+1, err)
		}
		s = rules.Play(s, m)
	}
	return s, nil
}

// ParseAfter reads moves from the start of the game, separated by commas. It returns the
// cells that they mark, and their texts. The error is a *SyntaxError of the whole text
// or an *IllegalMoveError.
func ParseAfter(rules Grid, text string) (taken uint64, moves []string, err error) {
	p, before := rules.Start(), 0
	for move := range strings.SplitSeq(text, ",") {
		m, err := rules.ParseMove(p, move)
		if syntax, ok := errors.AsType[*SyntaxError](err); ok {
			syntax.Text, syntax.Column = text, syntax.Column+before
		}
		if err != nil {
			return 0, nil, err
		}
		p = rules.Play(p, m)
		moves = append(moves, rules.FormatMove(m))
		before += utf8.RuneCountInString(move) + 1
	}
	return p.X, moves, nil
}
