package reader_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/reader"
)

// A file that is refused, or closed, is neither open nor mapped any more.
func TestNothingStaysOpen(t *testing.T) {
	content := tabletest.ReadFile(t, tabletest.Write(t, tabletest.QuixoShape, tabletest.SmallTable(tabletest.QuixoShape)))
	path := filepath.Join(t.TempDir(), "damaged.tb")
	refused := 0
	for form, content := range [][]byte{content, tabletest.ReadFile(t, tabletest.Pack(t, tabletest.Save(t, content)))} {
		for i := 0; i < len(content); i += 1 + len(content)/40 {
			bad := bytes.Clone(content)
			bad[len(bad)-1-i] ^= 1
			if err := os.WriteFile(path, bad, 0o644); err != nil {
				t.Fatal(err)
			}
			if table, err := reader.Open(path); err != nil {
				refused++
			} else if err := table.Close(); err != nil {
				t.Error(err)
			}
			maps := string(tabletest.ReadFile(t, "/proc/self/maps"))
			open, err := os.ReadDir("/proc/self/fd")
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range open {
				to, _ := os.Readlink("/proc/self/fd/" + f.Name())
				maps += to + "\n"
			}
			if strings.Contains(maps, path) {
				t.Fatalf("form %d, byte %d changed: it stays open", form, len(bad)-1-i)
			}
		}
	}
	if refused < 9 {
		t.Errorf("%d are refused", refused)
	}
}
