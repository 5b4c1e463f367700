package retro

import (
	"path/filepath"
	"testing"

	"backsolve/retro/internal/work"
	"backsolve/tablebase/writer"
)

// While labels propagate in a class, the class above has no planes: its memory is the last
// frontier's.
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
	o := Options{Threads: 2, Progress: func(event Event) {
		if event.Pass == 0 || e.previous == nil {
			return
		}
		if passes++; e.previous.win != nil || e.previous.lose != nil {
			t.Errorf("class %d, pass %d: the planes of the class above are held", event.Class, event.Pass)
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
