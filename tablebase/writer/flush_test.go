package writer_test

import (
	"path/filepath"
	"testing"
	"time"

	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/writer"
)

// counting is a file that counts how often it is flushed.
type counting struct {
	writer.File
	syncs *int
}

func (c counting) Sync() error {
	*c.syncs++
	return c.File.Sync()
}

// A power cut costs five seconds besides the class in work: what was written is
// flushed with the first class that is sealed five seconds after the flush before,
// and not with others, which would cost short solves more than their computing.
func TestSealFlushesAfterFiveSeconds(t *testing.T) {
	w := tabletest.Create(t, filepath.Join(t.TempDir(), "t.tb"), tabletest.QuixoShape, false)
	var partial, manifest int
	data, list := w.Files()
	*data, *list = counting{*data, &partial}, counting{*list, &manifest}
	var flushed int
	for i, c := range tabletest.SmallTable(tabletest.QuixoShape) {
		ago := 4 * time.Second
		if i%2 == 1 {
			ago = 5 * time.Second
			flushed++
		}
		*w.Synced() = time.Now().Add(-ago)
		if err := w.Seal(c.Class, c.Planes, c.Counts); err != nil {
			t.Fatal(err)
		}
		if partial != flushed || manifest != flushed {
			t.Fatalf("%v after the last flush: the data was flushed %d times and the manifest %d times, want %d", ago, partial, manifest, flushed)
		}
		if since := time.Since(*w.Synced()); (since < 4*time.Second) != (i%2 == 1) {
			t.Errorf("after sealing, %v after the last flush, that was %v ago", ago, since)
		}
	}
	if flushed == 0 {
		t.Fatal("too few classes")
	}
}
