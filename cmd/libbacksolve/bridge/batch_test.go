package bridge

import (
	"errors"
	"strings"
	"testing"
	"time"

	"backsolve"
)

// TestStates reads all states of a table in pieces, and looks them up again.
func TestStates(t *testing.T) {
	table, err := backsolve.OpenFile(solved(t))
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	total, all := int(table.Board().States), 0
	for first := 0; first < total; {
		states, values, images := make([]State, 7), make([]Value, 7), make([]uint32, 7)
		n, err := Read(table, uint64(first), states, values, images)
		if err != nil || n != min(7, total-first) {
			t.Fatalf("%d of %d states from %d on, %v", n, total, first, err)
		}
		again := make([]Value, n)
		if err := Values(table, states[:n], again); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if again[i] != values[i] {
				t.Errorf("state %d, %+v: %v, then %v", first+i, states[i], values[i], again[i])
			}
			all += int(images[i])
		}
		first += n
	}
	if all != 81 {
		t.Errorf("%d states of the game, want 3^4", all)
	}
}

func TestWrongStates(t *testing.T) {
	table, err := backsolve.OpenFile(solved(t))
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	for _, wrong := range []State{{1, 1, 0}, {16, 0, 0}, {0, 1 << 63, 0}, {0, 0, 2}, {0, 0, 256}} {
		states := make([]State, 5000)
		states[4321] = wrong
		if err := Values(table, states, make([]Value, len(states))); StatusOf(err) != Input || !strings.HasPrefix(err.Error(), "state 4321: ") {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}

// TestSolveStops stops a solve at its first report; the next one finishes it.
func TestSolveStops(t *testing.T) {
	dir := t.TempDir()
	start := time.Now()
	_, err := Solve(dir, "quixo:4", backsolve.Options{Steps: true}, func(_, _ uint64) bool { return false })
	if !errors.Is(err, errStopped) {
		t.Fatalf("after %v: %v", time.Since(start), err)
	}
	reports := 0
	table, err := Solve(dir, "quixo:3", backsolve.Options{}, func(done, total uint64) bool { reports++; return done <= total })
	if err != nil || reports == 0 {
		t.Fatal(reports, err)
	}
	table.Close()
}
