package bitslice

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestTilesAreKeptForTheirMap folds by many maps in turn, into parts, on both sides: a Folder
// that caches tiles must not use one map's for another.
func TestTilesAreKeptForTheirMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var maps []IndexMap
		for range rapid.IntRange(1, 8).Draw(t, "maps") {
			maps = append(maps, drawMap(t, 14))
		}
		same := rapid.Bool().Draw(t, "all in one place")
		f, touched := usedFolder(), make([]uint64, SummaryWords(Words(14)))
		for i := range rapid.IntRange(1, 30).Draw(t, "folds") {
			m := &maps[rapid.IntRange(0, len(maps)-1).Draw(t, "map")]
			p := NewPlan(m)
			p.rows = rowMap{} // that needs no tiles
			if same {
				p.hash = 0
			}
			src, dst := randomSlice(uint64(i), m.Src, 0), randomSlice(uint64(i+100), m.Dst, 0)
			want, op := slices.Clone(dst), rapid.SampledFrom([]Op{Or, And, Set}).Draw(t, "operation")
			for _, segment := range segments(m.Dst, rapid.IntRange(6, 8).Draw(t, "segment bits")) {
				if op == Set {
					f.Deliver(&p, segment.of(dst), segment, src, full(len(src)), touched)
				} else {
					f.Fold(op, &p, segment.of(dst), segment, src, nil)
				}
			}
			if op == Set {
				op = Or
			}
			if foldNaive(op, m, want, src); !slices.Equal(dst, want) {
				t.Fatalf("fold %d is not that of its map", i)
			}
		}
	})
}

// full returns a summary of that number of words by which any may be set.
func full(words int) []uint64 {
	s := make([]uint64, SummaryWords(words))
	for i := range s {
		s[i] = ^uint64(0)
	}
	return s
}

// A Folder that caches plans returns each map's own, even if another's was in its place.
func TestPlansAreKeptForTheirMap(t *testing.T) {
	var f Folder
	rapid.Check(t, func(t *rapid.T) {
		for range 10 {
			m := drawMap(t, MaxIndexBits-1)
			want := NewPlan(&m)
			for range 2 { // made and kept
				if *f.Plan(&m) != want || !want.Is(&m) {
					t.Fatalf("%+v has the plan of another map", m)
				}
			}
		}
	})
}
