package quixo

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"backsolve/bitboard"
	"backsolve/game"
)

// tiles is a board as people see it: rows of letters. It plays Quixo tile by
// tile.
type tiles [][]byte

// read splits the text of a position into the board, the mark of the player to move and the
// opponent's.
func read(text string) (tiles, byte, byte) {
	board, side, _ := strings.Cut(text, " ")
	var b tiles
	for row := range strings.SplitSeq(board, "/") {
		b = append(b, []byte(row))
	}
	if side == "o" {
		return b, 'O', 'X'
	}
	return b, 'X', 'O'
}

// hasLine looks for a full row, column or main diagonal of a mark.
func (b tiles) hasLine(mark byte) bool {
	n := len(b)
	down, up := true, true
	for i := range n {
		row, col := true, true
		for j := range n {
			row = row && b[i][j] == mark
			col = col && b[j][i] == mark
		}
		if row || col {
			return true
		}
		down = down && b[i][i] == mark
		up = up && b[i][n-1-i] == mark
	}
	return down || up
}

// at returns the cell of a name as row and column.
func (b tiles) at(name string) (row, col int) {
	return len(b) - int(name[1]-'0'), int(name[0] - 'a')
}

// play takes the tile at one cell out of its row or column, and puts a tile of
// the mark in at another cell of it.
func (b tiles) play(move string, mark byte) tiles {
	c := make(tiles, len(b))
	for i, row := range b {
		c[i] = slices.Clone(row)
	}
	r0, c0 := b.at(move[:2])
	r1, c1 := b.at(move[2:])
	if r0 == r1 {
		c[r0] = slices.Insert(slices.Delete(c[r0], c0, c0+1), c1, mark)
		return c
	}
	var column []byte
	for i := range c {
		column = append(column, c[i][c0])
	}
	column = slices.Insert(slices.Delete(column, r0, r0+1), r1, mark)
	for i := range c {
		c[i][c0] = column[i]
	}
	return c
}

