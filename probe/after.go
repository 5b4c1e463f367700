package probe

import (
	"errors"
	"strings"
	"unicode/utf8"

	"backsolve/game"
)

// ParseAfter reads moves from the start of the game on, separated by commas. It
// returns the cells that they mark, and their texts. The error is a
// *game.SyntaxError of the whole text or a *game.IllegalMoveError.
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
