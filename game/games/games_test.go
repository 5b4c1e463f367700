package games

import (
	"slices"
	"strings"
	"testing"

	"backsolve/bitboard"
	"backsolve/game"
)

func TestLookup(t *testing.T) {
	for _, g := range All() {
		if got, err := Lookup(g.Name); err != nil || got.Name != g.Name {
			t.Errorf("%s is found as %q, %v", g.Name, got.Name, err)
		}
	}
	byName := func(a, b game.Game) int { return strings.Compare(a.Name, b.Name) }
	if !slices.IsSortedFunc(All(), byName) {
		t.Error("the games are not listed by name")
	}
}

// knownGames is the end of a sentence that refuses a game.
func knownGames() string {
	var names []string
	for _, g := range All() {
		names = append(names, g.Name)
	}
	return "the games are " + strings.Join(names, ", ")
}

func TestLookupUnknown(t *testing.T) {
	known := knownGames()
	for name, want := range map[string]string{
		"":                         `there is no game ""; ` + known,
		"chess":                    `there is no game "chess"; ` + known,
		"Quixo":                    `there is no game "Quixo"; did you mean quixo? (` + known + `)`,
		"quxio":                    `there is no game "quxio"; did you mean quixo? (` + known + `)`,
		"qixo":                     `there is no game "qixo"; did you mean quixo? (` + known + `)`,
		"quixoo":                   `there is no game "quixoo"; did you mean quixo? (` + known + `)`,
		"notacto":                  `there is no game "notacto"; did you mean notakto? (` + known + `)`,
		"not":                      `there is no game "not"; did you mean notakto? (` + known + `)`,
		strings.Repeat("q", 1<<20): "there is no game with this name; " + known,
	} {
		if _, err := Lookup(name); err == nil || err.Error() != want {
			t.Errorf("%.40q: %v, want %s", name, err, want)
		}
	}
}

func TestNew(t *testing.T) {
	r, err := New("quixo", 4)
	if err != nil || r.Info().Name != "quixo" || r.Info().Size != 4 {
		t.Errorf("New gives %v, %v", r, err)
	}
	for _, c := range []struct {
		name string
		n    int
		want string
	}{
		{"quixo", 1, "there is no quixo board of size 1; sizes go from 2 to 8"},
		{"quixo", 9, "there is no quixo board of size 9; sizes go from 2 to 8"},
		{"notakto", 0, "there is no notakto board of size 0; sizes go from 1 to 24"},
		{"notakto", -1 << 31, "there is no notakto board of size -2147483648; sizes go from 1 to 24"},
		{"quixo", int(game.Sized(6, 11, 0, 0)), "there is no quixo board of size 6x11; sizes go from 2 to 8; " +
			"other boards have 2 to 12 rows and columns and at most 64 cells, as in 4x5, and rules after a comma: two to twelve in a row, both-win, both-draw"},
		{"notakto", int(game.Sized(4, 5, 0, bitboard.Torus)), "there is no notakto board of size 4x5,torus; sizes go from 1 to 24; " +
			"other boards have 1 to 26 rows and columns and at most 64 cells, as in 4x5, and rules after a comma: no-diagonals, torus, normal; boards with no-diagonals or torus are square"},
		{"othello", int(game.Sized(4, 6, 0, 0)), "there is no othello board of size 4x6; sizes go from 4 to 8 in steps of 2"},
		{"othello", 5, "there is no othello board of size 5; sizes go from 4 to 8 in steps of 2"},
		{"uttt", 3, "there is no uttt board of size 3; its size is 9"},
		{"gomoku", 5, `there is no game "gomoku"; ` + knownGames()},
	} {
		if _, err := New(c.name, c.n); err == nil || err.Error() != c.want {
			t.Errorf("%s %d: %v, want %s", c.name, c.n, err, c.want)
		}
	}
}
