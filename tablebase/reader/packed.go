package reader

import (
	"runtime"
	"slices"

	"backsolve/game"
	"backsolve/internal/parallel"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/pack"
)

// frame returns the frame that has an element of a part.
func (l *located) frame(part int, element uint64) int {
	return l.firstFrame[part] + int(element*8/format.FrameSize)
}

// mostCold is how many places are unpacked for at once.
const mostCold = 64

// unpackAll unpacks what lookups in a part of a packed table will read and is not in the
// cache, on all cores: each frame takes longer than all else that a lookup does. With
// entries, that is only for the states that are not drawn. What fails here will fail
// again when it is read.
func (t *Table) unpackAll(part int, places []Place, entries []tablebase.Entry) {
	f := t.packed.Load()
	if f == nil || t.far {
		return
	}
	var cold [mostCold]Place // a copy, so that nobody's places have to be on the heap
	n := 0
	for i, p := range places {
		if n < mostCold && (entries == nil || entries[i].Outcome != game.Draw) && t.isCold(f, part, p) {
			cold[n] = p
			n++
		}
	}
	if n > 1 && t.fetchPlaces(cold[:n]) == nil {
		t.unpackCold(f, part, slices.Clone(cold[:n]))
	}
}

// isCold reports whether the frame where a state's columns begin is not in the cache, or
// its chunk is not checked yet.
func (t *Table) isCold(f *pack.Frames, part int, p Place) bool {
	l := t.located(p.Class)
	columns := uint64(l.Parts[part].Columns)
	if columns == 0 {
		return false
	}
	word, _ := p.word(l)
	frame := l.frame(part, word*columns)
	return !t.isChecked(l, part, int(word*columns*8/format.ChunkSize)) || !f.Holds(frame)
}

// unpackCold unpacks the frames of the places.
func (t *Table) unpackCold(f *pack.Frames, part int, cold []Place) {
	parallel.Each(len(cold), min(len(cold), runtime.GOMAXPROCS(0)), func(next func() (int, bool)) error {
		for i, more := next(); more; i, more = next() {
			p := cold[i]
			l := t.located(p.Class)
			word, _ := p.word(l)
			if t.touch(l, part, word) != nil {
				continue
			}
			frame := l.frame(part, word*uint64(l.Parts[part].Columns))
			f.Warm(frame)
		}
		return nil
	})
}
