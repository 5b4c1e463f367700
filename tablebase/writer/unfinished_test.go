package writer_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/writer"
)

// How far an interrupted solve is, is told by its manifest, packed or not, as far as
// that is whole.
func TestFindUnfinished(t *testing.T) {
	for _, suffix := range []string{"", tablebase.PackedSuffix} {
		t.Run("t.tb"+suffix, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "t.tb"+suffix)
			if _, err := writer.FindUnfinished(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("before the solve: %v", err)
			}
			w := tabletest.Create(t, path, tabletest.QuixoShape, false)
			want := writer.Unfinished{Shape: tabletest.QuixoShape}
			check := func() {
				t.Helper()
				if got, err := writer.FindUnfinished(path); err != nil || got.Shape != want.Shape || got.Classes != want.Classes {
					t.Errorf("%+v, %v, want %+v", got, err, want)
				}
			}
			check()
			for _, c := range tabletest.SmallTable(tabletest.QuixoShape) {
				if err := w.Seal(c.Class, c.Planes, c.Counts); err != nil {
					t.Fatal(err)
				}
				want.Classes++
				check()
			}
			w.Close()
			manifest, err := os.ReadFile(path + tablebase.ManifestSuffix)
			if err != nil {
				t.Fatal(err)
			}
			write := func(b []byte) {
				if err := os.WriteFile(path+tablebase.ManifestSuffix, b, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			write(manifest[:len(manifest)-1])
			want.Classes--
			check()
			write(manifest[:format.PreambleSize-1])
			if _, err := writer.FindUnfinished(path); err == nil {
				t.Error("a manifest that is cut short is read")
			}
			if err := os.Remove(path + tablebase.ManifestSuffix); err != nil {
				t.Fatal(err)
			}
			if _, err := writer.FindUnfinished(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("without a manifest: %v", err)
			}
		})
	}
}
