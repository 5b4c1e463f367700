package endgame

import (
	"context"
	"math/bits"
	"math/rand/v2"
	"testing"

	"backsolve/bitboard"
)

// lostPlainly says who loses by trying all cells, of a game of lines of one cell or
// more and further cells on no line.
func lostPlainly(lines []uint64, open uint64, memo map[uint64]bool) bool {
	if lost, ok := memo[open]; ok {
		return lost
	}
	lost := true
	for cells := open; cells != 0 && lost; cells &= cells - 1 {
		next := open &^ (cells & -cells)
		complete := false
		for _, line := range lines {
			complete = complete || line&next == 0
		}
		lost = complete || !lostPlainly(lines, next, memo)
	}
	memo[open] = lost
	return lost
}

// randomLines draws lines of two cells or more, none of which has all of another.
func randomLines(r *rand.Rand, cells int) []uint64 {
	var lines []uint64
	for range 1 + r.IntN(cells) {
		line := r.Uint64() & r.Uint64() & (1<<uint(cells) - 1)
		if bits.OnesCount64(line) > 1 {
			lines = append(lines, line)
		}
	}
	return leastOf(lines)
}

func TestMarkingAgreesWithPlainSearch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	m := newMarkingSearch(1 << 20)
	for range 500 {
		cells := 2 + r.IntN(11)
		lines := randomLines(r, cells)
		open := uint64(1)<<uint(cells) - 1
		free := bits.OnesCount64(open &^ union(lines))
		got, err := m.Lost(context.Background(), lines, free)
		if err != nil {
			t.Fatal(err)
		}
		if want := lostPlainly(lines, open, map[uint64]bool{}); got != want {
			t.Fatalf("lines %b and %d free cells: lost %t, by trying all cells %t", lines, free, got, want)
		}
	}
}

// TestMarkingIsLean counts the positions that a search comes to. What it has excluded it does
// not look at again: else it would come to 3,912 on 4×4.
func TestMarkingIsLean(t *testing.T) {
	for n, most := range map[int]uint64{3: 8, 4: 781} {
		m := newMarkingSearch(1 << 20)
		if _, err := m.Lost(context.Background(), bitboard.Lines(n), 0); err != nil || m.nodes > most {
			t.Errorf("%d×%d: %d positions, at most %d before: %v", n, n, m.nodes, most, err)
		}
	}
}

// TestMarkingIsStopped gives up wherever it may and must answer rightly nevertheless
// when it is asked again.
func TestMarkingIsStopped(t *testing.T) {
	lines := bitboard.Lines(4)
	want, err := newMarkingSearch(1<<20).Lost(context.Background(), lines, 0)
	if err != nil {
		t.Fatal(err)
	}
	stopped := 0
	for i := range 60 {
		room := 7 * i
		m := newMarkingSearch(room)
		got, err := m.Lost(context.Background(), lines, 0)
		if err != nil {
			stopped++
			m.left = 1 << 20
			if got, err = m.Lost(context.Background(), lines, 0); err != nil {
				t.Fatal(err)
			}
		}
		if got != want {
			t.Fatalf("with room for %d positions it is lost %t, else %t", room, got, want)
		}
	}
	if stopped < 10 {
		t.Errorf("it was stopped %d times only", stopped)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := newMarkingSearch(1<<20).Lost(ctx, lines, 0); err != context.Canceled {
		t.Errorf("when it is cancelled, the error is %v", err)
	}
}

// expiring is a context that ends after a number of calls of Err.
type expiring struct {
	context.Context
	left int
}

func (e *expiring) Err() error {
	if e.left--; e.left < 0 {
		return context.Canceled
	}
	return nil
}

// A search that is cancelled under way ends with the cause.
func TestMarkingIsCancelled(t *testing.T) {
	for _, asked := range []int{0, 1, 3} {
		ctx := &expiring{context.Background(), asked}
		if _, err := newMarkingSearch(1<<20).Lost(ctx, bitboard.Lines(4), 0); err != context.Canceled || ctx.left != -1 {
			t.Errorf("after %d times: %v; it was asked %d times more", asked, err, -1-ctx.left)
		}
	}
}
