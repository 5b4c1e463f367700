package writer_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/writer"
)

// Parts that go around the file cache have the same bytes and are read back beside the next
// class.
func TestDirectParts(t *testing.T) {
	defer writer.EveryPartDirect()()
	classes := tabletest.SmallTable(tabletest.QuixoShape)
	path := filepath.Join(t.TempDir(), "t.tb")
	w := tabletest.Create(t, path, tabletest.QuixoShape, false)
	if direct, _, _ := w.IsDirect(); !direct {
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
		if _, known, err := w.IsDirect(); known != parts || err != nil {
			t.Errorf("class %d: %d of %d parts were read back, %v", c.Class.Class, known, parts, err)
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
	if direct, _, _ := w.IsDirect(); !direct {
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

// A part that does not read as it was written fails the next call, and the next Writer drops its
// class. Here a device takes the parts and returns zeros.
func TestDirectReadBack(t *testing.T) {
	defer writer.EveryPartDirect()()
	classes := tabletest.SmallTable(tabletest.QuixoShape)
	path := filepath.Join(t.TempDir(), "t.tb")
	w := tabletest.Create(t, path, tabletest.QuixoShape, false)
	zeros, err := os.OpenFile("/dev/zero", os.O_RDWR, 0)
	if direct, _, _ := w.IsDirect(); !direct || err != nil {
		t.Skip("the file system takes no direct writes, or there is no such device")
	}
	w.SetDirect(zeros)
	last := classes[len(classes)-1]
	if err := w.Seal(last.Class, last.Planes, last.Counts); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Finish(); err == nil {
		t.Error("the table is finished")
	}
	w.Close()
	w = tabletest.Create(t, path, tabletest.QuixoShape, false)
	defer w.Close()
	if len(w.Sealed()) > 0 || w.Dropped() == "" {
		t.Errorf("%d classes are resumed: %s", len(w.Sealed()), w.Dropped())
	}
}
