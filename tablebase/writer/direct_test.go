package writer_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/writer"
)

// Parts that go around the file cache have the same bytes and are read back when they are
// sealed.
func TestDirectParts(t *testing.T) {
	defer writer.EveryPartDirect()()
	classes := tabletest.SmallTable(tabletest.QuixoShape)
	path := filepath.Join(t.TempDir(), "t.tb")
	w := tabletest.Create(t, path, tabletest.QuixoShape, false)
	if direct, _ := w.IsDirect(); !direct {
		t.Skip("the file system takes no direct writes")
	}
	parts := 0
	for i, c := range classes {
		if err := w.Seal(c.Class, c.Planes, c.Counts); err != nil {
			t.Fatal(err)
		}
		for _, p := range w.Records()[i].Parts {
			if p.Padded() > 0 {
				parts++
			}
		}
		if _, known := w.IsDirect(); known != parts {
			t.Errorf("class %d: %d of %d parts were read back", c.Class.Class, known, parts)
		}
	}
	if _, err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	want := tabletest.ReadFile(t, tabletest.Write(t, tabletest.QuixoShape, classes))
	if !bytes.Equal(tabletest.ReadFile(t, path), want) {
		t.Error("the table has other bytes")
	}
}

// A write that the system does not take around the cache goes through it.
func TestDirectFallsBack(t *testing.T) {
	w := tabletest.Create(t, filepath.Join(t.TempDir(), "t.tb"), tabletest.QuixoShape, false)
	defer w.Close()
	if direct, _ := w.IsDirect(); !direct {
		t.Skip("the file system takes no direct writes")
	}
	f, want, got := w.DirectFile(), []byte("odd"), make([]byte, 3)
	if _, err := f.WriteAt(want, 5); err != nil {
		t.Fatal(err)
	}
	if _, err := f.ReadAt(got, 5); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}
