package uttt

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"backsolve/game"
)

// slow is a position as a table of what stands on each cell, with nothing but the rules
// of the game.
type slow struct {
	cells [9][9]byte // by row from the top and column; 0, X or O
	where [2]int     // the board to play in, by row and column
	free  bool       // it may be any one
	turn  byte
}

// winner returns the owner of a line in nine values, 0 for neither player.
func winner(at func(row, col int) byte) byte {
	for i := range 3 {
		if v := at(i, 0); v != 0 && v == at(i, 1) && v == at(i, 2) {
			return v
		}
		if v := at(0, i); v != 0 && v == at(1, i) && v == at(2, i) {
			return v
		}
	}
	if v := at(1, 1); v != 0 && (v == at(0, 0) && v == at(2, 2) || v == at(0, 2) && v == at(2, 0)) {
		return v
	}
	return 0
}

// won returns the winner of a board.
func (s *slow) won(row, col int) byte {
	return winner(func(i, j int) byte { return s.cells[3*row+i][3*col+j] })
}

// winner returns the winner of the game.
func (s *slow) winner() byte { return winner(s.won) }

// empty lists the empty cells of a board, none if it is won.
func (s *slow) empty(row, col int) (cells [][2]int) {
	if s.won(row, col) != 0 {
		return nil
	}
	for i := 3 * row; i < 3*row+3; i++ {
		for j := 3 * col; j < 3*col+3; j++ {
			if s.cells[i][j] == 0 {
				cells = append(cells, [2]int{i, j})
			}
		}
	}
	return cells
}

// moves lists the cells that may be marked.
func (s *slow) moves() (cells [][2]int) {
	if s.winner() != 0 {
		return nil
	}
	for row := range 3 {
		for col := range 3 {
			if s.free || s.where == [2]int{row, col} {
				cells = append(cells, s.empty(row, col)...)
			}
		}
	}
	return cells
}

// mark returns the position after a move.
func (s slow) mark(cell [2]int) slow {
	s.cells[cell[0]][cell[1]] = s.turn
	s.turn = 'X' + 'O' - s.turn
	s.where = [2]int{cell[0] % 3, cell[1] % 3}
	s.free = len(s.empty(s.where[0], s.where[1])) == 0 || s.winner() != 0
	return s
}

// String writes the position as the rules do.
func (s slow) String() string {
	var rows []string
	for _, row := range s.cells {
		rows = append(rows, strings.ReplaceAll(string(row[:]), "\x00", "."))
	}
	board := string(rune('a'+s.where[1])) + string(rune('3'-s.where[0]))
	if s.free {
		board = "-"
	}
	return strings.Join(rows, "/") + " " + strings.ToLower(string(s.turn)) + " " + board
}

// slowStart is where the game begins.
var slowStart = slow{free: true, turn: 'X'}

func (s slow) perft(plies int) int {
	if plies == 0 {
		return 1
	}
	lines := 0
	for _, cell := range s.moves() {
		lines += s.mark(cell).perft(plies - 1)
	}
	return lines
}

func perft(r game.RulesOf[State], s State, plies int) int {
	if plies == 0 {
		return 1
	}
	lines := 0
	for _, m := range r.Moves(nil, s) {
		lines += perft(r, r.Play(s, m), plies-1)
	}
	return lines
}

// The numbers of lines of play agree with rules that share nothing with ours.
func TestPerft(t *testing.T) {
	r := New()
	for plies, want := range []int{1, 81, 720, 6336, 55080} {
		if got, slow := perft(r, r.Start(), plies), slowStart.perft(plies); got != want || slow != want {
			t.Errorf("%d plies: %d lines, by slow rules %d, want %d", plies, got, slow, want)
		}
	}
}

