package search

import (
	"fmt"
	"math/bits"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"backsolve/game"
)

// slowDiscs returns the score of a position by plain alpha-beta with the rules' core.
func slowDiscs(g *reversi, s Masks, alpha, beta int) int {
	if _, over := g.Terminal(s); over {
		return finalDiscs(g.size*g.size, s)
	}
	best := noScore
	for _, m := range g.Moves(nil, s) {
		if best = max(best, -slowDiscs(g, g.Play(s, m), -beta, -max(alpha, best))); best >= beta {
			break
		}
	}
	return best
}

// randomDiscs returns an open state of a random game with at most left empty cells.
func randomDiscs(g *reversi, start Masks, left int, seed uint64) Masks {
	for r := NewRand(seed); ; {
		for s := start; ; {
			moves := g.Moves(nil, s)
			if len(moves) == 0 {
				break
			}
			if bits.OnesCount64(g.all&^(s.Mover|s.Waiting)) <= left {
				return s
			}
			s = g.Play(s, moves[r.Below(len(moves))])
		}
	}
}

// value returns the score of a position by null windows.
func value(n *nullSearch, d discs, guess int) int {
	return converge(n.cells, guess, func(alpha int) int { return n.null(d, alpha, nil) })
}

func TestDiscsAreAsTheRules(t *testing.T) {
	for _, size := range []int{4, 6, 8} {
		rules := newRules(t, "othello", size)
		g := New(rules).(*reversi)
		board := padded(g.all, size)
		rapid.Check(t, func(t *rapid.T) {
			s := drawState(t, rules)
			if rapid.Bool().Draw(t, "of a game") {
				s = drawOthello(t, g, MasksOf(rules.Start()), size*size)
			}
			d := discsOf(s, size)
			empty := board &^ (d.own | d.other)
			if got, want := d.moves(empty), padded(g.placements(s.Mover, s.Waiting), size); got != want {
				t.Fatalf("%+v: moves %x, want %x", s, got, want)
			}
			for cell := range size * size {
				if at := uint64(1) << cell; (s.Mover|s.Waiting)&at == 0 {
					wide := bits.TrailingZeros64(padded(at, size))
					want := g.flips(s.Mover, s.Waiting, at)
					if got := d.flips(wide); got != padded(want, size) {
						t.Fatalf("%+v, cell %d: flips %x, want %x", s, cell, got, want)
					}
					full := discs{d.own, board &^ d.own &^ (1 << wide)}
					if got, want := countLast(d.own, wide), bits.OnesCount64(full.flips(wide)); got != want {
						t.Fatalf("%+v, cell %d: the last disc flips %d, want %d", s, cell, got, want)
					}
				}
			}
			if image := (discs{transposed(d.own), transposed(d.other)}); image.canonical() != d.canonical() ||
				(discs{bits.ReverseBytes64(d.own), bits.ReverseBytes64(d.other)}).canonical() != d.canonical() {
				t.Fatalf("%+v: images differ", s)
			}
		})
	}
}

// Every null window tells the truth, with much memory and next to none; a side without discs, whose game is over, included.
func TestNullWindows(t *testing.T) {
	passes := 0
	for size, most := range map[int]int{4: 10, 6: 10, 8: 9} {
		rules := newRules(t, "othello", size)
		g := New(rules).(*reversi)
		agrees := func(t *rapid.T, s Masks) {
			d := discsOf(s, size)
			want := slowDiscs(g, s, noScore, -noScore)
			n := newNullSearch(size, 1, rapid.SampledFrom([]int64{0, 1 << 12, 1 << 20}).Draw(t, "bytes"))
			for alpha := -n.cells; alpha < n.cells; alpha++ {
				if bound := n.null(d, alpha, nil); bound > alpha != (want > alpha) || bound > alpha && bound > want || bound <= alpha && bound < want {
					t.Fatalf("%+v is worth %d; above %d: %d", s, want, alpha, bound)
				}
			}
		}
		rapid.Check(t, func(t *rapid.T) {
			s := randomDiscs(g, MasksOf(rules.Start()), rapid.IntRange(1, most).Draw(t, "left"), rapid.Uint64().Draw(t, "seed"))
			if rapid.Bool().Draw(t, "drawn") {
				if s = drawState(t, rules); bits.OnesCount64(g.all&^(s.Mover|s.Waiting)) > most {
					return
				}
			}
			if g.placements(s.Mover, s.Waiting) == 0 {
				passes++
			}
			agrees(t, s)
			s.Mover, s.Waiting = s.Mover|s.Waiting, 0
			agrees(t, s)
		})
	}
	if passes == 0 && !testing.Short() { // one state in fifteen
		t.Error("nobody passed")
	}
}

