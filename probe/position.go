package probe

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"backsolve/game"
)

// The words of a position given by moves, as in UGI.
const (
	startWord = "startpos"
	movesWord = "moves"
)

// Parse reads the text of a position: its rows and the side to move, or startpos. Moves may
// follow after the word moves: startpos moves a1d1 b4b1. The error is a *game.SyntaxError or
// wraps a *game.IllegalMoveError.
func (b *Board) Parse(text string) (game.State, error) {
	words := strings.Fields(text)
	var moves []string
	if i := slices.Index(words, movesWord); i >= 0 {
		words, moves = words[:i], words[i+1:]
		text = strings.Join(words, " ")
	}
	s := b.Start()
	if len(words) > 1 && words[0] == startWord {
		return nil, b.noMoves(text, words[1])
	}
	if len(words) != 1 || words[0] != startWord {
		var err error
		if s, err = b.rules.Parse(text); err != nil {
			return nil, err
		}
	}
	return PlayMoves(b.rules, s, moves)
}

// noMoves returns the error of a word after startpos other than moves.
func (b *Board) noMoves(text, word string) error {
	after := strings.Index(text, startWord) + len(startWord)
	at := after + strings.Index(text[after:], word)
	example := startWord
	if moves := b.rules.Moves(nil, b.Start()); len(moves) > 0 {
		example += " " + movesWord + " " + b.rules.FormatMove(moves[0])
	}
	return &game.SyntaxError{
		Text: text, Column: utf8.RuneCountInString(text[:at]) + 1, Example: example,
		Reason: fmt.Sprintf("after %s goes nothing or the word %s, not %.40q", startWord, movesWord, word),
	}
}

// PlayMoves returns the state after moves, given as text. The error says which move is
// wrong, and wraps a *game.SyntaxError or a *game.IllegalMoveError.
func PlayMoves(rules game.Rules, s game.State, moves []string) (game.State, error) {
	for i, text := range moves {
		m, err := rules.ParseMove(s, text)
		if err != nil {
			return nil, fmt.Errorf("move %d: %w", i+1, err)
		}
		s = rules.Play(s, m)
	}
	return s, nil
}

// WrittenOut reports whether the text of a position gives its rows alone, as Answerer.Ask
// needs it.
func WrittenOut(text string) bool {
	return !strings.Contains(text, movesWord) && !strings.Contains(text, startWord)
}

// ParseAfter reads moves from the start of the game, separated by commas. It returns the
// cells that they mark, and their texts. The error is a *game.SyntaxError of the whole text
// or a *game.IllegalMoveError.
func ParseAfter(rules game.Grid, text string) (taken uint64, moves []string, err error) {
	p, before := rules.Start(), 0
	for move := range strings.SplitSeq(text, ",") {
		m, err := rules.ParseMove(p, move)
		if syntax, ok := errors.AsType[*game.SyntaxError](err); ok {
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
