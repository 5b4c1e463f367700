package nim

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"backsolve/game"
)

// board returns the rules of one of the games with n heaps.
func board(n int, misere bool) *rules { return &rules{name: "nim", misere: misere, n: n} }

// everyPosition calls do with all heaps of at most 1, 3, 5, … counters, each after the positions
// that its moves lead to. number is a position's place in that order.
func everyPosition(n int, do func(p position, number int)) (number func(position) int) {
	number = func(p position) int {
		at := 0
		for heap := n - 1; heap >= 0; heap-- {
			at = at*(2*heap+2) + p.counters(heap)
		}
		return at
	}
	for i := 0; ; i++ {
		var p position
		rest := i
		for heap := range n {
			p.heaps[heap] = uint8(rest % (2*heap + 2))
			rest /= 2*heap + 2
		}
		if rest > 0 {
			return number
		}
		do(p, i)
	}
}

// The formulas agree with the moves in each of the 645,120 positions that can follow the start
// with up to seven heaps.
func TestFormulas(t *testing.T) {
	for n := 1; n <= 7; n++ {
		if n > 5 && testing.Short() || n > 6 && os.Getenv("BACKSOLVE_LONG") == "" {
			break
		}
		for _, misere := range []bool{false, true} {
			r := board(n, misere)
			t.Run(fmt.Sprintf("%d heaps, misère %t", n, misere), func(t *testing.T) { checkFormulas(t, r) })
		}
	}
}

func checkFormulas(t *testing.T, r *rules) {
	var wins []bool
	var nimbers []int
	var moves []game.Move
	number := everyPosition(r.n, func(position, int) {})
	everyPosition(r.n, func(p position, i int) {
		outcome, over := r.Terminal(p)
		moves = r.Moves(moves[:0], p)
		if over != (len(moves) == 0) {
			t.Fatalf("%s: over is %t, but there are %d moves", r.Format(p), over, len(moves))
		}
		win, nimber := over && outcome == game.Win, 0
		var reached [MaxCounters + 1]bool
		for _, m := range moves {
			child := number(r.Play(p, m))
			if child >= i {
				t.Fatalf("%s: %s leads to a position that comes later", r.Format(p), r.FormatMove(m))
			}
			win = win || !wins[child]
			reached[nimbers[child]] = true
		}
		for reached[nimber] {
			nimber++
		}
		wins, nimbers = append(wins, win), append(nimbers, nimber)
		if (r.outcome(p) == game.Win) != win {
			t.Fatalf("%s is said to be %v", r.Format(p), r.outcome(p))
		}
		if nimSum(p) != nimber {
			t.Fatalf("%s has the nimber %d, want %d", r.Format(p), nimSum(p), nimber)
		}
	})
	if want := []int{2, 8, 48, 384, 3840, 46_080, 645_120}[r.n-1]; len(wins) != want {
		t.Errorf("%d positions, want %d", len(wins), want)
	}
}

// On the largest board two full heaps, beside others that cancel each other, obey the definition
// of the nimber: the least number that no move leads to.
func TestLargestBoard(t *testing.T) {
	for _, misere := range []bool{false, true} {
		r := board(MaxHeaps, misere)
		var nimbers [MaxCounters + 1][MaxCounters + 1]int
		for a := range nimbers {
			for b := range nimbers[a] {
				reached := map[int]bool{}
				for less := range a {
					reached[nimbers[less][b]] = true
				}
				for less := range b {
					reached[nimbers[a][less]] = true
				}
				for reached[nimbers[a][b]] {
					nimbers[a][b]++
				}
				var p position
				p.heaps[MaxHeaps-1], p.heaps[9], p.heaps[10], p.heaps[0] = uint8(a), uint8(b), 33, 33
				if nimSum(p) != nimbers[a][b] || (r.outcome(p) == game.Win) != (nimbers[a][b] != 0) {
					t.Fatalf("%s has the nimber %d and is %v, want %d", r.Format(p), nimSum(p), r.outcome(p), nimbers[a][b])
				}
			}
		}
	}
	r := board(MaxHeaps, false)
	if r.Exact().Key != nil || board(keyed, false).Exact().Key == nil {
		t.Error("keys are known of the wrong boards")
	}
	if p := r.Start(); len(r.Moves(nil, p)) != MaxHeaps*MaxHeaps {
		t.Errorf("%s has %d moves", r.Format(p), len(r.Moves(nil, p)))
	}
}

// draw draws a position of any heaps.
func draw(t *rapid.T, r *rules) position {
	var p position
	for heap := range r.n {
		p.heaps[heap] = rapid.Uint8Range(0, uint8(r.maxCounters())).Draw(t, "counters")
	}
	p.turn = rapid.SampledFrom([]game.Side{game.X, game.O}).Draw(t, "to move")
	return p
}

