package tablebase

import (
	"path/filepath"
	"testing"
	"time"
)

// counting is a file that counts how often it is flushed.
type counting struct {
	file
	syncs *int
}

func (c counting) Sync() error {
	*c.syncs++
	return c.file.Sync()
}

// A power cut costs five seconds besides the class in work: what was written is
// flushed with the first class that is sealed five seconds after the flush before,
// and not with others, which would cost short solves more than their computing.
func TestSealFlushesAfterFiveSeconds(t *testing.T) {
	w := create(t, filepath.Join(t.TempDir(), "t.tb"), quixoShape, false)
	var partial, manifest int
	w.partial, w.manifest = counting{w.partial, &partial}, counting{w.manifest, &manifest}
	var flushed int
	for i, c := range smallTable(quixoShape) {
		ago := 4 * time.Second
		if i%2 == 1 {
			ago = 5 * time.Second
			flushed++
		}
		w.synced = time.Now().Add(-ago)
		if err := w.Seal(c.class, c.planes, c.counts); err != nil {
			t.Fatal(err)
		}
		if partial != flushed || manifest != flushed {
			t.Fatalf("%v after the last flush: the data was flushed %d times and the manifest %d times, want %d", ago, partial, manifest, flushed)
		}
		if since := time.Since(w.synced); (since < 4*time.Second) != (i%2 == 1) {
			t.Errorf("after sealing, %v after the last flush, that was %v ago", ago, since)
		}
	}
	if flushed == 0 {
		t.Fatal("too few classes")
	}
}
