package reader_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"backsolve/internal/bitslice"
	"backsolve/tablebase"
	"backsolve/tablebase/internal/tabletest"
)

func TestTableHoldsWhatWasSealed(t *testing.T) {
	for _, shape := range tabletest.Shapes {
		t.Run(shape.String(), func(t *testing.T) {
			classes := tabletest.SmallTable(shape)
			table := tabletest.Open(t, tabletest.Write(t, shape, classes))
			if table.Shape() != shape {
				t.Errorf("shape %v, want %v", table.Shape(), shape)
			}
			checkAll(t, table, shape, classes)
			if err := table.Verify(context.Background(), 1, nil); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestLargeClass has parts of several chunks, longer than IOSize.
func TestLargeClass(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	c := tabletest.RandomClass(r, tabletest.QuixoShape, 12, 15, 70, 5)
	table := tabletest.Open(t, tabletest.Write(t, tabletest.QuixoShape, []tabletest.Sealed{c}))
	checkAll(t, table, tabletest.QuixoShape, []tabletest.Sealed{c})
	var got tablebase.Planes // its memory is used again for each run
	n := bitslice.Words(c.Class.IndexBits)
	for range 50 {
		first := r.IntN(len(c.Class.Masks))
		blocks := r.IntN(len(c.Class.Masks) - first + 1)
		if err := table.Planes(0, first, blocks, &got); err != nil {
			t.Fatal(err)
		}
		want := tablebase.Planes{Win: c.Planes.Win[first*n : (first+blocks)*n], Lose: c.Planes.Lose[first*n : (first+blocks)*n]}
		for _, digit := range c.Planes.Steps {
			want.Steps = append(want.Steps, digit[first*n:(first+blocks)*n])
		}
		if !tabletest.SamePlanes(want, got) {
			t.Fatalf("blocks %d+%d differ", first, blocks)
		}
	}
	calls, last := 0, int64(0)
	err := table.Verify(context.Background(), 1, func(e tablebase.Event) {
		done, total := int64(e.Done), int64(e.Total)
		if done <= last || total != table.Bytes() {
			t.Errorf("progress %d after %d of %d", done, last, total)
		}
		calls, last = calls+1, done
	})
	if err != nil || last != table.Bytes() || calls < 4 {
		t.Errorf("Verify: %v, %d calls, the last with %d of %d bytes", err, calls, last, table.Bytes())
	}
}
