package dobutsu

import (
	"strings"
	"testing"

	"backsolve/game/custom"
)

// slow is a position by its text, for the player to move at the bottom: nothing is
// encoded, and nothing shared with Game.
type slow struct {
	cells [4][3]byte
	hands [2]string // of the player to move, and of the other one, in any order
}

var start = slow{cells: [4][3]byte{[3]byte([]byte("gle")), [3]byte([]byte(".c.")), [3]byte([]byte(".C.")), [3]byte([]byte("ELG"))}}

// slowMoves returns the positions after each move, all possible ones if the lion can be
// taken, and whether that is so.
func slowMoves(s slow) (after []slow, taken bool) {
	offsets := map[byte][][2]int{
		'L': {{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}, {1, 1}},
		'G': {{-1, 0}, {0, -1}, {0, 1}, {1, 0}}, 'E': {{-1, -1}, {-1, 1}, {1, -1}, {1, 1}},
		'C': {{-1, 0}}, 'H': {{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, 0}},
	}
	for r := range 4 {
		for c := range 3 {
			piece := s.cells[r][c]
			for i, held := range s.hands[0] {
				if next := s; piece == '.' && !strings.ContainsRune(s.hands[0][:i], held) { // equal pieces make one drop
					next.cells[r][c] = byte(held)
					next.hands[0] = s.hands[0][:i] + s.hands[0][i+1:]
					after = append(after, next.turned())
				}
			}
			for _, o := range offsets[piece] {
				r2, c2 := r+o[0], c+o[1]
				if r2 < 0 || r2 > 3 || c2 < 0 || c2 > 2 || s.cells[r2][c2] >= 'A' && s.cells[r2][c2] <= 'Z' {
					continue
				}
				next := s
				switch prey := s.cells[r2][c2]; prey {
				case 'l':
					taken = true
				case 'h':
					next.hands[0] += "C"
				case 'g', 'e', 'c':
					next.hands[0] += strings.ToUpper(string(prey))
				}
				next.cells[r][c] = '.'
				if next.cells[r2][c2] = piece; piece == 'C' && r2 == 0 {
					next.cells[r2][c2] = 'H'
				}
				after = append(after, next.turned())
			}
		}
	}
	return after, taken
}

// turned returns the position as the other player sees it.
func (s slow) turned() (t slow) {
	for r := range 4 {
		for c := range 3 {
			if t.cells[3-r][2-c] = s.cells[r][c]; s.cells[r][c] != '.' {
				t.cells[3-r][2-c] ^= 'a' - 'A'
			}
		}
	}
	t.hands = [2]string{s.hands[1], s.hands[0]}
	return t
}

// over reports whether the other lion is safe on the last rank.
func (s slow) over(taken bool) bool { return strings.Contains(string(s.cells[3][:]), "l") && !taken }

// text returns a slow position as Format writes it.
func (s slow) text() string {
	var b strings.Builder
	for r := range s.cells {
		b.WriteString("/"[:min(r, 1)] + string(s.cells[r][:]))
	}
	b.WriteByte('+')
	for i, hand := range s.hands {
		for _, piece := range "GEC" {
			b.WriteString(strings.Repeat(strings.Repeat(strings.ToLower(string(piece)), i)+strings.Repeat(string(piece), 1-i), strings.Count(hand, string(piece))))
		}
	}
	return b.String()
}

// The numbers of games by length, where lions need not be taken, as scalashogi counts them.
func TestPerft(t *testing.T) {
	var count func(s slow, plies int) int
	count = func(s slow, plies int) (n int) {
		if plies == 0 {
			return 1
		}
		after, taken := slowMoves(s)
		if s.over(taken) {
			return 0
		}
		for _, a := range after {
			if text := a.text(); strings.Contains(text, "L") {
				n += count(a, plies-1)
			} else if plies == 1 {
				n++
			}
		}
		return n
	}
	for i, want := range []int{4, 17, 123, 976, 8122, 71677} {
		if got := count(start, i+1); got != want {
			t.Errorf("%d plies: %d games, want %d", i+1, got, want)
		}
	}
}

// All positions of the first plies have the moves and ends that plain rules give them.
func TestMoves(t *testing.T) {
	g := Game{}
	if err := custom.Check(g, 200, 1); err != nil {
		t.Fatal(err)
	}
	seen, frontier := map[string]bool{start.text(): true}, []slow{start}
	for len(seen) < 30000 {
		var next []slow
		for _, s := range frontier {
			state, err := g.Parse(s.text())
			if err != nil {
				t.Fatal(err)
			}
			after, taken := slowMoves(s)
			_, over := g.Terminal(state)
			if over != s.over(taken) {
				t.Fatalf("%s: over is %v, want %v", s.text(), over, !over)
			}
			if over {
				continue
			}
			got := map[string]bool{}
			for _, a := range g.Moves(nil, state) {
				got[g.Format(a)] = true
			}
			if taken {
				if !got[g.Format(0)] || len(got) != 1 {
					t.Fatalf("%s: the lion can be taken, and there are %v", s.text(), got)
				}
				continue
			}
			want := map[string]bool{}
			for _, a := range after {
				if want[a.text()] = true; !seen[a.text()] {
					seen[a.text()] = true
					next = append(next, a)
				}
				if !got[a.text()] {
					t.Fatalf("%s: no move to %s", s.text(), a.text())
				}
			}
			if len(got) != len(want) {
				t.Fatalf("%s: %d moves, want %d", s.text(), len(got), len(want))
			}
		}
		frontier = next
	}
}
