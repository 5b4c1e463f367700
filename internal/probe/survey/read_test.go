package survey

import (
	"slices"
	"testing"

	"backsolve/internal/probe"
	"backsolve/tablebase"
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

// No more blocks are read at once than are needed, or make a run.
func TestReadEnd(t *testing.T) {
	for _, c := range []struct{ indexBits, blocks, block, n, want int }{
		{6, 1 << 20, 5, 1, 7}, {6, 1 << 20, 5, 63, 7}, {6, 1 << 20, 5, 64, 8}, {6, 1 << 20, 5, 1 << 30, 5 + runWords}, {7, 1 << 20, 5, 1 << 30, 5 + runWords/2},
		{21, 9, 3, 1 << 30, 4}, {22, 9, 3, 1 << 30, 4}, {6, 6, 5, 64, 6}, {0, 99, 1, 10, 13},
	} {
		if got := readEnd(tablebase.ClassInfo{IndexBits: c.indexBits, Blocks: c.blocks}, c.block, c.n); got != c.want {
			t.Errorf("%+v: up to block %d", c, got)
		}
	}
}
