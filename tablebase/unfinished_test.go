package tablebase

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// How far an interrupted solve is, is told by its manifest, packed or not, as far as
// that is whole.
func TestFindUnfinished(t *testing.T) {
	for _, suffix := range []string{"", PackedSuffix} {
		t.Run("t.tb"+suffix, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "t.tb"+suffix)
			if _, err := FindUnfinished(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("before the solve: %v", err)
			}
			w := create(t, path, quixoShape, false)
			want := Unfinished{Shape: quixoShape}
			check := func() {
				t.Helper()
				if got, err := FindUnfinished(path); err != nil || got.Shape != want.Shape || got.Classes != want.Classes {
					t.Errorf("%+v, %v, want %+v", got, err, want)
				}
			}
			check()
			for _, c := range smallTable(quixoShape) {
				if err := w.Seal(c.class, c.planes, c.counts); err != nil {
					t.Fatal(err)
				}
				want.Classes++
				check()
			}
			w.Close()
			manifest, err := os.ReadFile(path + manifestSuffix)
			if err != nil {
				t.Fatal(err)
			}
			write := func(b []byte) {
				if err := os.WriteFile(path+manifestSuffix, b, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			write(manifest[:len(manifest)-1])
			want.Classes--
			check()
			write(manifest[:preambleSize-1])
			if _, err := FindUnfinished(path); err == nil {
				t.Error("a manifest that is cut short is read")
			}
			if err := os.Remove(path + manifestSuffix); err != nil {
				t.Fatal(err)
			}
			if _, err := FindUnfinished(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("without a manifest: %v", err)
			}
		})
	}
}
