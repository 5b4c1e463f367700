package boards

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"backsolve/game"
	"backsolve/game/notakto"
)

// A single board is Notakto 3×3.
func TestOneBoard(t *testing.T) {
	r, single := threes(1), notakto.New(3)
	for x := range uint16(masks) {
		p, q := position{x}, game.Position{X: uint64(x)}
		outcome, over := r.Terminal(p)
		if want, is := single.Terminal(q); outcome != want || over != is || r.Format(p) != single.Format(q) || r.Turn(p) != single.Turn(q) {
			t.Fatalf("%s: %v, %v, turn of %v", r.Format(p), outcome, over, r.Turn(p))
		}
		moves := r.Moves(nil, p)
		if want := single.Moves(nil, q); len(moves) != len(want) {
			t.Fatalf("%s: %v, want %v", r.Format(p), moves, want)
		} else {
			for i, m := range moves {
				if r.FormatMove(m) != "1"+single.FormatMove(want[i]) {
					t.Fatalf("%s: %s, want %s", r.Format(p), r.FormatMove(m), single.FormatMove(want[i]))
				}
			}
		}
	}
}

// plain solves positions by their moves and Terminal alone, and remembers the results. Positions
// with one key count as one.
type plain[K comparable] struct {
	*rules
	keyOf func(p *position) K
	wins  map[K]bool
}

// byTrees treats as one the positions that differ only by symmetry, by the order of the boards,
// or by boards that are the same game.
func byTrees(r *rules) plain[uint64] { return plain[uint64]{r, r.key, map[uint64]bool{}} }

// literally takes nothing for the same but equal positions.
func literally(r *rules) plain[position] {
	return plain[position]{r, func(p *position) position { return *p }, map[position]bool{}}
}

// win reports whether the player to move wins.
func (s *plain[K]) win(p position) bool {
	key := s.keyOf(&p)
	if win, known := s.wins[key]; known {
		return win
	}
	outcome, over := s.Terminal(p)
	win := over && outcome == game.Win
	for _, m := range s.Moves(nil, p) {
		win = !s.win(s.Play(p, m)) || win
	}
	s.wins[key] = win
	return win
}

// Of all pairs of positions of two boards the quotient says what going through all moves
// does, and here nothing is taken for the same.
func TestAllPairs(t *testing.T) {
	r := threes(2)
	wins := make([]bool, masks*masks)
	at := func(p position) int { return int(p[0])*masks + int(p[1]) }
	var byMarks [2*cells + 1][]position
	for x := range uint16(masks) {
		for y := range uint16(masks) {
			marks := bits.OnesCount16(x) + bits.OnesCount16(y)
			byMarks[marks] = append(byMarks[marks], position{x, y})
		}
	}
	var moves []game.Move
	for _, list := range slices.Backward(byMarks[:]) {
		for _, p := range list {
			outcome, over := r.Terminal(p)
			win := over && outcome == game.Win
			moves = r.Moves(moves[:0], p)
			for _, m := range moves {
				win = win || !wins[at(r.Play(p, m))]
			}
			wins[at(p)] = win
			if got := r.byQuotient(p); (got == game.Win) != win || got == game.Draw {
				t.Fatalf("%s is known as %v, but is a win: %t", r.Format(p), got, win)
			}
		}
	}
}

// Of all positions of three boards but for symmetry, and of four, the quotient says what
// going through all moves does.
func TestAllOfThreeAndFour(t *testing.T) {
	for number := 3; number <= 4; number++ {
		if number == 4 && testing.Short() {
			continue
		}
		r := threes(number)
		s := byTrees(r)
		s.win(r.Start())
		alike := map[uint64]uint16{0: 7} // a board of each tree, dead ones with a full row
		for x := range uint16(masks) {
			if tree := trees().of[n][x]; tree != 0 {
				alike[uint64(tree)] = x
			}
		}
		for key, win := range s.wins {
			var p position
			for i := range number {
				p[i] = alike[key>>uint(16*i)&0xffff]
			}
			if s.key(&p) != key {
				t.Fatalf("%s has another key than %x", r.Format(p), key)
			}
			if got := r.byQuotient(p); (got == game.Win) != win {
				t.Fatalf("%s is known as %v, but is a win: %t", r.Format(p), got, win)
			}
		}
		if least := map[int]int{3: 500, 4: 1500}[number]; len(s.wins) < least {
			t.Errorf("%d boards: only %d positions", number, len(s.wins))
		}
	}
}

