package writer_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
	"backsolve/partition"
	"backsolve/retro"
	"backsolve/tablebase"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/writer"
)

// TestArchive unpacks archives of small boards to the tables that they were made of.
func TestArchive(t *testing.T) {
	for _, b := range []struct {
		name string
		size int
	}{{"quixo", 2}, {"quixo", 3}, {"notakto", 2}, {"notakto", 3}, {"notakto", 4}, {"tictactoe", 2}, {"tictactoe", 3}} {
		plain, archive, rules := probetest.Archived(t, b.name, b.size)
		want, got := tabletest.Open(t, plain), tabletest.Open(t, archive)
		if want.Identity() != got.Identity() || !got.Shape().Archive {
			t.Errorf("%v: it is %v, identity %x", rules.Info(), got.Shape(), got.Identity())
		}
		if unpacked, err := writer.Unpack(t.Context(), archive, true, nil); err != nil || !bytes.Equal(tabletest.ReadFile(t, unpacked), tabletest.ReadFile(t, plain)) {
			t.Errorf("%v unpacks to another table: %v", rules.Info(), err)
		}
	}
}

// TestArchiveResumed solves boards into archives, interrupted after each of their classes: the
// steps of the class above are derived. The archive has the bytes of one that was packed.
func TestArchiveResumed(t *testing.T) {
	for _, b := range []struct {
		name string
		size int
	}{{"quixo", 3}, {"notakto", 4}, {"tictactoe", 3}} {
		if b.name == "notakto" && testing.Short() {
			continue // takes long under the race detector
		}
		_, archive, rules := probetest.Archived(t, b.name, b.size)
		space, err := partition.New(rules)
		if err != nil {
			t.Fatal(err)
		}
		shape := probe.Shape(space, true)
		shape.Archive = true
		path := filepath.Join(t.TempDir(), filepath.Base(archive))
		for downTo := space.MaskBits; downTo >= 0; downTo-- {
			w, err := writer.Create(path, shape, false)
			if err != nil {
				t.Fatal(err)
			}
			if w.Dropped() != "" || len(w.Sealed()) != space.MaskBits-downTo {
				t.Fatalf("%d classes are resumed; dropped: %q", len(w.Sealed()), w.Dropped())
			}
			if _, err := retro.Solve(t.Context(), space, w, retro.Options{Steps: true, DownTo: downTo}); err != nil {
				t.Fatal(err)
			}
			w.Close()
			if downTo == 1 {
				damageUnfinished(t, path, shape)
			}
			other := shape
			other.Archive = false
			if _, err := writer.Create(path, other, false); downTo > 0 && !errors.Is(err, tablebase.ErrOtherSolve) {
				t.Errorf("another level resumes it: %v", err)
			}
			if left, err := writer.FindUnfinished(path); downTo > 0 && (err != nil || left.Shape != shape) {
				t.Errorf("it is %+v: %v", left, err)
			}
		}
		if !bytes.Equal(tabletest.ReadFile(t, path), tabletest.ReadFile(t, archive)) {
			t.Errorf("%v: another archive than the packed one", rules.Info())
		}
	}
}

// damageUnfinished changes bytes of an interrupted solve: what is damaged is not resumed.
func damageUnfinished(t *testing.T, path string, shape tablebase.Shape) {
	t.Helper()
	data, manifest := tabletest.ReadFile(t, path+tablebase.PartialSuffix), tabletest.ReadFile(t, path+tablebase.ManifestSuffix)
	for n := range 20 {
		copied := filepath.Join(t.TempDir(), filepath.Base(path))
		bad := bytes.Clone(data)
		bad[len(bad)-1-n*(len(bad)-4200)/20] ^= 0xff
		for suffix, b := range map[string][]byte{tablebase.PartialSuffix: bad, tablebase.ManifestSuffix: manifest} {
			if err := os.WriteFile(copied+suffix, b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		w, err := writer.Create(copied, shape, false)
		if err != nil {
			t.Fatal(err)
		}
		if w.Dropped() == "" {
			t.Errorf("byte %d of %d is changed, and all is resumed", len(bad)-1-n*(len(bad)-4200)/20, len(bad))
		}
		w.Close()
	}
}
