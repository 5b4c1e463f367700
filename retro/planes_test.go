package retro

import (
	"path/filepath"
	"testing"

	"backsolve/game"
	"backsolve/retro/internal/work"
	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

// While labels propagate in a class, the class above has no planes: its memory is the
// frontiers'.
func TestAboveIsFreeWhilePropagating(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector")
	}
	_, space := newSpace(t, "quixo", 4)
	w, err := writer.Create(filepath.Join(t.TempDir(), "t.tb"), shape(space, false), false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var e engine
	passes := 0
	o := Options{Threads: 2, Progress: func(event tablebase.Event) {
		if event.Stage != tablebase.Propagating || e.previous == nil {
			return
		}
		if passes++; e.previous.win != nil || e.previous.lose != nil {
			t.Errorf("class %d: the planes of the class above are held", event.At)
		}
	}}.WithDefaults()
	e = newEngine(space, o, standard)
	defer e.ledger.Close()
	if err := e.begin(t.Context(), space); err != nil {
		t.Fatal(err)
	}
	defer e.cut.Free()
	e.table, e.progress = w, work.NewProgress(o.Progress, e.plan.States)
	if err := e.solveClasses(); err != nil || passes < 10 {
		t.Errorf("%d passes: %v", passes, err)
	}
}

// The frontiers of a class take the memory of the class above, so a solve fits the memory of its
// plan: five planes.
func TestFrontiersTakeTheMemoryAbove(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector shows nothing about memory")
	}
	size, _ := game.ParseSize("5x4")
	_, space := newSpace(t, "quixo", int(size))
	w, err := writer.Create(filepath.Join(t.TempDir(), "t.tb"), shape(space, false), false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	o := Options{Threads: 2, DownTo: 18}
	o.Memory = o.Plan(space).Memory()
	if _, err := Solve(t.Context(), space, w, o); err != nil {
		t.Error(err)
	}
}
