package game_test

import (
	"errors"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/game/notakto"
	"backsolve/game/quixo"
)

// A position is a text of the rules or startpos, with or without moves after it.
func TestParsePosition(t *testing.T) {
	grid := quixo.New(3)
	for text, want := range map[string]string{
		"startpos":                      ".../.../... x",
		" startpos  moves ":             ".../.../... x",
		"startpos moves a1c1 a3a1":      ".../.../O.X x",
		".../.../..X o":                 ".../.../..X o",
		"  .../.../..X o moves a3a1":    ".../.../O.X x",
		"startpos x":                    "only the word moves may follow startpos",
		"startpos moves a1c1 b2b3":      "move 2: the move b2b3 is not legal here",
		"startpos moves a1c1 startpos":  "move 2:",
		"moves a1c1":                    "column 1",
		"startpos startpos moves a1c1":  "column 10",
		".../.../..X startpos":          "column 13",
		".../.../..X o moves a3a1 nine": "move 2:",
	} {
		var got string
		s, err := game.ParsePosition(grid, grid.Start(), text)
		if got = grid.Format(s); err != nil {
			got = err.Error()
		}
		syntax, illegal := errors.As(err, new(*game.SyntaxError)), errors.As(err, new(*game.IllegalMoveError))
		if !strings.Contains(got, want) || err != nil && !syntax && !illegal {
			t.Errorf("%q: %s", text, got)
		}
		rules := game.Opaque(grid)
		if s, other := game.ParsePosition(rules, rules.Start(), text); err == nil && (other != nil || rules.Format(s) != got) || err != nil && (other == nil || other.Error() != err.Error()) {
			t.Errorf("%q: %v, %v", text, s, other)
		}
	}
	// The start may be another one.
	one := notakto.New(3)
	s, err := game.ParsePosition(one, game.Position{X: 1 << 4}, "startpos moves a1")
	if err != nil || one.Format(s) != ".../.X./X.." {
		t.Errorf("%v, %v", s, err)
	}
}
