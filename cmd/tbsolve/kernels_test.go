package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"backsolve/internal/kernels"
)

// TestKernelsWriteTheSameTables solves small boards with every tier of kernels that this
// processor runs.
func TestKernelsWriteTheSameTables(t *testing.T) {
	for _, board := range []string{"quixo 4", "quixo 3 --steps", "notakto 5 --steps --packed", "notakto 4 --grundy"} {
		t.Run(board, func(t *testing.T) {
			t.Parallel()
			var want []byte
			for _, tier := range kernels.Available() {
				dir := t.TempDir()
				cmd := exec.Command("tbsolve", append(strings.Fields(board), "--dir", dir)...)
				cmd.Env = append(os.Environ(), kernels.Variable+"="+tier.String())
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v: %v\n%s", tier, err, out)
				}
				files, err := filepath.Glob(filepath.Join(dir, "*.tb*"))
				if err != nil || len(files) != 1 {
					t.Fatalf("%v: tables %v, %v", tier, files, err)
				}
				got, err := os.ReadFile(files[0])
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = got
				}
				if !bytes.Equal(got, want) {
					t.Errorf("%v: the table differs from that of %v", tier, kernels.Go)
				}
			}
		})
	}
}
