package writer_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/writer"
)

// TestWrittenPacked compares tables that are written packed, their steps from memory and
// by runs, with tables that are packed afterwards.
func TestWrittenPacked(t *testing.T) {
	for _, shape := range tabletest.Shapes {
		for name, classes := range map[string][]tabletest.Sealed{"small": tabletest.SmallTable(shape), "large": tabletest.LargeTable(shape), "numbers": tabletest.NumbersTable(shape)} {
			for _, run := range []int{0, 64, 1 << 14} {
				t.Run(shape.String()+" "+name, func(t *testing.T) {
					if testing.Short() && (name == "large" || run == 64) {
						t.Skip("takes long under the race detector")
					}
					plain := tabletest.Write(t, shape, classes)
					for _, suffix := range suffixes {
						path := filepath.Join(t.TempDir(), "t.tb"+suffix)
						w := tabletest.Create(t, path, shape, false)
						for _, c := range classes {
							planes := c.Planes
							if run > 0 {
								planes = byRuns(planes, run)
							}
							if err := w.Seal(c.Class, planes, c.Counts); err != nil {
								t.Fatal(err)
							}
						}
						summary, err := w.Finish()
						if err != nil {
							t.Fatal(err)
						}
						if table := tabletest.Open(t, plain); summary.Identity != table.Identity() || summary.Bytes != table.Bytes() {
							t.Errorf("the summary is %x, %d bytes", summary.Identity, summary.Bytes)
						}
						want := plain
						if suffix == tablebase.PackedSuffix {
							want = tabletest.Pack(t, plain)
						}
						if !bytes.Equal(tabletest.ReadFile(t, path), tabletest.ReadFile(t, want)) {
							t.Error("it has other bytes")
						}
					}
				})
			}
		}
	}
}

// TestPackedResumeAfterDamage damages what an interrupted solve left of a packed
// table: classes before the damage are kept, and the table gets the same bytes.
func TestPackedResumeAfterDamage(t *testing.T) {
	classes := tabletest.SmallTable(tabletest.QuixoShape)
	once := tabletest.ReadFile(t, finished(t, tabletest.QuixoShape, classes, tablebase.PackedSuffix))
	r := rand.New(rand.NewPCG(12, 12))
	times := 60
	if testing.Short() {
		times = 12
	}
	for _, suffix := range []string{tablebase.PartialSuffix, tablebase.ManifestSuffix} {
		dropped := 0
		for range times {
			path := filepath.Join(t.TempDir(), "t.tb"+tablebase.PackedSuffix)
			w := tabletest.Create(t, path, tabletest.QuixoShape, false)
			for _, c := range classes[:3] {
				if err := w.Seal(c.Class, c.Planes, c.Counts); err != nil {
					t.Fatal(err)
				}
			}
			w.Kill()
			b := tabletest.ReadFile(t, path+suffix)
			if r.IntN(2) == 0 {
				b = b[:r.IntN(len(b))]
			} else {
				b[r.IntN(len(b))] ^= 1 << r.IntN(8)
			}
			if err := os.WriteFile(path+suffix, b, 0o644); err != nil {
				t.Fatal(err)
			}
			w, err := writer.Create(path, tabletest.QuixoShape, true)
			if err != nil {
				t.Fatal(err)
			}
			if w.Dropped() != "" {
				dropped++
			}
			w.Close()
			tabletest.WriteAt(t, path, tabletest.QuixoShape, classes, true)
			if !bytes.Equal(tabletest.ReadFile(t, path), once) {
				t.Fatal("the resumed table has other bytes")
			}
		}
		if dropped < times/2 {
			t.Errorf("damage of %s was noticed only %d times of %d", suffix, dropped, times)
		}
	}
}

// Packing leaves no garbage that grows with the table, and what is known of a table until it is
// finished stays within IndexBytes.
func TestIndexBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("pools give away what they have under the race detector")
	}
	r := rand.New(rand.NewPCG(5, 5))
	classes := []tabletest.Sealed{
		tabletest.RandomClass(r, tabletest.QuixoShape, 9, 17, 40, 6), // which has the encoders made
		tabletest.RandomClass(r, tabletest.QuixoShape, 8, 17, 160, 6),
	}
	w := tabletest.Create(t, filepath.Join(t.TempDir(), "t.tb"+tablebase.PackedSuffix), tabletest.QuixoShape, false)
	var before, after runtime.MemStats
	for _, c := range classes {
		runtime.ReadMemStats(&before)
		if err := w.Seal(c.Class, byRuns(c.Planes, 1<<13), c.Counts); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
	}
	length := w.Records()[1].End() - w.Records()[0].End()
	if garbage := int64(after.TotalAlloc - before.TotalAlloc); garbage > length/2 {
		t.Errorf("%d bytes are allocated to pack %d", garbage, length)
	}
	held := int64(cap(w.Entries()))
	for _, r := range w.Records() {
		for _, sums := range r.Sums {
			held += format.ChecksumSize * int64(cap(sums))
		}
	}
	data, _ := w.Ends()
	if most := writer.IndexBytes(data); held > most || held < most/9 {
		t.Errorf("%d bytes are held of %d, %d are reckoned with", held, data, most)
	}
}

// byRuns returns planes whose steps are read by runs, and for runs of less than 2^14 words and
// without steps also the outcomes, as by an engine that does not have them in memory.
func byRuns(p tablebase.Planes, run int) tablebase.Planes {
	reader := func(planes [][]uint64) *tablebase.RunReader {
		return &tablebase.RunReader{Digits: len(planes), Run: run, Read: func(dst [][]uint64, first int) error {
			for d := range dst {
				copy(dst[d], planes[d][first:])
			}
			return nil
		}}
	}
	steps := reader(p.Steps)
	if p.Lose != nil && (len(p.Steps) == 0 || run < 1<<14) {
		p = tablebase.Planes{Outcomes: reader([][]uint64{p.Win, p.Lose})}
	}
	if p.Steps = nil; steps.Digits > 0 || p.Outcomes == nil {
		p.Reader = steps
	}
	return p
}
