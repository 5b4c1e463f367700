package probe

import (
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
	return game.PlayMoves(b.rules, s, moves)
}

// noMoves returns the error of a word after startpos other than moves.
func (b *Board) noMoves(text, word string) error {
	after := strings.Index(text, startWord) + len(startWord)
	at := after + strings.Index(text[after:], word)
	example := startWord
	if moves := b.rules.Moves(nil, b.Start()); len(moves) > 0 {
		example += " " + movesWord + " " + game.MoveText(b.rules, b.Start(), moves[0])
	}
	return &game.SyntaxError{
		Text: text, Column: utf8.RuneCountInString(text[:at]) + 1, Example: example,
		Reason: fmt.Sprintf("after %s comes nothing or the word %s, not %.40q", startWord, movesWord, word),
	}
}

// WrittenOut reports whether the text of a position gives its rows alone, as Answerer.Ask
// needs it.
func WrittenOut(text string) bool {
	return !strings.Contains(text, movesWord) && !strings.Contains(text, startWord)
}
