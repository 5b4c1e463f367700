package dawson

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"backsolve/game"
)

// board returns the rules of one of the games on n files.
func board(n int, misere bool) *rules {
	return &rules{name: "dawson", misere: misere, n: n, nimbers: nimbers(n)}
}

// chess is a position of the game played with pawns: three rows of files, each cell a pawn of the
// side to move (m), of the other side (o), or empty (.). The side to move goes up; the board is
// turned for the other side.
type chess [3]string

// start returns the position in which each side has a row of pawns.
func start(n int) chess {
	return chess{strings.Repeat("m", n), strings.Repeat(".", n), strings.Repeat("o", n)}
}

// with returns a row with another cell.
func with(row string, file int, cell byte) string {
	return row[:file] + string(cell) + row[file+1:]
}

// moved returns the position after a pawn's move, as the other side sees it.
func (c chess) moved(from, file, to int) chess {
	c[from] = with(c[from], file, '.')
	c[from+1] = with(c[from+1], to, 'm')
	turn := strings.NewReplacer("m", "o", "o", "m")
	return chess{turn.Replace(c[2]), turn.Replace(c[1]), turn.Replace(c[0])}
}

// next returns all positions that the side to move can reach: by captures if there are any,
// otherwise by advances, whose files it also returns.
func (c chess) next() (after []chess, advances []int) {
	for row := range 2 {
		for file := range c[0] {
			for _, to := range []int{file - 1, file + 1} {
				if c[row][file] == 'm' && to >= 0 && to < len(c[0]) && c[row+1][to] == 'o' {
					after = append(after, c.moved(row, file, to))
				}
			}
		}
	}
	if after != nil {
		return after, nil
	}
	for row := range 2 {
		for file := range c[0] {
			if c[row][file] == 'm' && c[row+1][file] == '.' {
				after, advances = append(after, c.moved(row, file, file)), append(advances, file)
			}
		}
	}
	return after, advances
}

// won reports whether the side to move wins, and keeps it in known.
func (c chess) won(misere bool, known map[chess]bool) bool {
	if w, ok := known[c]; ok {
		return w
	}
	after, _ := c.next()
	w := misere && len(after) == 0
	for _, next := range after {
		w = w || !next.won(misere, known)
	}
	known[c] = w
	return w
}

// value is gametest.Value without its interfaces: whether the player to move wins.
func (r *rules) value(p position, known map[position]bool) bool {
	if w, ok := known[p]; ok {
		return w
	}
	outcome, over := r.Terminal(p)
	w := over && outcome == game.Win
	for _, m := range r.Moves(nil, p) {
		w = w || !r.value(r.Play(p, m), known)
	}
	known[p] = w
	return w
}

// Taking a file and its neighbours out of play models an advance and the captures that it forces:
// with pawns, the winner and the winning files are the same.
func TestPawns(t *testing.T) {
	for n := 1; n <= 9; n++ {
		for _, misere := range []bool{false, true} {
			r, pawns, files := board(n, misere), map[chess]bool{}, map[position]bool{}
			after, advances := start(n).next()
			if len(after) != n {
				t.Fatalf("%d files: %d pawns advance", n, len(after))
			}
			for i, next := range after {
				m := game.Move{From: uint8(advances[i]), To: uint8(advances[i])}
				// The captures are over when the other side is to move.
				if want, got := next.won(misere, pawns), r.value(r.Play(0, m), files); want != got {
					t.Errorf("%d files, misère %t: with pawns %s makes that the other side wins %t, and here %t", n, misere, r.FormatMove(m), want, got)
				}
			}
		}
	}
}

// The Grundy values repeat after 34 files, but for the seven known exceptions (Guy and Smith, The
// G-values of various games, 1956; Winning Ways, chapter 4). Each value follows from smaller
// ones, so checking as many again proves that the period holds.
func TestPeriod(t *testing.T) {
	period := []uint8{8, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2, 4, 4, 5, 5, 9, 3, 3, 0, 1, 1, 3, 0, 2, 1, 1, 0, 4, 5, 3, 7, 4}
	exceptions := map[int]uint8{0: 0, 14: 0, 16: 2, 17: 2, 31: 2, 34: 0, 51: 2}
	for files, got := range nimbers(500) {
		want, ok := exceptions[files]
		if !ok {
			want = period[files%len(period)]
		}
		if got != want {
			t.Errorf("%d files have the nimber %d, want %d", files, got, want)
		}
	}
}

