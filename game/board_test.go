package game_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/game/games"
)

func rules(t *testing.T, name string, n int) game.Grid {
	t.Helper()
	r, err := games.NewGrid(name, n)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int
		text string
		want game.Position
	}{
		{"quixo", 2, "../..", game.Position{}},
		{"quixo", 2, "X./.O", game.Position{X: 0b0001, O: 0b1000}},
		{"quixo", 2, "X./.O x", game.Position{X: 0b0001, O: 0b1000}},
		{"quixo", 2, "X./.O o", game.Position{X: 0b0001, O: 0b1000, Mark: game.O}},
		{"quixo", 3, "\tOX./.../..X o\n", game.Position{X: 0b100000010, O: 0b1, Mark: game.O}},
		{"quixo", 8, strings.Repeat("XXXXXXXX/", 7) + "XXXXXXXX o", game.Position{X: ^uint64(0), Mark: game.O}},
		{"notakto", 1, "X", game.Position{X: 1}},
		{"notakto", 3, "..X/.../X..", game.Position{X: 0b001000100}},
	} {
		if got, err := rules(t, c.name, c.n).Parse(c.text); err != nil || got != c.want {
			t.Errorf("%q is read as %v, %v, want %v", c.text, got, err, c.want)
		}
	}
}

// Texts written by programs take a fast path. It must read what the usual path reads, which white
// space forces, and refuse what that refuses.
func TestParseIsTheSameBothWays(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, name := range []string{"quixo", "notakto", "tictactoe"} {
		for n := 2; n <= 8; n++ {
			board, good := rules(t, name, n), 0
			for i := range 2000 {
				p := game.Position{X: r.Uint64(), O: r.Uint64(), Mark: game.Side(i & 1)}
				if n < 8 {
					p.X, p.O = p.X&(1<<(n*n)-1), p.O&(1<<(n*n)-1)
				}
				if p.O &^= p.X; board.Marks() == 1 {
					p.O, p.Mark = 0, game.X
				}
				text := []byte(board.Format(p))
				if got, err := board.Parse(string(text)); err != nil || got != p {
					t.Fatalf("%s is read as %v, %v", text, got, err)
				}
				const others = "XO./ xo,\xff"
				text[r.IntN(len(text))] = others[r.IntN(len(others))]
				got, err := board.Parse(string(text))
				want, wrong := board.Parse(string(text) + "\n")
				if got != want || (err == nil) != (wrong == nil) {
					t.Fatalf("%q is read as %v, %v, want %v, %v", text, got, err, want, wrong)
				}
				if err == nil {
					good++
				}
			}
			if good < 100 || good > 1900 {
				t.Errorf("%s %d: %d of 2000 altered texts can be read", name, n, good)
			}
		}
	}
}

// TestParseErrors pins where each mistake is found and that the message says
// what to do.
func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		name, text string
		column     int
		reason     string
	}{
		{"quixo", "", 1, "there is no position; write the 3 rows of the board from top to bottom, separated by slashes"},
		{"quixo", " \n ", 1, "there is no position"},
		{"quixo", "X", 2, "row 1 from the top has 1 cell, but a row of the 3×3 board has 3"},
		{"quixo", "XO/.../...", 3, "row 1 from the top has 2 cells, but a row of the 3×3 board has 3"},
		{"quixo", "XO. x", 4, "the board ends after 1 row, but the 3×3 board has 3"},
		{"quixo", "XO./...", 8, "the board ends after 2 rows, but the 3×3 board has 3"},
		{"quixo", "XO./.../", 9, "row 3 from the top has 0 cells"},
		{"quixo", "XO../.../...", 4, "row 1 from the top continues after 3 cells, the width of the 3×3 board; write a slash"},
		{"quixo", "XO./.../..X/...", 12, "the board has more than 3 rows of 3 cells"},
		{"quixo", "XO./.../..XX", 12, "the board has more than 3 rows of 3 cells"},
		{"quixo", "XO./.x./...", 6, "marks are capital letters; write X instead of x"},
		{"quixo", "XO./.o./...", 6, "marks are capital letters; write O instead of o"},
		{"quixo", "  XO./.-./...", 8, `"-" is not a cell; write X, O or .`},
		{"quixo", "XO./€../...", 5, `"€" is not a cell`},
		{"quixo", "XO./\xff../...", 5, `"\xff" is not a cell`},
		{"quixo", "XO./.../... X", 13, "the side to move is a small letter; write x instead of X"},
		{"quixo", "XO./.../... ", 12, ""}, // white space at the end is no mistake
		{"quixo", "XO./.../...  x", 13, `" " is not a side to move; write x or o after one space`},
		{"quixo", "XO./.../... y", 13, `"y" is not a side to move`},
		{"quixo", "XO./.../...,x", 12, `"," does not belong here; only a space and the side to move, x or o, follow the board`},
		{"quixo", "XO./.../... x o", 14, "nothing follows the side to move"},
		{"notakto", "XO./.../...", 2, "every mark is an X in this game; write X or ."},
		{"notakto", "Xo./.../...", 2, "every mark is an X in this game; write X or ."},
		{"notakto", "x../.../...", 1, "marks are capital letters; write X instead of x"},
		{"notakto", "X.?/.../...", 3, `"?" is not a cell; write X or .`},
		{"notakto", "X../.../... x", 12, "nothing follows the board, as this game has no sides; leave out the rest"},
	} {
		_, err := rules(t, c.name, 3).Parse(c.text)
		if c.reason == "" {
			if err != nil {
				t.Errorf("%q: %v", c.text, err)
			}
			continue
		}
		checkError(t, err, c.text, c.column, c.reason)
	}
}