// Random games are played to the end as by the slow rules.
func TestGamesAreThoseOfSlowRules(t *testing.T) {
	r := New()
	ends, free := map[game.Outcome]int{}, 0
	for seed := range uint64(200) {
		chance := rand.New(rand.NewPCG(seed, 1))
		s, twin := r.Start(), slowStart
		for {
			if got := r.Format(s); got != twin.String() {
				t.Fatalf("%s, by slow rules %v", got, twin)
			}
			moves, cells := r.Moves(nil, s), twin.moves()
			names := map[string]bool{}
			for _, c := range cells {
				names[fmt.Sprintf("%c%d", 'a'+c[1], 9-c[0])] = true
			}
			for _, m := range moves {
				if !names[r.FormatMove(m)] {
					t.Fatalf("%s: %s is no move by slow rules", r.Format(s), r.FormatMove(m))
				}
			}
			if len(moves) != len(cells) {
				t.Fatalf("%s has %d moves, by slow rules %d", r.Format(s), len(moves), len(cells))
			}
			if len(moves) == 0 {
				break
			}
			if s.Board == Any {
				free++
			}
			m := moves[chance.IntN(len(moves))]
			s, twin = r.Play(s, m), twin.mark([2]int{int(m.To) / 9, int(m.To) % 9})
		}
		want := game.Draw
		if twin.winner() == twin.turn {
			want = game.Win
		} else if twin.winner() != 0 {
			want = game.Lose
		}
		outcome, over := r.Terminal(s)
		if !over || outcome != want {
			t.Fatalf("%s: %v, over: %t; want %v", r.Format(s), outcome, over, want)
		}
		ends[outcome]++
	}
	if ends[game.Lose] == 0 || ends[game.Draw] == 0 || free < 400 {
		t.Errorf("the games ended as %v, and %d times any board was free", ends, free)
	}
}

// text puts the parts of a position together: empty rows but for those given.
func text(rows map[int]string, end string) string {
	var all []string
	for i := range 9 {
		if row, ok := rows[i]; ok {
			all = append(all, row)
		} else {
			all = append(all, ".........")
		}
	}
	return strings.Join(all, "/") + end
}

func TestParse(t *testing.T) {
	r := New()
	for _, c := range []struct {
		text, printed string
	}{
		{text(nil, ""), text(nil, " x -")},
		{text(nil, " o"), text(nil, " o -")},
		{"\t" + text(nil, " x -") + "\r\n", text(nil, " x -")},
		{text(map[int]string{0: "X.......O"}, " o c1"), text(map[int]string{0: "X.......O"}, " o c1")},
	} {
		s, err := r.Parse(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
		} else if got := r.Format(s); got != c.printed {
			t.Errorf("%q is printed as %q, want %q", c.text, got, c.printed)
		}
	}
	s, err := r.Parse(text(map[int]string{1: "....O....", 8: "X........"}, " o b3"))
	want := State{Board: 1, Turn: game.O}
	want.O[1], want.X[6] = 1<<4, 1<<6
	if err != nil || s != want {
		t.Errorf("%+v, %v, want %+v", s, err, want)
	}
}