// The score does not depend on the number of threads: positions with a given number of empty cells are
// shared among them.
func TestThreadsShare(t *testing.T) {
	rules := newRules(t, "othello", 6)
	g := New(rules).(*reversi)
	seeds := uint64(10)
	if testing.Short() {
		seeds = 3 // each takes a second under the race detector
	}
	for seed := range seeds {
		d := discsOf(randomDiscs(g, MasksOf(rules.Start()), splitCells+2, seed), 6)
		want := value(newNullSearch(6, 1, 1<<22), d, 0)
		if got := value(newNullSearch(6, 4, 1<<22), d, 0); got != want {
			t.Errorf("%+v: %d with four threads, %d with one", d, got, want)
		}
	}
}

// ffo are positions of the FFO test of endgames on 8×8, with their published scores.
var ffo = []struct {
	position string
	score    int
}{
	{"O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X", 38},
	{"-OOOOO----OOOOX--OOOOOO-XXXXXOO--XXOOX--OOXOXX----OXXO---OOO--O- X", 0},
	{"--OOO-------XX-OOOOOOXOO-OOOOXOOX-OOOXXO---OOXOO---OOOXO--OOOO-- X", 6},
	{"--XXXXX---XXXX---OOOXX---OOXXXX--OOXXXO-OOOOXOO----XOX----XXXXX- O", -12},
}

// ffoDiscs returns the discs of a position of the FFO test.
func ffoDiscs(text string) (d discs) {
	for i := range 64 {
		d.own |= uint64(count(text[i] == text[65])) << i
		d.other |= uint64(count(text[i] != text[65] && text[i] != '-')) << i
	}
	return d
}

// BenchmarkFFO solves positions with 20 and 21 empty cells.
func BenchmarkFFO(b *testing.B) {
	nodes := uint64(0)
	for b.Loop() {
		for _, p := range ffo {
			n := newNullSearch(8, 1, 1<<28)
			if got := value(n, ffoDiscs(p.position), p.score); got != p.score {
				b.Errorf("%s is worth %d, want %d", p.position, got, p.score)
			}
			nodes += n.nodes.Load()
		}
	}
	b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
}

// The scores of all moves in the positions of the FFO test with up to 18 empty cells are as published,
// whether the board fills up or empty cells are left for the winner, as after all moves of the
// twentieth. The file is fforum-1-19.obf and the beginning of fforum-20-39.obf of Edax
// (github.com/abulmo/edax-reversi, problem); radagast.se/othello/ffotest.html has the positions.
func TestMovesOfFFO(t *testing.T) {
	text, err := os.ReadFile("testdata/fforum.obf")
	if err != nil {
		t.Fatal(err)
	}
	rules, e := endingIn(t, "othello", 8)
	for line := range strings.Lines(string(text)) {
		position, scores, _ := strings.Cut(strings.TrimSuffix(line, ";\n"), "; ")
		want := map[string]string{}
		for move := range strings.SplitSeq(scores, "; ") {
			at, score, _ := strings.Cut(move, ":")
			want[strings.ToLower(at)] = score
		}
		d := ffoDiscs(position)
		_, moves, err := e.Solve(t.Context(), game.Position{X: d.own, O: d.other}, EndingOptions{2, 1 << 24})
		if err != nil || len(moves) != len(want) {
			t.Errorf("%s: %v, %v", position, moves, err)
		}
		for _, m := range moves {
			// The published names count rows from the top.
			at := fmt.Sprintf("%c%d", 'a'+m.Move.To%8, m.Move.To/8+1)
			if score := fmt.Sprintf("%+d", m.Score); want[at] != score {
				t.Errorf("%s, %s (%s): %s, want %s", position, at, rules.FormatMove(m.Move), score, want[at])
			}
		}
	}
}