func checkError(t *testing.T, err error, text string, column int, reason string) {
	t.Helper()
	var syntax *game.SyntaxError
	if !errors.As(err, &syntax) {
		t.Errorf("%q: %v is no *SyntaxError", text, err)
		return
	}
	if syntax.Column != column || !strings.Contains(syntax.Reason, reason) || syntax.Text != text {
		t.Errorf("%q: column %d, %s; want column %d, %s", text, syntax.Column, syntax.Reason, column, reason)
	}
}

func TestParseMoveErrors(t *testing.T) {
	for _, c := range []struct {
		name, text string
		column     int
		reason     string
	}{
		{"quixo", "", 1, "the move ends here; write a column's letter from a to c"},
		{"quixo", "a1", 3, "the move ends here; write a column's letter from a to c"},
		{"quixo", "a1c", 4, "the move ends here; write a row's number from 1 to 3"},
		{"quixo", " d1a1", 2, `"d" is not a column's letter from a to c`},
		{"quixo", "a4a1", 2, `"4" is not a row's number from 1 to 3`},
		{"quixo", "a0a1", 2, `"0" is not a row's number from 1 to 3`},
		{"quixo", "A1a1", 1, `"A" is not a column's letter from a to c`},
		{"quixo", "a1 c1", 3, `" " is not a column's letter`},
		{"quixo", "a1c1x", 5, "a move is 2 cells; leave out the rest"},
		{"notakto", "b22", 3, "a move is 1 cell; leave out the rest"},
		{"notakto", "é2", 1, `"é" is not a column's letter from a to c`},
	} {
		r := rules(t, c.name, 3)
		_, err := r.ParseMove(r.Start(), c.text)
		checkError(t, err, c.text, c.column, c.reason)
	}
}

func TestSyntaxErrorIsASentence(t *testing.T) {
	_, err := rules(t, "notakto", 2).Parse("X./O.")
	const want = `"X./O.", column 4: every mark is an X in this game; write X or .; an example is "X./.."`
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	_, err = rules(t, "notakto", 2).Parse(strings.Repeat("X", 100))
	if err == nil || !strings.HasPrefix(err.Error(), "column 3: row 1 from the top continues after") {
		t.Errorf("a long text is repeated: %v", err)
	}
}

func TestCellName(t *testing.T) {
	for _, c := range []struct {
		n, cell int
		want    string
	}{{1, 0, "a1"}, {3, 0, "a3"}, {3, 2, "c3"}, {3, 4, "b2"}, {3, 6, "a1"}, {8, 7, "h8"}, {8, 56, "a1"}, {8, 63, "h1"}, {10, 0, "a10"}, {24, 23, "x24"}, {24, 24*14 + 1, "b10"}} {
		if got := game.CellName(c.n, c.cell); got != c.want {
			t.Errorf("cell %d of %d×%d is %s, want %s", c.cell, c.n, c.n, got, c.want)
		}
	}
}

func TestDiagram(t *testing.T) {
	r := rules(t, "quixo", 3)
	p, err := r.Parse("X.O/.X./..O o")
	if err != nil {
		t.Fatal(err)
	}
	const want = `3  X . O
2  . X .
1  . . O
   a b c
`
	if got := r.Diagram(p); got != want {
		t.Errorf("drawn as\n%swant\n%s", got, want)
	}
}

func TestOutcomeAndSide(t *testing.T) {
	for _, c := range []struct {
		o, flipped game.Outcome
		word       string
	}{{game.Win, game.Lose, "win"}, {game.Lose, game.Win, "lose"}, {game.Draw, game.Draw, "draw"}} {
		if c.o.String() != c.word || c.o.Flip() != c.flipped {
			t.Errorf("outcome %d is %s, flipped %s", c.o, c.o, c.o.Flip())
		}
	}
	if game.X.String() != "x" || game.O.String() != "o" || game.X.Other() != game.O || game.O.Other() != game.X {
		t.Error("the sides are not x and o, each the other's other")
	}
	p := game.Position{X: 1, O: 2}
	q := game.Position{X: 1, O: 2, Mark: game.O}
	if p.Mover() != 1 || p.Waiting() != 2 || q.Mover() != 2 || q.Waiting() != 1 {
		t.Error("the mover's cells are not those of the side to move")
	}
}

func TestStateCount(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int
		want string
	}{{"notakto", 1, "2"}, {"notakto", 8, "18446744073709551616"}, {"quixo", 2, "81"}, {"quixo", 5, "847288609443"}} {
		if got := game.StateCount(rules(t, c.name, c.n).Info()).String(); got != c.want {
			t.Errorf("%s %d has %s states, want %s", c.name, c.n, got, c.want)
		}
	}
}
