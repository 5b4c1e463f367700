package game

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// MoveTexter is implemented by rules whose moves have texts that depend on the position.
type MoveTexter interface {
	// MoveText returns the text of a move in a state, which ParseMove reads.
	MoveText(s State, m Move) string
}

// MoveText returns the text of a move in a state of any game.
func MoveText[S comparable](r RulesOf[S], s S, m Move) string {
	if t, ok := r.(MoveTexter); ok {
		return t.MoveText(s, m)
	}
	return r.FormatMove(m)
}

// PlayMoves returns the state after moves, given as text. The error says which move is
// wrong, and wraps a *SyntaxError or an *IllegalMoveError.
func PlayMoves[S comparable](rules RulesOf[S], s S, moves []string) (S, error) {
	for i, text := range moves {
		m, err := rules.ParseMove(s, text)
		if err != nil {
			return s, fmt.Errorf("move %d: %w", i+1, err)
		}
		s = rules.Play(s, m)
	}
	return s, nil
}

// ParseAfter reads moves from the start of the game, separated by commas. It returns the cells
// that they mark, and their texts. The error is a *SyntaxError of the whole text or an
// *IllegalMoveError.
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