// Any heaps are a position: the text leads back to it, and each way to name a heap and a
// number is a move or is refused with the reason.
func TestAnyHeaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := board(rapid.IntRange(1, MaxHeaps).Draw(t, "heaps"), rapid.Bool().Draw(t, "misère"))
		p := draw(t, r)
		if got, err := r.Parse(" " + r.Format(p) + "\n"); err != nil || got != p {
			t.Fatalf("%s is read as %v, %v", r.Format(p), got, err)
		}
		legal := map[string]game.Move{}
		for _, m := range r.Moves(nil, p) {
			legal[r.FormatMove(m)] = m
		}
		for heap := range r.n {
			for taken := 1; taken <= r.maxCounters(); taken++ {
				text := fmt.Sprintf("%c%d", 'a'+heap, taken)
				m, err := r.ParseMove(p, text)
				want, ok := legal[text]
				if illegal := (*game.IllegalMoveError)(nil); ok != (err == nil) || !ok && !errors.As(err, &illegal) {
					t.Fatalf("%s: %s is read as %v, %v", r.Format(p), text, m, err)
				}
				if ok != (taken <= p.counters(heap)) || m != want {
					t.Fatalf("%s: %s is a move: %t", r.Format(p), text, ok)
				}
				if next := r.Play(p, m); ok && (next.counters(heap) != p.counters(heap)-taken || next.turn == p.turn) {
					t.Fatalf("%s: %s leads to %s", r.Format(p), text, r.Format(next))
				}
			}
		}
	})
}

// The key is the same for the same heaps in another order, and for no others.
func TestKey(t *testing.T) {
	r := board(4, false)
	keys := map[uint64]string{}
	everyPosition(4, func(p position, _ int) {
		var count [MaxCounters + 1]int
		for heap := range r.n {
			count[p.counters(heap)]++
		}
		heaps := fmt.Sprint(count)
		if known, ok := keys[sorted(p)]; ok && known != heaps {
			t.Fatalf("%s has the key of other heaps", r.Format(p))
		}
		keys[sorted(p)] = heaps
		if sorted(position{p.heaps, game.O}) != sorted(p) {
			t.Fatalf("%s has another key with o to move", r.Format(p))
		}
	})
	// So many are in ascending order: C(3n + 1, n)/(n + 1).
	if len(keys) != 143 {
		t.Errorf("%d keys, want 143", len(keys))
	}
}

func TestMistakes(t *testing.T) {
	r := board(3, false)
	for text, want := range map[string]string{
		"":         `"", column 1: there is no position; write the counters of the 3 heaps, separated by slashes; an example is "1/3/5"`,
		"1/3":      `column 4: expected a slash and the next of the 3 heaps`,
		"1 3 5":    `column 2: expected a slash`,
		"1//5":     `column 3: "/" is not a number of counters, from 0 to 15`,
		"1/3/":     `column 5: expected the number of counters, from 0 to 15`,
		"1/16/5":   `column 3: the number of counters is from 0 to 15`,
		"1/03/5":   `column 3: the number of counters is written without leading zeros`,
		"1/3/five": `column 5: "f" is not a number of counters`,
		"1/3/5/7":  `column 6: the position continues after its 3 heaps; leave out the rest`,
		"1/3/5x":   `column 6: "x" does not belong here; only a space and the side to move, x or o, follow the heaps`,
		"1/3/5 X":  `column 7: the side to move is a small letter; write x instead of X`,
		"1/3/5  o": `column 7: " " is not a side to move`,
		"1/3/5 o!": `column 8: nothing follows the side to move; leave out the rest`,
	} {
		_, err := r.Parse(text)
		if syntax := (*game.SyntaxError)(nil); !errors.As(err, &syntax) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	p, err := r.Parse("0/3/12 x")
	if err != nil || r.Format(p) != "0/3/12" {
		t.Fatalf("%s, %v", r.Format(p), err)
	}
	for text, want := range map[string]string{
		"":    `column 1: expected the letter of a heap, from a to c`,
		"d1":  `column 1: "d" is not the letter of a heap, from a to c; an example is "a1"`,
		"b":   `column 2: expected the number of counters, from 1 to 15`,
		"b0":  `column 2: the number of counters is from 1 to 15`,
		"c99": `column 2: the number of counters is from 1 to 15`,
		"b2x": `column 3: a move is a heap's letter and the number of counters that are taken; leave out the rest`,
		"a1":  `the move a1 is not legal here: heap a is empty; take from another one`,
		"b4":  `the move b4 is not legal here: heap b has only 3; take 3 or fewer`,
	} {
		if _, err := r.ParseMove(p, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := r.ParseMove(position{}, "a1"); err == nil || !strings.HasSuffix(err.Error(), "the game is over, as no counter is left") {
		t.Errorf("at the end: %v", err)
	}
}

func TestDiagram(t *testing.T) {
	r := board(3, false)
	p, err := r.Parse("0/3/12")
	if want := "a  0\nb  3  |||\nc 12  ||||||||||||\n"; err != nil || r.Diagram(p) != want {
		t.Errorf("%v\n%s", err, r.Diagram(p))
	}
}
