package survey

import (
	"slices"
	"testing"

	"backsolve/internal/probe"
)

// checkRead compares states that are read from any number on with those of All.
func checkRead(t *testing.T, table *probe.Table) {
	t.Helper()
	var want []Stored
	for s, err := range All(table) {
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, s)
	}
	if n := StoredStates(table); n != uint64(len(want)) {
		t.Errorf("%d states are counted, want %d", n, len(want))
	}
	for _, size := range []int{0, 1, 7, 64, 1000, len(want), len(want) + 5} {
		for first := 0; first < len(want)+3; first += len(want)/9 + 1 {
			got := make([]Stored, size)
			n, err := Read(table, uint64(first), got)
			if rest := want[min(first, len(want)):]; err != nil || !slices.Equal(got[:n], rest[:min(size, len(rest))]) {
				t.Fatalf("%d states from %d on: %d, %v", size, first, n, err)
			}
		}
	}
}

func TestRead(t *testing.T) {
	eachBoard(t, checkRead)
	eachAfter(t, func(t *testing.T, table, _ *probe.Table) { checkRead(t, table) })
}
