package retro

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

// The fullest classes of Quixo 5×5 have the published counts. Their slices are so long that
// threads share a block.
func TestFullestClassesOfQuixo5(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes under the race detector")
	}
	_, space := newSpace(t, "quixo", 5)
	w, err := writer.Create(filepath.Join(t.TempDir(), "table.tb"), shape(space, false), false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	start := time.Now()
	_, err = Solve(context.Background(), space, w, Options{DownTo: 24, Progress: func(e tablebase.Event) {
		if e.Stage == tablebase.Sealed {
			t.Logf("class %d after %v", e.At, time.Since(start).Round(time.Millisecond))
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, want := range knownCounts(5) {
		for _, info := range w.Sealed() {
			if want.Mover+want.Other != info.Class {
				continue
			}
			checked++
			got := info.Counts.ByWeight[want.Other]
			if got.Wins != uint64(want.Win) || got.Losses != uint64(want.Lose) || got.Draws != uint64(want.Draw) {
				t.Errorf("class %d, %d stones of the mover: %+v, published %+v", info.Class, want.Mover, got, want)
			}
		}
	}
	if checked != 26+25 {
		t.Errorf("%d counts compared, want 51", checked)
	}
}
