package notakto

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"backsolve/bitboard"
	"backsolve/game"
)

// eachPaired runs a test for each size of board that has a pairing.
func eachPaired(t *testing.T, test func(t *testing.T, n int)) {
	var sizes []int
	for n := -8; n <= 40; n++ {
		if Paired(n) {
			sizes = append(sizes, n)
			t.Run(fmt.Sprint(n), func(t *testing.T) { test(t, n) })
		}
	}
	if want := []int{4, 8, 12, 16, 20, 24}; !slices.Equal(sizes, want) {
		t.Errorf("pairings on boards of size %v, want %v", sizes, want)
	}
}

// lines returns the cells of each row, column and main diagonal, in ascending
// order.
func lines(n int) [][]int {
	all := make([][]int, 2*n+2)
	for cell := range n * n {
		row, col := cell/n, cell%n
		all[row] = append(all[row], cell)
		all[n+col] = append(all[n+col], cell)
		if row == col {
			all[2*n] = append(all[2*n], cell)
		}
		if row+col == n-1 {
			all[2*n+1] = append(all[2*n+1], cell)
		}
	}
	return all
}

// The pairing is the theorem's, in coordinates from 1, from whichever side rows are counted.
func TestPairIsTheTheorems(t *testing.T) {
	minusOne := func(power int) int { return 1 - 2*(power&1) }
	eachPaired(t, func(t *testing.T, n int) {
		for cell := range n * n {
			for _, fromBottom := range []bool{true, false} {
				y := func(row int) int {
					if fromBottom {
						return n - row
					}
					return row + 1
				}
				x1, y1 := cell%n+1, y(cell/n)
				x2, y2 := n+1-x1+minusOne(x1), y1+minusOne(y1+1)
				if p := Pair(n, cell); p%n+1 != x2 || y(p/n) != y2 {
					t.Fatalf("the partner of (%d, %d) is (%d, %d), want (%d, %d)", x1, y1, p%n+1, y(p/n), x2, y2)
				}
			}
		}
	})
}

// What the proof relies on: a cell is its partner's partner and another cell, and the partners of
// a line's cells are a line that shares no cell with it.
func TestPairingProperties(t *testing.T) {
	eachPaired(t, func(t *testing.T, n int) {
		for cell := range n * n {
			if p := Pair(n, cell); p == cell || p < 0 || p >= n*n || Pair(n, p) != cell {
				t.Errorf("cell %d has the partner %d", cell, p)
			}
		}
		all := lines(n)
		for _, line := range all {
			var partners []int
			for _, cell := range line {
				partner := Pair(n, cell)
				if slices.Contains(line, partner) {
					t.Errorf("cell %d and its partner %d are on one line", cell, partner)
				}
				partners = append(partners, partner)
			}
			slices.Sort(partners)
			if !slices.ContainsFunc(all, func(l []int) bool { return slices.Equal(l, partners) }) {
				t.Errorf("the partners of the line %v are no line: %v", line, partners)
			}
		}
	})
}

// On 4×4 every line of play in which the second player answers with the partner
// is gone through: the first player completes a line, always. The positions are
// counted, so that the search cannot have passed by.
func TestPairingWinsEveryGameOn4x4(t *testing.T) {
	r := New(4)
	seen := map[uint64]bool{}
	var play func(p game.Position)
	play = func(p game.Position) {
		if seen[p.X] {
			return
		}
		seen[p.X] = true
		if _, over := r.Terminal(p); over {
			t.Fatalf("%s: the second player has completed a line", r.Format(p))
		}
		for _, m := range r.Moves(nil, p) {
			q := r.Play(p, m)
			if _, over := r.Terminal(q); over {
				continue // the first player has lost
			}
			partner := uint8(Pair(4, int(m.To)))
			if q.X>>partner&1 == 1 {
				t.Fatalf("%s: the partner is marked before it is the answer", r.Format(q))
			}
			play(r.Play(q, game.Move{From: partner, To: partner}))
		}
	}
	play(r.Start())

	// All sets of pairs without a complete line are met: counted afresh, set by
	// set.
	want := 0
	for x := range uint64(1 << 16) {
		kept, complete := true, false
		for cell := range 16 {
			kept = kept && x>>cell&1 == x>>Pair(4, cell)&1
		}
		for _, line := range bitboard.Lines(4) {
			complete = complete || x&line == line
		}
		if kept && !complete {
			want++
		}
	}
	if len(seen) != want || want < 100 {
		t.Errorf("%d positions with the first player to move, want %d", len(seen), want)
	}
}

// In random games of a first player who avoids completing a line for as long as possible, the
// second player never completes one.
func TestPairingWinsRandomGames(t *testing.T) {
	eachPaired(t, func(t *testing.T, n int) {
		r := rand.New(rand.NewPCG(6, uint64(n)))
		for range 20 {
			w, lost := EmptyWide(n), false
			for !lost {
				w, lost = firstLoses(t, w, r)
			}
		}
	})
}

// firstLoses plays a random move, one that completes no line if possible, and the answer to it.
// It reports whether the first player completed a line.
func firstLoses(t *testing.T, w Wide, r *rand.Rand) (after Wide, lost bool) {
	t.Helper()
	if left := Unpaired(w); left != nil {
		t.Fatalf("%s: cells %v have no partner after the answer", w.cells, left)
	}
	cell := -1
	for _, c := range r.Perm(w.Cells()) {
		if w.Marked(c) {
			continue
		}
		cell = c
		if !w.CompletedBy(c) {
			break
		}
	}
	if cell < 0 {
		t.Fatal("the board is full, and nobody has completed a line")
	}
	w = w.Mark(cell)
	if left := Unpaired(w); !slices.Equal(left, []int{cell}) {
		t.Fatalf("%s: cells %v have no partner, want %d alone", w.cells, left, cell)
	}
	if w.Complete() {
		return w, true
	}
	w = w.Mark(Pair(w.size, cell))
	if w.Complete() {
		t.Fatalf("%s: the answer to cell %d has completed a line", w.cells, cell)
	}
	return w, false
}

// Unpaired agrees with a count by masks on 8×8.
func TestUnpaired(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 100 {
		x := r.Uint64()
		w := EmptyWide(8)
		var partners uint64
		for cell := range 64 {
			if x>>uint(cell)&1 == 1 {
				w = w.Mark(cell)
				partners |= 1 << uint(Pair(8, cell))
			}
		}
		left := Unpaired(w)
		for _, cell := range left {
			if (x&^partners)>>uint(cell)&1 == 0 {
				t.Errorf("%s: cell %d has a partner", w.cells, cell)
			}
		}
		if len(left) != bits.OnesCount64(x&^partners) {
			t.Errorf("%s: %v have no partner, want %d", w.cells, left, bits.OnesCount64(x&^partners))
		}
	}
}