// Random positions of three boards, any marks on any of them, are what going through all
// moves says.
func TestRandomTriples(t *testing.T) {
	r := threes(3)
	s := byTrees(r)
	rapid.Check(t, func(t *rapid.T) {
		p := draw(t, r)
		if got, win := r.byQuotient(p), s.win(p); (got == game.Win) != win {
			t.Fatalf("%s is known as %v, but is a win: %t", r.Format(p), got, win)
		}
	})
}

// The quotient is the published one: 18 distinct elements that obey the relations. The empty
// board is c and the board with a marked centre c², so the first player wins on an odd number of
// boards and the second on an even number.
func TestQuotient(t *testing.T) {
	q := quotient()
	if len(q.words) != order {
		t.Fatalf("%d elements", len(q.words))
	}
	number := func(text string) element {
		e := one
		for _, c := range text {
			e = q.times[e][element(slices.Index(q.words, word{}.with(c)))]
		}
		return e
	}
	for _, equal := range [][2]string{{"aa", ""}, {"bbb", "b"}, {"bbc", "c"}, {"ccc", "acc"}, {"bbd", "d"}, {"cd", "ad"}, {"dd", "cc"}} {
		if number(equal[0]) != number(equal[1]) {
			t.Errorf("%s is not %s", equal[0], equal[1])
		}
	}
	if want := set(1<<number("a") | 1<<number("bb") | 1<<number("bc") | 1<<number("cc")); q.lost != want {
		t.Errorf("lost are %b, want %b", q.lost, want)
	}
	var used set
	for _, e := range q.of {
		used |= 1 << e
	}
	for x := range element(order) {
		for y := range element(order) {
			if q.times[x][y] != q.times[y][x] {
				t.Errorf("%d and %d: the sum is not commutative", x, y)
			}
			alike := x != y
			for z := range element(order) {
				if q.times[q.times[x][y]][z] != q.times[x][q.times[y][z]] {
					t.Fatalf("%d, %d and %d: the sum is not associative", x, y, z)
				}
				alike = alike && q.lost.has(q.times[x][z]) == q.lost.has(q.times[y][z])
			}
			if alike {
				t.Errorf("%v and %v are alike", q.words[x], q.words[y])
			}
		}
	}
	if q.of[0] != number("c") || q.of[1<<4] != number("cc") || !used.has(number("a")) || !used.has(number("b")) || !used.has(number("d")) {
		t.Errorf("the empty board is %v, the middle %v, and %b are there", q.words[q.of[0]], q.words[q.of[1<<4]], used)
	}
	for n := 1; n <= MaxBoards; n++ {
		want := []game.Outcome{game.Lose, game.Win}[n%2]
		if r := threes(n); r.byQuotient(r.Start()) != want {
			t.Errorf("%d boards: %v, want %v", n, r.byQuotient(r.Start()), want)
		}
	}
}

// with returns the word multiplied by one generator.
func (w word) with(generator rune) word {
	w[generator-'a']++
	return w
}

// A board whose only remaining move kills it is a and nothing else; a board whose moves lead to
// both lost and other positions fits no sum as a lost one.
func TestWhatDoesNotFit(t *testing.T) {
	q := newMisere()
	d := derivation{q, map[set]element{}}
	a := element(slices.Index(q.words, word{1, 0, 0, 0}))
	for e := range element(order) {
		if _, fit := d.sumsWith(nil, sum{e, d.quiet(1 << one)}); fit != (e == a) {
			t.Errorf("a board with one move may be %v: %t", q.words[e], fit)
		}
		if _, fit := d.sumsWith(nil, sum{e, d.quiet(1<<one | 1<<a)}); fit && q.lost.has(e) {
			t.Errorf("a board with a move to a lost one may be %v, which is lost", q.words[e])
		}
	}
}

// draw draws any marks on the boards.
func draw(t *rapid.T, r *rules) (p position) {
	for i, side := range r.sides {
		all := uint16(1<<(side*side) - 1)
		p[i] = rapid.Uint16Range(0, all).Draw(t, "marks") & rapid.Uint16Range(0, all).Draw(t, "of these")
	}
	return p
}

