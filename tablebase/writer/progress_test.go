package writer_test

import (
	"context"
	"iter"
	"path/filepath"
	"slices"
	"testing"

	"backsolve/game"
	"backsolve/tablebase"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/sparse"
	"backsolve/tablebase/writer"
)

// Progress grows from phase to phase up to all bytes of the unpacked table.
func TestProgress(t *testing.T) {
	single := filepath.Join(t.TempDir(), "single.tb")
	err := sparse.Write(single, sparse.Header{Game: "single"}, 1, func(int) iter.Seq2[uint64, sparse.Value] {
		return func(yield func(uint64, sparse.Value) bool) {
			for i := uint64(0); i < 100_000 && yield(300*i, sparse.Value{Outcome: game.Win, Steps: int(i % 3)}); i++ {
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{tabletest.Write(t, tabletest.QuixoShape, tabletest.LargeTable(tabletest.QuixoShape)), single} {
		total := uint64(len(tabletest.ReadFile(t, path)))
		packed := path + ".zst"
		for _, c := range []struct {
			doing string
			work  func(context.Context, string, bool, func(tablebase.Event)) (string, error)
			from  string
		}{{"packing", writer.Pack, path}, {"unpacking", writer.Unpack, packed}} {
			done, phases := map[string]uint64{}, []string{}
			_, err := c.work(t.Context(), c.from, true, func(e tablebase.Event) {
				if !slices.Contains(phases, e.Stage) {
					phases = append(phases, e.Stage)
				}
				if e.Stage != phases[len(phases)-1] || e.Done <= done[e.Stage] || e.Total != total {
					t.Errorf("%s: %+v after %v", c.from, e, done)
				}
				done[e.Stage] = e.Done
			})
			// A check of single positions reads their data alone.
			if err != nil || !slices.Equal(phases, []string{c.doing, "checking"}) || done[c.doing] != total || done["checking"] < total*9/10 || done["checking"] > total {
				t.Errorf("%s: %v of %d, %v", c.from, done, total, err)
			}
		}
	}
}
