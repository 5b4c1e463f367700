package othello

import (
	"errors"
	"strings"
	"testing"

	"backsolve/game"
)

func parse(t *testing.T, r game.Grid, text string) game.Position {
	t.Helper()
	p, err := r.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// played returns the position after moves from the start.
func played(t *testing.T, r game.Grid, moves string) game.Position {
	t.Helper()
	p := r.Start()
	for _, text := range strings.Fields(moves) {
		m, err := r.ParseMove(p, text)
		if err != nil {
			t.Fatal(err)
		}
		p = r.Play(p, m)
	}
	return p
}

// slow is a position by the names of cells, with nothing but the rule of the game.
type slow struct {
	n     int
	discs map[string]byte // X and O
	turn  byte
}

// slowOf reads the text of a position.
func slowOf(n int, text string) slow {
	board, turn, _ := strings.Cut(text, " ")
	s := slow{n, map[string]byte{}, "XO"[strings.Index("xo", turn)]}
	for i, row := range strings.Split(board, "/") {
		for j := range row {
			if row[j] != '.' {
				s.discs[slowCell(j, n-1-i)] = row[j]
			}
		}
	}
	return s
}

// slowCell names a cell by how many columns and rows it is away from a1.
func slowCell(col, row int) string { return string(rune('a'+col)) + string(rune('1'+row)) }

// turned returns the cells that are turned over by a disc of a colour.
func (s slow) turned(col, row int, colour byte) (cells []string) {
	if s.discs[slowCell(col, row)] != 0 {
		return nil
	}
	for _, d := range [][2]int{{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}} {
		var run []string
		for c, r := col+d[0], row+d[1]; c >= 0 && c < s.n && r >= 0 && r < s.n; c, r = c+d[0], r+d[1] {
			at := slowCell(c, r)
			if s.discs[at] == colour {
				cells = append(cells, run...)
				break
			}
			if s.discs[at] == 0 {
				break
			}
			run = append(run, at)
		}
	}
	return cells
}

// after returns the positions after each move of a colour, by the move.
func (s slow) after(colour byte) map[string]slow {
	moves := map[string]slow{}
	for col := range s.n {
		for row := range s.n {
			turned := s.turned(col, row, colour)
			if len(turned) == 0 {
				continue
			}
			next := slow{s.n, map[string]byte{slowCell(col, row): colour}, other(colour)}
			for at, disc := range s.discs {
				next.discs[at] = disc
			}
			for _, at := range turned {
				next.discs[at] = colour
			}
			moves[slowCell(col, row)] = next
		}
	}
	return moves
}

func other(colour byte) byte { return 'X' + 'O' - colour }

// moves returns the positions after the moves, a pass included, none if the game is over.
func (s slow) moves() map[string]slow {
	moves := s.after(s.turn)
	if len(moves) == 0 && len(s.after(other(s.turn))) > 0 {
		moves[game.PassText] = slow{s.n, s.discs, other(s.turn)}
	}
	return moves
}

// String writes the position as the rules do.
func (s slow) String() string {
	var rows []string
	for row := s.n - 1; row >= 0; row-- {
		text := ""
		for col := range s.n {
			if disc := s.discs[slowCell(col, row)]; disc != 0 {
				text += string(disc)
			} else {
				text += "."
			}
		}
		rows = append(rows, text)
	}
	return strings.Join(rows, "/") + " " + strings.ToLower(string(s.turn))
}

// perft counts the lines of play to a depth in plies; a pass is one.
func (s slow) perft(plies int) int {
	if plies == 0 {
		return 1
	}
	lines := 0
	for _, next := range s.moves() {
		lines += next.perft(plies - 1)
	}
	return lines
}

func perft(r game.Grid, p game.Position, plies int) int {
	if plies == 0 {
		return 1
	}
	lines := 0
	for _, m := range r.Moves(nil, p) {
		lines += perft(r, r.Play(p, m), plies-1)
	}
	return lines
}

// The numbers of lines of play on 8×8 are well known.
func TestPerft8(t *testing.T) {
	r := New(8)
	for plies, want := range []int{1, 4, 12, 56, 244, 1396, 8200, 55092} {
		if got := perft(r, r.Start(), plies); got != want {
			t.Errorf("%d plies: %d lines, want %d", plies, got, want)
		}
		if plies <= 5 {
			if got := slowOf(8, r.Format(r.Start())).perft(plies); got != want {
				t.Errorf("%d plies: the slow rules have %d lines, want %d", plies, got, want)
			}
		}
	}
}

// Lines of play on the smaller boards agree with rules that share nothing with ours.
func TestPerft(t *testing.T) {
	for n, most := range map[int]int{4: 8, 6: 6} {
		r := New(n)
		for plies := range most {
			got, want := perft(r, r.Start(), plies), slowOf(n, r.Format(r.Start())).perft(plies)
			if got != want || got == 0 {
				t.Errorf("%d×%d, %d plies: %d lines, by slow rules %d", n, n, plies, got, want)
			}
		}
	}
}

// Games of first, last and other moves are played to the end by both these and the slow rules:
// moves, passes, positions and winners agree.
func TestGamesAreThoseOfSlowRules(t *testing.T) {
	passes, ends := 0, map[game.Outcome]int{}
	for _, n := range []int{4, 6, 8} {
		r := New(n)
		for number := range 60 {
			p := r.Start()
			for ply := 0; ; ply++ {
				s := slowOf(n, r.Format(p))
				if s.String() != r.Format(p) {
					t.Fatalf("%s is read as %v", r.Format(p), s)
				}
				want, moves := s.moves(), r.Moves(nil, p)
				if len(moves) != len(want) {
					t.Fatalf("%s has %d moves, by slow rules %d", r.Format(p), len(moves), len(want))
				}
				for _, m := range moves {
					if got := r.Format(r.Play(p, m)); got != want[r.FormatMove(m)].String() {
						t.Fatalf("%s: %s leads to %s, by slow rules to %v", r.Format(p), r.FormatMove(m), got, want[r.FormatMove(m)])
					}
				}
				if len(moves) == 0 {
					ends[checkEnd(t, r, p, s)]++
					break
				}
				if moves[0] == game.Pass {
					passes++
				}
				p = r.Play(p, moves[(number*(ply+7)*31)%len(moves)])
			}
		}
	}
	if passes < 10 || len(ends) < 2 {
		t.Errorf("%d passes were seen, and these ends: %v", passes, ends)
	}
}

// checkEnd compares how a game ended with the discs on the board.
func checkEnd(t *testing.T, r game.Grid, p game.Position, s slow) game.Outcome {
	t.Helper()
	difference := 0
	for _, disc := range s.discs {
		if disc == s.turn {
			difference++
		} else {
			difference--
		}
	}
	want := game.Draw
	if difference > 0 {
		want = game.Win
	} else if difference < 0 {
		want = game.Lose
	}
	outcome, over := r.Terminal(p)
	if !over || outcome != want {
		t.Fatalf("%s: %v, over: %t; want %v", r.Format(p), outcome, over, want)
	}
	return outcome
}

func TestStart(t *testing.T) {
	for n, want := range map[int]string{
		4: "..../.XO./.OX./.... x",
		6: "....../....../..XO../..OX../....../...... x",
		8: "......../......../......../...XO.../...OX.../......../......../........ x",
	} {
		r := New(n)
		if got := r.Format(r.Start()); got != want {
			t.Errorf("%d×%d begins with %s, want %s", n, n, got, want)
		}
	}
	r := New(8)
	var first []string
	for _, m := range r.Moves(nil, r.Start()) {
		first = append(first, r.FormatMove(m))
	}
	if got := strings.Join(first, " "); got != "c4 d3 e6 f5" {
		t.Errorf("the first moves are %s", got)
	}
}

// The shortest game on 8×8, of nine plies, is written as it is published.
func TestShortestGame(t *testing.T) {
	r := New(8)
	p := played(t, r, "e6 f4 e3 f6 g5 d6 e7 f5 c5")
	outcome, over := r.Terminal(p)
	if !over || outcome != game.Lose || p.O != 0 {
		t.Errorf("%s: %v, over: %t", r.Format(p), outcome, over)
	}
}

func TestTerminal(t *testing.T) {
	r := New(4)
	for _, c := range []struct {
		position string
		outcome  game.Outcome
		over     bool
		moves    int
	}{
		{"..../..../..../.... x", game.Draw, true, 0}, // no disc can be enclosed
		{"XXXX/XXXX/OOOO/OOOO o", game.Draw, true, 0},
		{"XXXX/XXXX/XXXX/XXX. o", game.Lose, true, 0},
		{"XXXX/XXXX/XXXX/XXX. x", game.Win, true, 0},
		{"XO../..../..../.... x", game.Draw, false, 1},
		{"XO../..../..../.... o", game.Draw, false, 1}, // a pass
		{"XOO./..../..../.... x", game.Draw, false, 1},
		{"XOOO/..../..../.... x", game.Lose, true, 0},
	} {
		p := parse(t, r, c.position)
		outcome, over := r.Terminal(p)
		if moves := r.Moves(nil, p); outcome != c.outcome || over != c.over || len(moves) != c.moves {
			t.Errorf("%s: %v, over: %t, moves %v; want %v, %t, %d of them", c.position, outcome, over, moves, c.outcome, c.over, c.moves)
		}
	}
}

func TestIllegalMoves(t *testing.T) {
	r := New(4)
	for _, c := range []struct{ position, move, reason string }{
		{"..../.XO./.OX./.... x", "pass", "a disc can be placed, as on a2; only who can place none passes"},
		{"..../.XO./.OX./.... x", "b3", "there is a disc on b3; take an empty cell"},
		{"..../.XO./.OX./.... x", "a1", "a disc on a1 would enclose none of the opponent's; take a cell where it does, as a2"},
		{"XO../..../..../.... o", "c4", "no disc can be placed; pass"},
		{"XOOO/..../..../.... x", "a1", "the game is over, as neither player can place a disc"},
		{"XOOO/..../..../.... x", "pass", "the game is over, as neither player can place a disc"},
	} {
		_, err := r.ParseMove(parse(t, r, c.position), c.move)
		var illegal *game.IllegalMoveError
		if !errors.As(err, &illegal) || illegal.Move != c.move || illegal.Reason != c.reason {
			t.Errorf("%s in %s: %v, want %s", c.move, c.position, err, c.reason)
		}
	}
	if m, err := r.ParseMove(parse(t, r, "XO../..../..../.... o"), " pass\n"); err != nil || m != game.Pass {
		t.Errorf("a pass is read as %v, %v", m, err)
	}
	_, err := r.ParseMove(r.Start(), "past")
	var syntax *game.SyntaxError
	if !errors.As(err, &syntax) || syntax.Column != 1 {
		t.Errorf("%v", err)
	}
}
