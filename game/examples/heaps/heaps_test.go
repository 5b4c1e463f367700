package heaps

import (
	"slices"
	"testing"

	"backsolve/game"
)

// nimbersOf returns the Grundy values of heaps of 0 to n counters.
func nimbersOf(name string, n int) (values []int) {
	k := kinds[name]
	for heap := range n + 1 {
		reached, value := map[int]bool{}, 0
		for _, m := range k.moves(heap) {
			reached[values[m[0]]^values[m[1]]] = true
		}
		for reached[value] {
			value++
		}
		values = append(values, value)
	}
	return values
}

// periodOf returns the period of the nimbers of an octal game and the first heap that it holds from, 0
// where it is not known from heaps of up to most counters. It holds for ever if it does up to twice
// the first heap, two periods and the most that is taken (Guy and Smith, 1956).
func periodOf(name string, most int) (period, first int) {
	taken := len(kinds[name].digits) - 1
	if taken == 0 || taken > 3 { // the digits of these games are of heaps up to MaxN alone
		return 0, 0
	}
	values := nimbersOf(name, most)
	for p := 1; 2*p+taken <= most; p++ {
		from := most - p + 1
		for from > 0 && values[from-1] == values[from-1+p] {
			from--
		}
		if 2*from+2*p+taken <= most {
			return p, from
		}
	}
	return 0, 0
}

// The nimbers agree with the Online Encyclopedia of Integer Sequences, and the periods with the
// tables of octal games.
func TestNimbers(t *testing.T) {
	for name, want := range map[string][]int{
		"kayles":         {0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4, 1, 2, 7, 1, 4, 3, 2, 1, 4, 6, 7}, // A002186
		"dawsons-kayles": {0, 0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2, 4, 0, 5, 2, 2, 3, 3, 0, 1, 1}, // A002187, one on
		"grundys-game":   {0, 0, 0, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 3, 2, 1, 3, 2, 4, 3, 0, 4, 3, 0}, // A002188
		"subtraction":    {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3},
		// A014586
		"take-any":         {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22},
		"subtract-squares": {0, 1, 0, 1, 2, 0, 1, 0, 1, 2, 0, 1, 0, 1, 2, 0, 1, 0, 1, 2, 0, 1, 0, 1},
	} {
		if got := nimbersOf(name, len(want)-1); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	for name, k := range kinds {
		if period, first := periodOf(name, 400); period != max(0, k.period) || first != k.first {
			t.Errorf("%s: period %d from %d, not %d from %d", name, period, first, k.period, k.first)
		}
	}
	if period, _ := periodOf("kayles", 150); period != 0 {
		t.Error("the period of Kayles is not proved by heaps of up to 150")
	}
}

// A state is won if the nimbers of its heaps do not cancel out, and its text is read back.
func TestValues(t *testing.T) {
	for name := range kinds {
		g := Game{name, []int{17}}
		if kinds[name].both {
			continue
		}
		if name == "take-any" || name == "guiles" {
			g.Heaps = []int{6, 2, 6, 3}
		}
		nimbers, won := nimbersOf(name, MaxN), map[State]bool{}
		var solve func(s State) bool
		solve = func(s State) bool {
			if value, known := won[s]; known {
				return value
			}
			won[s] = false
			moves := g.Moves(nil, s)
			if _, over := g.Terminal(s); over != (len(moves) == 0) {
				t.Fatalf("%s: %s is over with %d moves", name, g.Format(s), len(moves))
			}
			for _, after := range moves {
				if !solve(after) {
					won[s] = true
				}
			}
			sum := 0
			for _, heap := range s.heaps() {
				sum ^= nimbers[heap]
			}
			if won[s] != (sum != 0) {
				t.Errorf("%s: %s has the nimber %d, and is won: %v", name, g.Format(s), sum, won[s])
			}
			if again, err := g.Parse(g.Format(s)); err != nil || again != s {
				t.Errorf("%s: %s is read as %s, %v", name, g.Format(s), g.Format(again), err)
			}
			return won[s]
		}
		solve(g.Start())
	}
	g := Game{"kayles", []int{20}}
	for _, wrong := range []string{"", "x", "23", "-1", "3/1", "0/1", "1/1/1/1/1/1/1/1/1/1/1/1/1"} {
		if s, err := g.Parse(wrong); err == nil {
			t.Errorf("%q is read as %s", wrong, g.Format(s))
		}
	}
	if text := g.Format(0); text != "0" {
		t.Errorf("no heap is written as %q", text)
	}
	if outcome, over := g.Terminal(0); outcome != game.Lose || !over {
		t.Error("who cannot move has not lost")
	}
}

// Wythoff's queens lose if the heaps are the nth multiples of the golden ratio and of its square,
// rounded down (A000201, A001950), and the nimbers agree with his table, A004481.
func TestWythoff(t *testing.T) {
	g, nimbers := Game{"wythoffs-queens", []int{MaxN, MaxN}}, map[State]int{}
	var nimber func(s State) int
	nimber = func(s State) int {
		n, known := nimbers[s]
		if known {
			return n
		}
		reached := map[int]bool{}
		for _, after := range g.Moves(nil, s) {
			reached[nimber(after)] = true
		}
		for reached[n] {
			n++
		}
		nimbers[s] = n
		return n
	}
	var lost []string
	for small := range MaxN + 1 {
		for large := small; large <= MaxN; large++ {
			k := kinds[g.Kind]
			if s := k.addHeap(k.addHeap(0, small), large); nimber(s) == 0 {
				lost = append(lost, g.Format(s))
			}
		}
	}
	if want := []string{"0", "1/2", "3/5", "4/7", "6/10", "8/13", "9/15", "11/18", "12/20"}; !slices.Equal(lost, want) {
		t.Errorf("lost are %v, want %v", lost, want)
	}
	var row []int
	for n := range 12 {
		row = append(row, nimber(kinds[g.Kind].addHeap(kinds[g.Kind].addHeap(0, 1), n)))
	}
	if want := []int{1, 2, 0, 4, 5, 3, 7, 8, 6, 10, 11, 9}; !slices.Equal(row, want) {
		t.Errorf("the nimbers with a heap of one counter are %v, want %v", row, want)
	}
}