// moves returns the names of all legal moves, from the words of the rules.
func (b tiles) moves(opponent byte) []string {
	n := len(b)
	end := func(i int) bool { return i == 0 || i == n-1 }
	name := func(row, col int) string { return string([]byte{'a' + byte(col), '0' + byte(n-row)}) }
	var all []string
	for row := range n {
		for col := range n {
			if !end(row) && !end(col) || b[row][col] == opponent {
				continue
			}
			for _, i := range []int{0, n - 1} {
				if i != col {
					all = append(all, name(row, col)+name(row, i))
				}
				if i != row {
					all = append(all, name(row, col)+name(i, col))
				}
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// text is the board in a position's text.
func (b tiles) text() string { return string(bytes.Join(b, []byte("/"))) }

func checkRules(t interface{ Fatalf(string, ...any) }, r game.Grid, p game.Position) {
	text := r.Format(p)
	board, mover, other := read(text)
	outcome, over := r.Terminal(p)
	switch {
	case board.hasLine(mover):
		if !over || outcome != game.Win {
			t.Fatalf("%s: %v, %t, want a win", text, outcome, over)
		}
	case board.hasLine(other):
		if !over || outcome != game.Lose {
			t.Fatalf("%s: %v, %t, want a loss", text, outcome, over)
		}
	case over:
		t.Fatalf("%s is over without a line", text)
	}
	moves := r.Moves(nil, p)
	if over {
		if len(moves) > 0 {
			t.Fatalf("%s is over, but has the moves %v", text, moves)
		}
		return
	}
	want := board.moves(other)
	if len(want) == 0 {
		t.Fatalf("%s has no moves without being over", text)
	}
	var names []string
	for _, m := range moves {
		names = append(names, r.FormatMove(m))
		got, _, _ := strings.Cut(r.Format(r.Play(p, m)), " ")
		if next := board.play(r.FormatMove(m), mover).text(); got != next {
			t.Fatalf("%s: %s leads to %s, want %s", text, r.FormatMove(m), got, next)
		}
	}
	if !slices.Equal(names, want) {
		t.Fatalf("%s: the moves are %v, want %v", text, names, want)
	}
}

// TestAllSmallPositions also shows that no position is stuck.
func TestAllSmallPositions(t *testing.T) {
	for n := 2; n <= 3; n++ {
		r, all := New(n), bitboard.All(n)
		for x := range all + 1 {
			for o := range all + 1 {
				if x&o == 0 {
					checkRules(t, r, game.Position{X: x, O: o})
					checkRules(t, r, game.Position{X: x, O: o, Mark: game.O})
				}
			}
		}
	}
}

func TestLargePositions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := New(rapid.IntRange(4, 8).Draw(t, "n"))
		all, lines := bitboard.All(r.Size()), bitboard.Lines(r.Size())
		x := rapid.Uint64().Draw(t, "x") & all
		o := rapid.Uint64().Draw(t, "o") & all
		side := rapid.SampledFrom([]game.Side{game.X, game.O}).Draw(t, "to move")
		xLine := rapid.SampledFrom(lines).Draw(t, "line of X")
		oLine := rapid.SampledFrom(lines).Draw(t, "line of O")
		checkRules(t, r, game.Position{X: x, O: o &^ x, Mark: side})
		checkRules(t, r, game.Position{X: x | xLine, O: o &^ (x | xLine), Mark: side})
		checkRules(t, r, game.Position{X: (x | xLine) &^ oLine, O: (o | oLine) &^ ((x | xLine) &^ oLine), Mark: side})
	})
}

// TestNobodyIsStuck gives the opponent all of the border, which is the only way
// to leave no tile to take, and any of the inside.
func TestNobodyIsStuck(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 8).Draw(t, "n")
		inside := bitboard.All(n) &^ bitboard.Border(n)
		x := rapid.Uint64().Draw(t, "x") & inside
		o := bitboard.Border(n) | rapid.Uint64().Draw(t, "o")&inside&^x
		r := New(n)
		p := game.Position{X: x, O: o}
		if outcome, over := r.Terminal(p); !over || outcome != game.Lose {
			t.Fatalf("%s: %v, %t", r.Format(p), outcome, over)
		}
	})
}

// TestBothLines is the push that completes a line of either player.
func TestBothLines(t *testing.T) {
	r := New(3)
	for text, want := range map[string]game.Outcome{
		"XXX/OOO/... x": game.Win,
		"XXX/OOO/... o": game.Win,
		"XXX/.O./... x": game.Win,
		"XXX/.O./... o": game.Lose,
	} {
		p, err := r.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, over := r.Terminal(p); !over || got != want {
			t.Errorf("%s: %v, %t, want %v", text, got, over, want)
		}
	}
}

func TestIllegalMoves(t *testing.T) {
	r := New(3)
	for _, c := range []struct{ position, move, reason string }{
		{"X../.../..O", "b2b1", "b2 is not on the border; take a tile of the border"},
		{"X../.../..O", "c1a1", "c1 holds a tile of the opponent; take a blank one or one of your own"},
		{"X../.../..O o", "a3a1", "a3 holds a tile of the opponent; take a blank one or one of your own"},
		{"X../.../..O", "a3a3", "the tile of a3 goes back in at a1 or c3"},
		{"X../.../..O", "a3b3", "the tile of a3 goes back in at a1 or c3"},
		{"X../.../..O", "b1b1", "the tile of b1 goes back in at a1 or b3 or c1"},
		{"XXX/.../..O", "a1a3", "the game is over, as a line is complete"},
	} {
		p, err := r.Parse(c.position)
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.ParseMove(p, c.move)
		var illegal *game.IllegalMoveError
		if !errors.As(err, &illegal) || illegal.Move != c.move || illegal.Reason != c.reason {
			t.Errorf("%s in %s: %v, want %s", c.move, c.position, err, c.reason)
		}
	}
}