// Any marks on any boards are a position: the text leads back to it, and each cell of each
// board is a move or is refused with the reason.
func TestAnyBoards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &rules{rapid.SliceOfN(rapid.IntRange(1, maxSide), 1, MaxBoards).Draw(t, "sides")}
		p := draw(t, r)
		if got, err := r.Parse(" " + r.Format(p) + "\n"); err != nil || got != p {
			t.Fatalf("%s is read as %v, %v", r.Format(p), got, err)
		}
		moves := r.Moves(nil, p)
		for i := range len(r.sides) {
			side := r.sides[i]
			for cell := range side * side {
				m := game.Move{From: uint8(i), To: uint8(cell)}
				legal := slices.Contains(moves, m)
				got, err := r.ParseMove(p, fmt.Sprintf("%d%s", i+1, game.CellName(side, cell)))
				if illegal := (*game.IllegalMoveError)(nil); legal != (err == nil) || !legal && !errors.As(err, &illegal) || legal && got != m {
					t.Fatalf("%s: %s is read as %v, %v", r.Format(p), r.FormatMove(m), got, err)
				}
				if next := r.Play(p, m); legal && (bits.OnesCount16(next[i]) != bits.OnesCount16(p[i])+1 || r.Turn(next) == r.Turn(p)) {
					t.Fatalf("%s: %s leads to %s", r.Format(p), r.FormatMove(m), r.Format(next))
				}
			}
		}
	})
}

func TestMistakes(t *testing.T) {
	r := threes(2)
	for text, want := range map[string]string{
		"":                          `"", column 1: there is no position; write the 2 boards, separated by plus signs, each as its rows from top to bottom, separated by slashes; an example is "X../.../...+.../.../..."`,
		".../.../...":               `column 12: expected a plus sign and the next of the 2 boards, separated by plus signs`,
		".../.../... + .../.../...": `column 12: expected a plus sign`,
		".../..":                    `column 7: expected a cell of row 2 from the top of board 1`,
		".../.../...+..//...":       `column 15: expected a cell of row 1 from the top of board 2`,
		"....":                      `column 4: expected a slash and the next row of board 1`,
		".x./":                      `column 2: marks are capital letters; write X instead of x`,
		"..O/":                      `column 3: "O" is not a cell; write X or .`,
		".../.../...+.../.../...+":  `column 24: the position ends here, after the 2 boards`,
		".../.../...+.../.../... x": `column 24: the position ends here`,
	} {
		_, err := r.Parse(text)
		if syntax := (*game.SyntaxError)(nil); !errors.As(err, &syntax) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	p, err := r.Parse("XXX/.../...+X../.../...")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"":     `column 1: expected the number of a board, from 1 to 2`,
		"3a1":  `column 1: the number of a board is from 1 to 2`,
		"b2":   `column 1: "b" is not a number of a board, from 1 to 2; an example is "1b2"`,
		"2d1":  `column 2: "d" is not the letter of a column, from a to c`,
		"2a4":  `column 3: the number of a row is from 1 to 3`,
		"2a1x": `column 4: a move is the number of a board and a cell of it; leave out the rest`,
		"1a1":  `the move 1a1 is not legal here: board 1 is dead, as a line is complete; play on another one`,
		"2a3":  `the move 2a3 is not legal here: a3 of board 2 is marked`,
	} {
		if _, err := r.ParseMove(p, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := r.ParseMove(position{7, 7}, "1a1"); err == nil || !strings.HasSuffix(err.Error(), "the game is over, as all boards are dead") {
		t.Errorf("at the end: %v", err)
	}
}

func TestDiagram(t *testing.T) {
	mixed := &rules{[]int{2, 4}}
	drawn, err := mixed.Parse("X./..+X.../.X../..../....")
	if want := "    1        2\n4            X . . .\n3            . X . .\n2   X .      . . . .\n1   . .      . . . .\n    a b      a b c d\n"; err != nil || mixed.Diagram(drawn) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, mixed.Diagram(drawn), want)
	}
	r := threes(2)
	p, err := r.Parse("XXX/.X./...+..X/.../X..")
	const want = "    1 dead   2\n3   X X X    . . X\n2   . X .    . . .\n1   . . .    X . .\n    a b c    a b c\n"
	if err != nil || r.Diagram(p) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, r.Diagram(p), want)
	}
}
