package retro

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"backsolve/partition"
	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

// Events have the number of all states from the start. The decided states grow class by class and
// never exceed it. Passes are inside a class, and every class is sealed once, after it was in
// work.
func TestEvents(t *testing.T) {
	for _, b := range []struct {
		game  string
		n     int
		steps bool
	}{{"quixo", 3, false}, {"quixo", 3, true}, {"notakto", 4, false}, {"notakto", 4, true}} {
		_, space := newSpace(t, b.game, b.n)
		cut, err := partition.NewCut(space)
		if err != nil {
			t.Fatal(err)
		}
		upTo := map[int]uint64{} // the states of a class and of those before it
		var states uint64
		var classes []int
		for class := space.MaskBits; class >= 0; class-- {
			c := cut.Class(class)
			states += uint64(len(c.Masks)) << uint(c.IndexBits)
			upTo[class], classes = states, append(classes, class)
		}
		cut.Free()
		w, err := writer.Create(filepath.Join(t.TempDir(), "table.tb"), shape(space, b.steps), false)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		var begun, sealed []int
		var passes int
		last := tablebase.Event{At: -1}
		_, err = Solve(context.Background(), space, w, Options{Steps: b.steps, Threads: 2, Progress: func(e tablebase.Event) {
			if e.Total != states {
				t.Errorf("%s %d: %d states are to be stored, events say %d", b.game, b.n, states, e.Total)
			}
			if e.Stage == tablebase.Sealed {
				sealed = append(sealed, e.At)
				if e.Done < upTo[e.At+1] || !slices.Contains(begun, e.At) {
					t.Errorf("%s %d: %+v after %+v, %d states were decided before it", b.game, b.n, e, last, upTo[e.At+1])
				}
				return
			}
			if e.At != last.At {
				begun = append(begun, e.At)
				if e.Stage != tablebase.Solving || e.Done != upTo[e.At+1] {
					t.Errorf("%s %d: class %d begins with %+v, after %d states", b.game, b.n, e.At, e, upTo[e.At+1])
				}
			} else if e.Stage == tablebase.Solving && last.Stage != e.Stage || e.Done < last.Done || e.Done > upTo[e.At] {
				t.Errorf("%s %d: %+v after %+v, up to %d states", b.game, b.n, e, last, upTo[e.At])
			}
			if e.Stage == tablebase.Propagating && e.Done == last.Done {
				passes++
				time.Sleep(2 * time.Millisecond) // meanwhile the class before is sealed, and reported right after
			}
			last = e
		}})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(begun, classes) || !slices.Equal(sealed, classes) {
			t.Errorf("%s %d: begun %v, sealed %v, want %v", b.game, b.n, begun, sealed, classes)
		}
		if last.Done != states && b.game == "notakto" {
			t.Errorf("%s %d: at the end %d of %d states are decided", b.game, b.n, last.Done, states)
		}
		if b.game == "quixo" && passes == 0 {
			t.Errorf("%s %d: no pass is reported", b.game, b.n)
		}
	}
}
