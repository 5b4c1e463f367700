package outofcore

import (
	"path/filepath"
	"slices"
	"testing"

	"backsolve/partition"
	"backsolve/retro"
	"backsolve/tablebase"
)

// Events of a solve have the number of all states from the start; the decided states never exceed it,
// and every class is sealed once. The result has the bytes that went through the work files.
func TestProgress(t *testing.T) {
	space := spaceAfter(t, 5, 1<<12)
	blocks := partition.BlockCounts(space)
	upTo := make([]uint64, space.MaskBits+2) // the states of a class and of those before it
	for class := space.MaskBits; class >= 0; class-- {
		upTo[class] = upTo[class+1] + uint64(blocks[class])<<uint(space.IndexBits[class])
	}
	var begun, sealed []int
	last := tablebase.Event{At: -1}
	tell := func(e tablebase.Event) {
		if e.Total != upTo[0] || e.Stage != tablebase.Solving && e.Stage != tablebase.Sealed {
			t.Errorf("%+v: %d states are to be stored, and there are no passes", e, upTo[0])
		}
		switch {
		case e.Stage == tablebase.Sealed:
			sealed = append(sealed, e.At)
			if e.At != last.At || e.Done != last.Done || e.Done <= upTo[e.At+1] {
				t.Errorf("%+v after %+v", e, last)
			}
		case e.At != last.At:
			begun = append(begun, e.At)
			if e.Done != upTo[e.At+1] {
				t.Errorf("class %d begins with %d states, want %d", e.At, e.Done, upTo[e.At+1])
			}
		case e.Done < last.Done || e.Done > upTo[e.At]:
			t.Errorf("%+v after %+v, up to %d states", e, last, upTo[e.At])
		}
		last = e
	}
	r := streamed(t, space, filepath.Join(t.TempDir(), "s"), 100_000, Options{Options: retro.Options{Threads: 2, Progress: tell}})
	var classes []int
	var slicesOfAll int64
	for class := space.MaskBits; class >= 0; class-- {
		classes = append(classes, class)
		slicesOfAll += blocks[class]
	}
	if !slices.Equal(begun, classes) || !slices.Equal(sealed, classes) {
		t.Errorf("begun %v, sealed %v, want %v", begun, sealed, classes)
	}
	if want := slicesOfAll * sliceBytes(space); r.Written != want {
		t.Errorf("%d bytes are written, want %d", r.Written, want)
	}
	if want := (slicesOfAll - blocks[0]) * sliceBytes(space); r.Read != want {
		t.Errorf("%d bytes are read, want each slice once but that of class 0: %d", r.Read, want)
	}
}

// A solve keeps every limit from the least on, and uses what fits whole blocks.
func TestAnyLimit(t *testing.T) {
	space := spaceAfter(t, 4, 1<<5)
	o := Options{Options: retro.Options{Threads: 2}}
	least := o.Plan(space).Least()
	slice := sliceBytes(newCutting(space).spaces[0])
	perBlock := slice + o.Plan(space).BlockOverhead()
	for _, more := range []int64{0, 1, slice, perBlock - 1, perBlock, perBlock + slice} {
		o.Memory = least + more
		f := open(t, filepath.Join(t.TempDir(), "s"), space, false)
		r, err := f.Solve(t.Context(), o)
		if err != nil {
			t.Fatalf("%d bytes more than the least: %v", more, err)
		}
		if want := least + more/perBlock*perBlock; r.Memory != want {
			t.Errorf("%d bytes more than the least, which is %d: %d are booked, want %d", more, least, r.Memory, want)
		}
		f.Close()
	}
	o.Memory = least - 1
	f := open(t, filepath.Join(t.TempDir(), "s"), space, false)
	if _, err := f.Solve(t.Context(), o); err == nil {
		t.Errorf("solved with less than the least")
	}
}