func TestParseErrors(t *testing.T) {
	r := New()
	won := map[int]string{0: "...XXX..."}
	both := map[int]string{4: "OOO......", 5: "XXX......"}
	over := map[int]string{0: "XXXXXXXXX"}
	for _, c := range []struct {
		text   string
		column int
		reason string
	}{
		{"", 1, "there is no position; write the 9 rows of the board"},
		{text(nil, "/"), 90, "the board has more than 9 rows"},
		{text(nil, " y"), 91, `"y" is not a side to move`},
		{text(nil, " X -"), 91, "the side to move is a small letter; write x instead of X"},
		{text(nil, "  x"), 91, `" " is not a side to move`},
		{text(nil, " \t b2"), 91, `"\t" is not a side to move`},
		{text(nil, " xb2"), 92, "nothing follows the side to move"},
		{text(nil, " x  b2"), 93, "one space goes before the board to play in"},
		{text(nil, " x \tb2"), 93, "one space goes before the board to play in"},
		{text(nil, " x d1"), 93, `"d1" is not a board to play in; write its name, a1 to c3, or - for any`},
		{text(nil, " x B2"), 93, `"B2" is not a board to play in`},
		{text(nil, " x --"), 93, `"--" is not a board to play in`},
		{text(nil, " x b2 "), 0, ""},
		{text(nil, " x b2 b2"), 95, "nothing follows the board to play in; leave out the rest"},
		{text(nil, " x a10"), 95, "nothing follows the board to play in; leave out the rest"},
		{" " + text(won, " x b3"), 94, "the board b3 is won or full; write -, as any other one may be played in"},
		{text(over, " o a1"), 93, "the game is over; write - in place of the board to play in"},
		{text(both, " x"), 31, "the board a2, a4 to c6, has a line of X and one of O; only one player can win it"},
	} {
		_, err := r.Parse(c.text)
		if c.reason == "" {
			if err != nil {
				t.Errorf("%q: %v", c.text, err)
			}
			continue
		}
		var syntax *game.SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%q: %v is no *SyntaxError", c.text, err)
		} else if syntax.Column != c.column || !strings.Contains(syntax.Reason, c.reason) || syntax.Text != c.text || syntax.Example == "" {
			t.Errorf("%q: column %d, %s; want column %d, %s", c.text, syntax.Column, syntax.Reason, c.column, c.reason)
		}
	}
}

func TestIllegalMoves(t *testing.T) {
	r := New()
	for _, c := range []struct{ position, move, reason string }{
		{example, "e5", "e5 is already marked; take an empty cell"},
		{example, "a1", "the last move leads to the board b2; take an empty cell from d4 to f6"},
		{text(map[int]string{0: "...XXX..."}, " o -"), "d8", "the board b3 is won; play in another one"},
		{text(map[int]string{0: "XXXXXXXXX"}, " o -"), "a1", "the game is over, as three boards in a line are won"},
		{full, "a1", "the game is over, as no cell is left to play on"},
	} {
		s, err := r.Parse(c.position)
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.ParseMove(s, c.move)
		var illegal *game.IllegalMoveError
		if !errors.As(err, &illegal) || illegal.Move != c.move || illegal.Reason != c.reason {
			t.Errorf("%s in %s: %v, want %s", c.move, c.position, err, c.reason)
		}
	}
}

// full has nine boards that are full without a line.
var full = strings.Repeat("XOXXOXXOX/XOOXOOXOO/OXXOXXOXX/", 3)[:89] + " x -"

// A full board without a line counts for neither player, and is closed to play.
func TestFullBoards(t *testing.T) {
	r := New()
	s, err := r.Parse(full)
	if err != nil {
		t.Fatal(err)
	}
	if outcome, over := r.Terminal(s); !over || outcome != game.Draw {
		t.Errorf("full boards: %v, over: %t", outcome, over)
	}
	s.X[4] &^= 1 // its top left cell
	if moves := r.Moves(nil, s); len(moves) != 1 || r.FormatMove(moves[0]) != "d6" {
		t.Errorf("the moves are %v", moves)
	}
	s.X[8] &^= 1 // so that d6 does not end the game, which leads to the full board a3
	if next := r.Play(s, game.Move{From: 30, To: 30}); next.Board != Any {
		t.Errorf("a full board is to be played in: %s", r.Format(next))
	}
}

func TestDiagram(t *testing.T) {
	r := New()
	s, err := r.Parse(text(map[int]string{0: "XXX......", 4: "....O...."}, " o c1"))
	if err != nil {
		t.Fatal(err)
	}
	const want = `9  X X X  . . .  . . .
8  . . .  . . .  . . .
7  . . .  . . .  . . .

6  . . .  . . .  . . .
5  . . .  . O .  . . .
4  . . .  . . .  . . .

3  . . .  . . .  . . .
2  . . .  . . .  . . .
1  . . .  . . .  . . .
   a b c  d e f  g h i
a3 is won by X
play in c1, g1 to i3
`
	if got := r.Diagram(s); got != want {
		t.Errorf("drawn as\n%swant\n%s", got, want)
	}
}
