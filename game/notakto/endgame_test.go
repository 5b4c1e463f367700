package notakto

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// safely says whether the player to move wins when nobody completes a line while
// there is another move, by trying all moves of the rules.
func safely(w Wide, memo map[string]bool) bool {
	if won, ok := memo[w.cells]; ok {
		return won
	}
	won := w.Complete()
	for cell := 0; cell < w.Cells() && !won; cell++ {
		won = !w.Marked(cell) && !safely(w.Mark(cell), memo)
	}
	memo[w.cells] = won
	return won
}

// playRest checks the endgame of a position: cells are open unless marked, and then free ones.
func playEndgame(r Endgame, marked uint64, free int, memo map[[2]uint64]bool) bool {
	key := [2]uint64{marked, uint64(free)}
	if won, ok := memo[key]; ok {
		return won
	}
	won := free > 0 && !playEndgame(r, marked, free-1, memo)
	for i := 0; i < len(r.Open) && !won; i++ {
		next := marked | 1<<uint(i)
		complete := slices.ContainsFunc(r.Lines, func(line uint64) bool { return line&^next == 0 })
		won = marked>>uint(i)&1 == 0 && !complete && !playEndgame(r, next, free, memo)
	}
	memo[key] = won
	return won
}

// TestRest plays the endgames of random positions, which must have the positions' values, and in
// which each cell is of one kind.
func TestRest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	kinds := [3]int{}
	for range 400 {
		n := 2 + random.IntN(3)
		w := EmptyWide(n)
		for cell := range w.Cells() {
			if random.IntN(2) == 0 {
				w = w.Mark(cell)
			}
		}
		if w.Complete() {
			continue
		}
		r, ok := EndgameOf(w)
		if !ok {
			t.Fatal("there are too many cells")
		}
		if got, want := playEndgame(r, 0, len(r.Free), map[[2]uint64]bool{}), safely(w, map[string]bool{}); got != want {
			t.Fatalf("%s is won: %t, what is left, %+v, is: %t", w.cells, want, r, got)
		}
		all := slices.Sorted(slices.Values(slices.Concat(r.Open, r.Free, r.Forbidden)))
		for cell := range w.Cells() {
			if _, open := slices.BinarySearch(all, cell); open == w.Marked(cell) {
				t.Fatalf("%s: cell %d is marked or of no kind, or neither: %+v", w.cells, cell, r)
			}
			if !w.Marked(cell) && w.CompletedBy(cell) != slices.Contains(r.Forbidden, cell) {
				t.Fatalf("%s: cell %d is forbidden or not: %+v", w.cells, cell, r)
			}
		}
		for i, line := range r.Lines {
			if line&(line-1) == 0 || slices.ContainsFunc(r.Lines[i+1:], func(l uint64) bool { return line&^l == 0 || l&^line == 0 }) {
				t.Fatalf("%s has the lines %b", w.cells, r.Lines)
			}
		}
		kinds[0] += len(r.Open)
		kinds[1] += len(r.Free)
		kinds[2] += len(r.Forbidden)
	}
	if slices.Min(kinds[:]) < 50 {
		t.Errorf("there were %v cells of the three kinds only", kinds)
	}
	if _, ok := EndgameOf(EmptyWide(9)); ok {
		t.Error("81 open cells fit into 64 bits")
	}
	if w := EmptyWide(8).Mark(5).Mark(63); WideOf(8, w.Marks()) != w {
		t.Error("marks do not lead back to the position")
	}
}