// everyPosition calls do with all positions of a board.
func everyPosition(r *rules, do func(p position)) {
	for p := range position(1) << uint(r.n) {
		if p&(p<<1) == 0 {
			do(p)
		}
	}
}

// The formulas agree with the moves of each position, and the key is the same only for the same
// rows.
func TestEveryPosition(t *testing.T) {
	for n := 1; n <= 16; n++ {
		normal := board(n, false)
		known, keys := map[position]bool{}, map[uint64]string{}
		everyPosition(normal, func(p position) {
			text := normal.Format(p)
			if got, err := normal.Parse("\t" + text + " "); err != nil || got != p {
				t.Fatalf("%s is read as %v, %v", text, got, err)
			}
			win, nimber := normal.value(p, known), 0
			reached := map[int]bool{}
			for _, m := range normal.Moves(nil, p) {
				reached[normal.nimber(normal.Play(p, m))] = true
			}
			for reached[nimber] {
				nimber++
			}
			if normal.nimber(p) != nimber || win != (nimber != 0) || win != (normal.outcome(p) == game.Win) {
				t.Fatalf("%s has the nimber %d, want %d", text, normal.nimber(p), nimber)
			}
			rows := strings.FieldsFunc(text, func(c rune) bool { return c != open })
			slices.Sort(rows)
			if want, ok := keys[normal.rows(p)]; ok && want != fmt.Sprint(rows) {
				t.Fatalf("%s has the key of other rows", text)
			}
			keys[normal.rows(p)] = fmt.Sprint(rows)
			checkMoves(t, normal, p)
		})
		rows := map[string]bool{}
		for _, r := range keys {
			rows[r] = true
		}
		if len(rows) != len(keys) {
			t.Errorf("%d files: %d keys of %d kinds of rows", n, len(keys), len(rows))
		}
	}
}

// checkMoves checks that the moves are the open files, and that others are refused.
func checkMoves(t *testing.T, r *rules, p position) {
	t.Helper()
	text := r.Format(p)
	moves := r.Moves(nil, p)
	for file := range r.n {
		m := game.Move{From: uint8(file), To: uint8(file)}
		got, err := r.ParseMove(p, r.FormatMove(m))
		isOpen, illegal := text[file] == open, (*game.IllegalMoveError)(nil)
		if isOpen != slices.Contains(moves, m) || isOpen != (err == nil && got == m) || !isOpen && !errors.As(err, &illegal) {
			t.Fatalf("%s: %s is read as %v, %v", text, r.FormatMove(m), got, err)
		}
		if !isOpen {
			continue
		}
		want := with(text, file, blocked)
		for _, beside := range []int{file - 1, file + 1} {
			if beside >= 0 && beside < r.n {
				want = with(want, beside, empty)
			}
		}
		if next := r.Format(r.Play(p, m)); next != want {
			t.Fatalf("%s: %s leads to %s, want %s", text, r.FormatMove(m), next, want)
		}
	}
}

func TestMistakes(t *testing.T) {
	r := board(5, true)
	for text, want := range map[string]string{
		"":       `"", column 1: there is no position; write the 5 files from left to right; an example is "-X-.."`,
		"....":   `column 5: the position ends after 4 of 5 files`,
		"......": `column 6: the position continues after its 5 files; leave out the rest`,
		"..o..":  `column 3: "o" is not a file; write . where pawns face each other, X where a move was made, or - where the file is empty`,
		".X-..":  `column 1: a move was made on a file beside a, which is empty then; write -`,
		"-XX-.":  `column 2: a move was made on a file beside b, which is empty then; write -`,
		"-X--.":  `column 4: no move was made on a file beside d, which is not empty then; write . or X`,
	} {
		_, err := r.Parse(text)
		if syntax := (*game.SyntaxError)(nil); !errors.As(err, &syntax) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	p, err := r.Parse("-X-..")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"":   `column 1: expected the letter of a file, from a to e`,
		"f":  `column 1: "f" is not the letter of a file, from a to e; an example is "a"`,
		"d1": `column 2: a move is the letter of a file; leave out the rest`,
		"b":  `the move b is not legal here: file b is blocked; move on an open one`,
		"c":  `the move c is not legal here: file c is empty; move on an open one`,
	} {
		if _, err := r.ParseMove(p, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	over, err := r.Parse("-X--X")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.ParseMove(over, "a"); err == nil || !strings.HasSuffix(err.Error(), "the game is over, as no file is open") {
		t.Errorf("at the end: %v", err)
	}
	if want := " - X - - X\n a b c d e\n"; r.Diagram(over) != want {
		t.Errorf("%q, want %q", r.Diagram(over), want)
	}
}
